# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tiles surely begin inside: indices that show it, and near misses."""

from __future__ import annotations

import numpy as np
import pytest
from index_kernel import LINE, end_of, kernel, resized
from index_programs import IndexKernel
from index_rows import CONDITIONS, EXTENTS, LOOPS, SCALARS, TEST

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.index_space import mark_inside
from cuda_tile.analysis.tiling import promised_inside
from cuda_tile.ir.walk import entries, nested_ops

RANDOM = 1000
"""Random kernels, in four parts."""


def is_promised(text: str) -> bool:
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    found: list[bool] = []
    with module.context, ir.Location.unknown():
        facts = FactsOnDemand(entry)
        for op in nested_ops(entry):
            mark_inside(op, facts)
            if op.name == "cuda_tile.store_view_tko":
                found += promised_inside(op, 1)
    return found == [True]


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    before, at, expected = LOOPS[name]
    assert is_promised(kernel("", at, LINE, before, end_of(before))) == expected


@pytest.mark.parametrize("name", EXTENTS)
def test_extents(name: str) -> None:
    extent, before, at, expected = EXTENTS[name]
    before = f"%c3 = constant <i32: 3> : tile<i32>\n{before}"
    text = kernel("", at, LINE, before, end_of(before), extent)
    assert is_promised(text) == expected


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_tiles_of_one_element(sign: str) -> None:
    """2^31 + 64 elements have tiles whose numbers are negative in 32 bits."""
    guard = TEST.format("%y", "%e").replace(" signed", " unsigned")
    guard += resized("exti", "%y", "i32 i64", sign)
    text = kernel(guard, "%r i64", LINE, after="}")
    text = text.replace("tile=(64)", "tile=(1)").replace("tile<64xf32>", "tile<1xf32>")
    assert is_promised(text) == (sign == "unsigned")


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name: str) -> None:
    index, at, tensor, expected = SCALARS[name]
    assert is_promised(kernel(index, at, tensor)) == expected


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions(name: str) -> None:
    test, at, expected = CONDITIONS[name]
    assert is_promised(kernel(test, at, LINE, after="}")) == expected


@pytest.mark.parametrize("first", range(0, RANDOM, RANDOM // 4))
def test_random_indices(first: int) -> None:
    """Where the first tile that begins outside is known, nothing is promised."""
    promised = 0
    for seed in range(first, first + RANDOM // 4):
        made = IndexKernel(seed)
        if is_promised(made.text):
            promised += 1
            outside = [n for n in made.arguments(40) if made.is_outside(n)]
            assert not outside, made.text
    assert promised > RANDOM // 4 // 20


def test_the_other_branch() -> None:
    """Under `else` the condition is false."""
    test = TEST.format("%b", "%tiles")
    assert not is_promised(kernel(f"{test} }} else {{", "%b", LINE, after="}"))


@pytest.mark.parametrize("name", [name for name, row in LOOPS.items() if row[2]])
def test_interpreter_finds_no_broken_promise(name: str) -> None:
    """At level W the promise stands in the text, which the interpreter checks."""
    before, at, _ = LOOPS[name]
    module = cuda_tile.load(kernel("", at, LINE, before, end_of(before)).encode())
    lowered = cuda_tile.lower(module, "sm_80", until="place")
    assert "inbounds = [true]" in str(lowered)
    for size in (0, 64, 192, 256):
        numbers = [np.int32(size), np.int32(7)]
        args = [np.zeros(max(1, size), np.float32), *numbers]
        cuda_tile.run(lowered, grid=(1,), args=args)
