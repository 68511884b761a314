# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of shifted indices, whose starts wrap around."""

from __future__ import annotations

from near_miss import Miss, Seed

INDICES, BYTES, FLAGS = (f"tile<256x{each}>" for each in ("i32", "i8", "i1"))
ARRAY = "tensor_view<256xi8, strides=[1]>"
PART = f"partition_view<tile=(256), {ARRAY}>"
END = "%end_ = assume bounded<0, ?>, %n : tile<i32>"
SHIFT = "%shift = constant <i32: 3>"
COMPARED = f"%ok = cmpi less_than %x, %end, unsigned : {INDICES} -> {FLAGS}"
DIFFERENCE = f"""\
// differential: seed=4 grid=1 warps=1
// differential: array 0 i8 size=256 start=0 shape=256 strides=1 whole=1
// differential: scalar i32 0x28
// differential: scalar i32 0xffffff00
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i8>>, %n: tile<i32>, %s: tile<i32>) {{
    {END}
    %start_ = assume div_by<256>, %s : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    {SHIFT} : {INDICES}
    %n1 = reshape %end_ : tile<i32> -> tile<1xi32>
    %end = broadcast %n1 : tile<1xi32> -> {INDICES}
    %s1 = reshape %start_ : tile<i32> -> tile<1xi32>
    %start = broadcast %s1 : tile<1xi32> -> {INDICES}
    %lane = iota : {INDICES}
    %i = addi %start, %lane : {INDICES}
    %x = addi %shift, %i : {INDICES}
    {COMPARED}
    %bytes = exti %ok unsigned : {FLAGS} -> {BYTES}
    %t = make_tensor_view %p, shape = [256], strides = [1] : {ARRAY}
    %v = make_partition_view %t : {PART}
    %done = store_view_tko weak %bytes, %v[%zero] : {BYTES}, {PART}, tile<i32> -> token
    return
  }}
}}
"""
"""Which of -253, -252 and so on are below 40: from 0 on, the last three."""
IN_64 = (
    (": tile<i32>\n", ": tile<i64>\n"),
    ("%n: tile<i32>, %s: tile<i32>", "%n: tile<i64>, %s: tile<i64>"),
    ("scalar i32 0x28", "scalar i64 0x28"),
    ("scalar i32 0xffffff00", "scalar i64 0xffffffffffffff00"),
    ("tile<256xi32>", "tile<256xi64>"),
    ("tile<1xi32>", "tile<1xi64>"),
    ("reshape %end_ : tile<i32>", "reshape %end_ : tile<i64>"),
    ("reshape %start_ : tile<i32>", "reshape %start_ : tile<i64>"),
    ("%zero = constant <i32: 0> : tile<i64>", "%zero = constant <i32: 0> : tile<i32>"),
    (SHIFT, "%shift = constant <i64: 3>"),
)


def has_difference(before: str, after: str) -> bool:
    """Whether something is left between an index of at most 2^31 - 1 and an end."""
    del before
    return "llvm.intr.umin" in after and "2147483647 : i32" in after


ROWS, WIDE, LONG = (f"tile<64x32x{each}>" for each in ("i32", "i64", "i1"))
SHORT = "tile<64x1xi32>"
TABLE = "tensor_view<64x32xi8, strides=[32,1]>"
TILE = f"partition_view<tile=(64x32), {TABLE}>"
EVEN = "%end_ = assume div_by<64>, %n : tile<i32>"
SHIFTED = f"%x1 = addi %i, %one : {SHORT}\n    %x2 = exti %x1 signed : {SHORT} -> tile<64x1xi64>"
GROUPS = f"""\
// differential: seed=4 grid=1 warps=1
// differential: array 0 i8 size=2048 start=0 shape=64x32 strides=32,1 whole=1
// differential: scalar i32 0x80
// differential: scalar i32 0x7fffffc0
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i8>>, %n: tile<i32>, %s: tile<i32>) {{
    {EVEN}
    %start_ = assume div_by<64>, %s : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : {SHORT}
    %one_ = constant <i64: 1> : tile<64x1xi64>
    %long = exti %end_ signed : tile<i32> -> tile<i64>
    %n1 = reshape %long : tile<i64> -> tile<1x1xi64>
    %end = broadcast %n1 : tile<1x1xi64> -> {WIDE}
    %s1 = reshape %start_ : tile<i32> -> tile<1x1xi32>
    %start = broadcast %s1 : tile<1x1xi32> -> {SHORT}
    %lane_ = iota : tile<64xi32>
    %lane = reshape %lane_ : tile<64xi32> -> {SHORT}
    %i = addi %start, %lane : {SHORT}
    {SHIFTED}
    %x = broadcast %x2 : tile<64x1xi64> -> {WIDE}
    %ok = cmpi less_than %x, %end, signed : {WIDE} -> {LONG}
    %bytes = exti %ok unsigned : {LONG} -> tile<64x32xi8>
    %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : {TABLE}
    %v = make_partition_view %t : {TILE}
    %done = store_view_tko weak %bytes, %v[%zero, %zero] : tile<64x32xi8>, {TILE}, tile<i32> -> token
    return
  }}
}}
"""
"""Which rows of 2^31 - 63, 2^31 - 62 and so on are below 128: the last, which wraps."""


def are_shared(before: str, after: str) -> bool:
    """Whether two comparisons serve the four rows of a thread."""
    del before
    return after.count('llvm.icmp "slt"') == 2


SHIFTED_TWICE = (
    f"%x1 = addi %i, %one : {SHORT}\n"
    f"    %x3 = exti %x1 signed : {SHORT} -> tile<64x1xi64>\n"
    "    %x2 = addi %x3, %one_ : tile<64x1xi64>"
)
SEEDS = (
    Seed(
        *("counted_masks", "difference", DIFFERENCE, "emit", has_difference),
        ("sm_80", "sm_90"),
        (
            Miss("wide", 1, IN_64),
            Miss("signed", 2, ((COMPARED, COMPARED.replace("unsigned", "signed")),)),
            Miss("before", 3, ((SHIFT, "%shift = constant <i32: -200>"),)),
            Miss("behind", 3, ((SHIFT, "%shift = constant <i32: 200>"),)),
            Miss("negative", 5, ((END, "%end_ = assume div_by<1>, %n : tile<i32>"),)),
        ),
    ),
    Seed(
        *("counted_masks", "groups", GROUPS, "emit", are_shared),
        ("sm_80", "sm_90"),
        (
            Miss("extended", 4, ((SHIFTED, SHIFTED_TWICE),)),
            Miss("odd", 5, ((EVEN, EVEN.replace("64", "1")),)),
        ),
    ),
)
