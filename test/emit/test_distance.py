# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks from places: comparisons by one difference, also where numbers nearly wrap."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from emit_agree import agree
from numpy.typing import NDArray

import cuda_tile

ROWS, COLUMNS = 16, 64
PREDICATES = (
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
    "equal",
    "not_equal",
)


def text(predicate: str, bits: int, unit: int, op: str = "addi") -> str:
    """`a * unit + row` compared with `b * unit op column`, as bytes to an array.

    Each tile block has its own a and b, of arrays.
    """
    kind = f"i{bits}"
    tile = f"tile<{ROWS}x{COLUMNS}x"
    tensor = f"tensor_view<?x{COLUMNS}xi8, strides=[{COLUMNS},1]>"
    part = f"partition_view<tile=({ROWS}x{COLUMNS}), {tensor}>"
    number = f"load_ptr_tko weak %{{0}}i : tile<ptr<{kind}>> -> tile<{kind}>, token"
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i8>>, %as: tile<ptr<{kind}>>, %bs: tile<ptr<{kind}>>) {{
    %i, %iy, %iz = get_tile_block_id : tile<i32>
    %asi = offset %as, %i : tile<ptr<{kind}>>, tile<i32> -> tile<ptr<{kind}>>
    %bsi = offset %bs, %i : tile<ptr<{kind}>>, tile<i32> -> tile<ptr<{kind}>>
    %a, %ta = {number.format("as")}
    %b, %tb = {number.format("bs")}
    %unit = constant <{kind}: {unit}> : tile<{kind}>
    %x0 = muli %a, %unit : tile<{kind}>
    %x1 = reshape %x0 : tile<{kind}> -> tile<1x1x{kind}>
    %x2 = broadcast %x1 : tile<1x1x{kind}> -> tile<{ROWS}x1x{kind}>
    %r0 = iota : tile<{ROWS}x{kind}>
    %r1 = reshape %r0 : tile<{ROWS}x{kind}> -> tile<{ROWS}x1x{kind}>
    %x3 = addi %x2, %r1 : tile<{ROWS}x1x{kind}>
    %x = broadcast %x3 : tile<{ROWS}x1x{kind}> -> {tile}{kind}>
    %y0 = muli %b, %unit : tile<{kind}>
    %y1 = reshape %y0 : tile<{kind}> -> tile<1x1x{kind}>
    %y2 = broadcast %y1 : tile<1x1x{kind}> -> tile<1x{COLUMNS}x{kind}>
    %c0 = iota : tile<{COLUMNS}x{kind}>
    %c1 = reshape %c0 : tile<{COLUMNS}x{kind}> -> tile<1x{COLUMNS}x{kind}>
    %y3 = {op} %y2, %c1 : tile<1x{COLUMNS}x{kind}>
    %y = broadcast %y3 : tile<1x{COLUMNS}x{kind}> -> {tile}{kind}>
    %is = cmpi {predicate} %x, %y, signed : {tile}{kind}> -> {tile}i1>
    %bytes = exti %is unsigned : {tile}i1> -> {tile}i8>
    %n, %ny, %nz = get_num_tile_blocks : tile<i32>
    %height = constant <i32: {ROWS}> : tile<i32>
    %rows = muli %n, %height : tile<i32>
    %t = make_tensor_view %p, shape = [%rows, {COLUMNS}], strides = [{COLUMNS}, 1]
      : tile<i32> -> {tensor}
    %v = make_partition_view %t : {part}
    %z = constant <i32: 0> : tile<i32>
    %done = store_view_tko weak %bytes, %v[%i, %z] : {tile}i8>, {part}, tile<i32>
      -> token
    return
  }}
}}"""


def numbers(bits: int, unit: int) -> list[int]:
    """Where sums of a multiple of `unit` lie at the ends of what the type holds."""
    most = (1 << bits - 1) // unit
    return [-most, -1, 0, most - 1]


def masks(program: str, bits: int, ends: list[int]) -> NDArray[np.int8]:
    """What all judges agree on for each pair of numbers of a list."""
    pairs = np.array(list(product(ends, ends)), f"i{bits // 8}")
    out = np.zeros((len(pairs) * ROWS, COLUMNS), np.int8)
    arguments = [out, pairs[:, 0].copy(), pairs[:, 1].copy()]
    got = agree(program, arguments, num_warps=1, seeds=(0,), grid=(len(pairs),))
    return got[0].reshape(len(ends), len(ends), ROWS, COLUMNS)


@pytest.mark.parametrize(
    ("predicate", "bits"),
    [*((name, 32) for name in PREDICATES), *(("less_than", n) for n in (8, 16, 64))],
)
def test_masks_at_the_ends_of_the_range(predicate: str, bits: int) -> None:
    """Multiples of 64 and places below 64, where the difference itself overflows."""
    ends = numbers(bits, 64)
    got = masks(text(predicate, bits, 64), bits, ends)
    firsts = np.array(ends, object) * 64
    rows = firsts[:, None, None, None] + np.arange(ROWS, dtype=object)[:, None]
    columns = firsts[:, None, None] + np.arange(COLUMNS, dtype=object)
    compare = getattr(np, predicate.replace("_than", "").replace("_or", ""))
    np.testing.assert_array_equal(got, compare(rows, columns).astype(np.int8))


@pytest.mark.parametrize(("unit", "op"), [(3, "addi"), (64, "subi")])
def test_sums_that_may_wrap_are_compared_as_they_are(unit: int, op: str) -> None:
    """Of multiples of 3, and of differences, nothing shows that they do not wrap."""
    ends = [-(1 << 31) // unit, (1 << 31) // unit - 1, 0]
    masks(text("less_than", 32, unit, op), 32, ends)


def test_limits_are_immediates() -> None:
    module = cuda_tile.load(text("less_than", 32, 64).encode())
    options = cuda_tile.Options(num_warps=1)
    ptx = cuda_tile.compile(module, "sm_90", cubin=False, options=options).ptx
    elements = ROWS * COLUMNS // 32
    limits = re.findall(r"setp\.\w+\.s32\s+%p\d+, %r\d+, (-?\d+);", ptx)
    assert len(limits) >= elements
