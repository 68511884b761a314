# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""remf of operands whose exponents are far apart: exact, in few iterations."""

from typing import Any

import numpy as np
import pytest
from test_e5m3 import pointers

import cuda_tile
from cuda_tile.emit.remainder import ITERATION_BITS

N = 512
FRACTION = {"f16": 10, "f32": 23, "f64": 52}
WARPS = 2
"""Warps that the plan divides N elements among."""


def kernel(element: str) -> str:
    """`r = x remf y` of N numbers."""
    tile, where = f"tile<{N}x{element}>", f"tile<{N}xptr<{element}>>"
    arguments = ", ".join(f"%{name}: tile<ptr<{element}>>" for name in "xyr")
    places = " ".join(pointers(name, element, N) for name in "xyr")
    return f"""
cuda_tile.module @m {{
  entry @k({arguments}) {{
    %i = iota : tile<{N}xi32>
    {places}
    %a, %t = load_ptr_tko weak %xp : {where} -> {tile}, token
    %b, %u = load_ptr_tko weak %yp : {where} -> {tile}, token
    %c = remf %a, %b : {tile}
    %v = store_ptr_tko weak %rp, %c : {where}, {tile} -> token
    return
  }}
}}
"""


def operands(element: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Numbers of all exponents, of special fractions and below the normal ones."""
    word = np.dtype(f"u{int(element[1:]) // 8}")
    bits = FRACTION[element]
    ends = (1 << (8 * word.itemsize - 1 - bits)) - 1
    high = np.concatenate([rng.integers(0, ends + 1, N), [0, 1, ends - 1, ends // 2]])
    random = rng.integers(0, 1 << bits, N)
    edges = [0, 1, 2, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1)]
    low = np.where(rng.random(N) < 0.5, random, rng.choice(edges, N))
    low = np.where(rng.random(N) < 0.2, random >> rng.integers(0, bits, N), low)
    sign = rng.integers(0, 2, N) << np.int64(8 * word.itemsize - 1)
    made = rng.choice(high, N) << bits | low | sign
    return made.view(np.uint64).astype(word).view(f"f{word.itemsize}")


def run(element: str, x: Any, y: Any) -> tuple[Any, Any]:
    """The remainders, and the emulator's report."""
    module, result = cuda_tile.load(kernel(element).encode()), np.zeros_like(x)
    choices: dict[str, Any] = {"on": "emulator", "gpu": "sm_80"}
    report = cuda_tile.run(module, "k", grid=(1,), args=[x, y, result], **choices)
    return result, report


@pytest.mark.parametrize("element", FRACTION)
def test_remainders_of_all_exponents(element: str) -> None:
    """Bit for bit C's fmod; a NaN for infinite dividends and divisors of zero."""
    rng = np.random.default_rng(7)
    x, y = operands(element, rng), operands(element, rng)
    with np.errstate(invalid="ignore"):
        expected = np.fmod(x, y)
    got, _ = run(element, x, y)
    word = f"u{x.itemsize}"
    same = (got.view(word) == expected.view(word)) | (
        np.isnan(got) & np.isnan(expected)
    )
    wrong = [(x[i], y[i], got[i], expected[i]) for i in np.flatnonzero(~same)[:4]]
    assert not wrong


def test_the_largest_by_the_smallest() -> None:
    """Iterations of the loop: the exponents' distance by the bits of an iteration."""
    limits = np.finfo(np.float64)
    x, y = np.full(N, limits.max), np.full(N, limits.smallest_subnormal * 3)
    got, report = run("f64", x, y)
    np.testing.assert_array_equal(got, np.fmod(x, y))
    distance = int(np.frexp(x[0])[1] - np.frexp(y[0])[1])
    loops = [loop.instruction_mix["fma.rn.f64"] for loop in report.loops()]
    assert loops == [2 * WARPS * (distance // ITERATION_BITS)] * (N // WARPS // 32)
