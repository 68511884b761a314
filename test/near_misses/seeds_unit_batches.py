# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of batches of one matrix, which are products of matrices."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

LEFT = "tensor_view<2x16x64xi8, strides=[1024, 64, 1]>"
LEFTS = f"partition_view<tile=(1x16x32), padding_value = zero, {LEFT}>"
RIGHT = "tensor_view<2x64x16xi8, strides=[1024, 16, 1]>"
RIGHTS = f"partition_view<tile=(1x32x16), padding_value = zero, {RIGHT}>"
RESULT = "tensor_view<2x16x16xi32, strides=[256, 16, 1]>"
RESULTS = f"partition_view<tile=(1x16x16), {RESULT}>"
A, B, SUM = "tile<1x16x32xi8>", "tile<1x32x16xi8>", "tile<1x16x16xi32>"
PROGRAM = f"""\
// differential: seed=21 grid=1 warps=1
// differential: array 0 i8 size=2048 start=0 shape=2048 strides=1
// differential: array 1 i8 size=2048 start=0 shape=2048 strides=1
// differential: array 2 i32 size=512 start=0 shape=512 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %begin = constant <i32: 5> : {SUM}
    %at = make_tensor_view %a, shape = [2, 16, 64], strides = [1024, 64, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %b, shape = [2, 64, 16], strides = [1024, 16, 1] : {RIGHT}
    %bv = make_partition_view %bt : {RIGHTS}
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %begin) -> ({SUM}) {{
      %x, %gotx = load_view_tko weak %av[%zero, %zero, %k] : {LEFTS}, tile<i32> -> {A}, token
      %y, %goty = load_view_tko weak %bv[%zero, %k, %zero] : {RIGHTS}, tile<i32> -> {B}, token
      %next = mmai %x, %y, %acc signed unsigned : {A}, {B}, {SUM}
      continue %next : {SUM}
    }}
    %ct = make_tensor_view %c, shape = [2, 16, 16], strides = [256, 16, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero, %zero] : {SUM}, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def has_matrices(before: str, after: str) -> bool:
    """Whether matrices are multiplied."""
    del before
    return re.search(r"mmai .* : tile<\d+x\d+xi8>", after) is not None


MISSES = (Miss("two_matrices", 1, (("tile=(1x", "tile=(2x"), ("tile<1x", "tile<2x"))),)
SEEDS = (
    Seed(
        *("unit_batches", "carried", PROGRAM, "unit_batches", has_matrices),
        *(("sm_80", "sm_90"), MISSES),
    ),
)
