# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Neighbours of indices, loaded where a mask says that they lie inside."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

I32, I64, I1 = (f"tile<128x{each}>" for each in ("i32", "i64", "i1"))
POINTERS, FLOATS = "tile<128xptr<f32>>", "tile<128xf32>"
ASSUMED = "%m = assume bounded<0, ?>, %n : tile<i32>"
MASK = f"%ok = cmpi less_than %wide, %end, unsigned : {I64} -> {I1}"
WIDE = f"%wide = exti %w signed : {I32} -> {I64}"
SUM = f"%w = addi %i, %one : {I32}"
LOAD = (
    "%v, %t = load_ptr_tko weak %from, %ok, %none : "
    f"{POINTERS}, {I1}, {FLOATS} -> {FLOATS}, token"
)
PROGRAM = f"""\
// differential: seed=4 grid=1 warps=2
// differential: array 0 f32 size=256 start=0 shape=256 strides=1
// differential: array 1 f32 size=128 start=0 shape=128 strides=1 whole=1
// differential: scalar i32 0x28
// differential: scalar i32 0xffffffc0
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {{
    %none = constant <f32: 0.0> : {FLOATS}
    %one = constant <i32: 1> : {I32}
    {ASSUMED}
    %l = exti %m signed : tile<i32> -> tile<i64>
    %l1 = reshape %l : tile<i64> -> tile<1xi64>
    %end = broadcast %l1 : tile<1xi64> -> {I64}
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %start = broadcast %s1 : tile<1xi32> -> {I32}
    %lane = iota : {I32}
    %i = addi %start, %lane : {I32}
    {SUM}
    {WIDE}
    {MASK}
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> {POINTERS}
    %from = offset %xs, %wide : {POINTERS}, {I64} -> {POINTERS}
    {LOAD}
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> {POINTERS}
    %to = offset %ys, %lane : {POINTERS}, {I32} -> {POINTERS}
    %done = store_ptr_tko weak %to, %v : {POINTERS}, {FLOATS} -> token
    return
  }}
}}
"""
"""The elements behind -64, -63 and so on, as far as they are in an array of 40."""


def has_wide_sum(before: str, after: str) -> bool:
    """Whether indices are added in 64 bits."""
    del before
    return re.search(r"(add|sub)i .*tile<(\d+x)+i64>", after) is not None


INSIDE = ("0xffffffc0", "0x5")
SIGNED = MASK.replace("unsigned", "signed")
EITHER = (
    f"%a = cmpi less_than %wide, %end, unsigned : {I64} -> {I1}\n"
    f"    %b = cmpi equal %i, %lane, signed : {I32} -> {I1}\n"
    f"    %ok = ori %a, %b : {I1}"
)
OTHER = (
    f"%two = constant <i32: 2> : {I32}\n"
    f"    %u = addi %i, %two : {I32}\n"
    f"    %far = exti %u signed : {I32} -> {I64}\n"
    f"    %ok = cmpi less_than %far, %end, unsigned : {I64} -> {I1}"
)
TWO_BELOW = (
    ("%one = constant <i32: 1>", "%one = constant <i32: 2>"),
    (SUM, SUM.replace("addi", "subi")),
)
MISSES = (
    Miss("unsigned", 1, ((WIDE, WIDE.replace("signed", "unsigned")),)),
    Miss("negative", 2, (INSIDE, (MASK, SIGNED))),
    Miss("other_sign", 2, (INSIDE, (MASK, MASK.replace("less", "greater")))),
    Miss("any_extent", 3, ((ASSUMED, "%m = addi %n, %n : tile<i32>"),)),
    Miss("far_below", 4, TWO_BELOW),
    Miss("other_sum", 5, ((INSIDE), (MASK, OTHER))),
    Miss(
        "no_mask",
        6,
        (
            INSIDE,
            (LOAD, LOAD.replace(", %ok, %none", "").replace(f", {I1}, {FLOATS}", "")),
        ),
    ),
    Miss("either_mask", 6, (INSIDE, (MASK, EITHER))),
)

# Rows of a matrix, by signed comparisons with two ends.

ROWS, TILE = "tile<16x1xi32>", "tile<16x16x"
DOWN = "%down = reshape %w : tile<16xi32> -> tile<16x1xi32>"
MATRIX = f"""\
// differential: seed=5 grid=1 warps=2
// differential: array 0 f32 size=256 start=0 shape=256 strides=1
// differential: array 1 f32 size=256 start=0 shape=256 strides=1 whole=1
// differential: scalar i32 0xc
// differential: scalar i32 0xfffffffe
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {{
    %none = constant <f32: 0.0> : {TILE}f32>
    %one = constant <i32: 1> : tile<16xi32>
    %zero = constant <i32: 0> : {ROWS}
    %pitch = constant <i64: 16> : {TILE}i64>
    %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
    %end = broadcast %n1 : tile<1x1xi32> -> {ROWS}
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %start = broadcast %s1 : tile<1xi32> -> tile<16xi32>
    %lane = iota : tile<16xi32>
    %i = addi %start, %lane : tile<16xi32>
    %w = subi %i, %one : tile<16xi32>
    {DOWN}
    %row = reshape %w : tile<16xi32> -> {ROWS}
    %above = cmpi greater_than_or_equal %down, %zero, signed : {ROWS} -> tile<16x1xi1>
    %below = cmpi less_than %down, %end, signed : {ROWS} -> tile<16x1xi1>
    %both = andi %above, %below : tile<16x1xi1>
    %ok = broadcast %both : tile<16x1xi1> -> {TILE}i1>
    %wide = exti %row signed : {ROWS} -> tile<16x1xi64>
    %rows = broadcast %wide : tile<16x1xi64> -> {TILE}i64>
    %first = muli %rows, %pitch : {TILE}i64>
    %across = reshape %lane : tile<16xi32> -> tile<1x16xi32>
    %c = exti %across signed : tile<1x16xi32> -> tile<1x16xi64>
    %columns = broadcast %c : tile<1x16xi64> -> {TILE}i64>
    %at = addi %first, %columns : {TILE}i64>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %xs = broadcast %x1 : tile<1x1xptr<f32>> -> {TILE}ptr<f32>>
    %from = offset %xs, %at : {TILE}ptr<f32>>, {TILE}i64> -> {TILE}ptr<f32>>
    %v, %t = load_ptr_tko weak %from, %ok, %none : {TILE}ptr<f32>>, {TILE}i1>, {TILE}f32> -> {TILE}f32>, token
    %flat = iota : tile<256xi32>
    %grid = reshape %flat : tile<256xi32> -> {TILE}i32>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %ys = broadcast %y1 : tile<1x1xptr<f32>> -> {TILE}ptr<f32>>
    %to = offset %ys, %grid : {TILE}ptr<f32>>, {TILE}i32> -> {TILE}ptr<f32>>
    %done = store_ptr_tko weak %to, %v : {TILE}ptr<f32>>, {TILE}f32> -> token
    return
  }}
}}
"""


def has_wide_rows(before: str, after: str) -> bool:
    """Whether rows are counted in 64 bits, which no other sum of the program has."""
    del before
    return (
        re.search(r"subi .*tile<16(x1)?xi64>|addi .*tile<16(x1)?xi64>", after)
        is not None
    )


ACROSS = (
    (
        "%down = reshape %w : tile<16xi32> -> tile<16x1xi32>",
        "%down = reshape %w : tile<16xi32> -> tile<1x16xi32>",
    ),
    (
        "%zero = constant <i32: 0> : tile<16x1xi32>",
        "%zero = constant <i32: 0> : tile<1x16xi32>",
    ),
    (
        "%end = broadcast %n1 : tile<1x1xi32> -> tile<16x1xi32>",
        "%end = broadcast %n1 : tile<1x1xi32> -> tile<1x16xi32>",
    ),
    (
        "%down, %zero, signed : tile<16x1xi32> -> tile<16x1xi1>",
        "%down, %zero, signed : tile<1x16xi32> -> tile<1x16xi1>",
    ),
    (
        "%down, %end, signed : tile<16x1xi32> -> tile<16x1xi1>",
        "%down, %end, signed : tile<1x16xi32> -> tile<1x16xi1>",
    ),
    (
        "%both = andi %above, %below : tile<16x1xi1>",
        "%both = andi %above, %below : tile<1x16xi1>",
    ),
    ("broadcast %both : tile<16x1xi1>", "broadcast %both : tile<1x16xi1>"),
    ("0xfffffffe", "0x1"),
)
SEEDS = (
    Seed(
        *("unwrap_indices", "neighbours", PROGRAM, "unwrap_indices", has_wide_sum),
        *(("sm_80", "sm_100"), MISSES),
    ),
    Seed(
        *("unwrap_indices", "rows", MATRIX, "unwrap_indices", has_wide_rows),
        *(("sm_90", "sm_120"), (Miss("transposed", 5, ACROSS),)),
    ),
)
