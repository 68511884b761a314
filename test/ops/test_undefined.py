# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is undefined for some elements leaves the others, and comparisons, alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from elementwise_kernel import Statement, kernel
from emit_data import DTYPES
from op_case import ARRAY_TYPES, Array

import cuda_tile

COUNT = 128


def run(
    element: str,
    statements: list[Statement],
    operands: list[Array],
    mode: str,
    setup: tuple[str, ...] = (),
) -> list[Array]:
    """Results on the interpreter in a mode, or on the emulator."""
    text = kernel((COUNT,), [element] * len(operands), statements, setup)
    module = cuda_tile.load(text.encode())
    results = [np.zeros(COUNT, ARRAY_TYPES[s.result or element]) for s in statements]
    args: list[Any] = [*(a.copy() for a in operands), *results]
    how: dict[str, Any] = {"on": "interp", "mode": mode}
    if mode == "emulator":
        how = {"on": mode}
    cuda_tile.run(module, grid=(1,), args=args, **how)
    return results


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_shifts_by_the_width_and_more(element: str) -> None:
    """As PTX's: everything is shifted out."""
    rng = np.random.default_rng(0)
    bits = 8 * DTYPES[element].itemsize
    x = rng.integers(-128, 128, COUNT).astype(DTYPES[element])
    y = rng.integers(0, 128, COUNT).astype(DTYPES[element])
    y[:8] = [bits - 1, bits, bits + 1, -1, -2, 0, 1, 2 * bits - 1]
    names = ("shli %a, %b", "shri %a, %b signed", "shri %a, %b unsigned")
    statements = [Statement(name) for name in names]
    expected = run(element, statements, [x, y], "permissive")
    got = run(element, statements, [x, y], "emulator")
    for wanted, found in zip(expected, got, strict=True):
        np.testing.assert_array_equal(wanted, found)


@pytest.mark.parametrize("element", ["i1", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("op", ["divi", "remi"])
def test_a_zero_divisor(element: str, op: str) -> None:
    """The comparison with zero keeps its result, and so do other quotients."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, COUNT).astype(ARRAY_TYPES[element])
    y = rng.integers(0, 2, COUNT).astype(ARRAY_TYPES[element])
    number = "false" if element == "i1" else "0"
    zero = f"%zero = constant <{element}: {number}> : {{T}}"
    statements = [
        Statement(f"{op} %a, %b unsigned"),
        Statement("cmpi not_equal %b, %zero, signed", "i1", "{T} -> {i1}"),
    ]
    expected, _ = run(element, statements, [x, y], "permissive", (zero,))
    quotient, is_divisor = run(element, statements, [x, y], "emulator", (zero,))
    np.testing.assert_array_equal(is_divisor, y != 0)
    np.testing.assert_array_equal(expected[is_divisor], quotient[is_divisor])
