# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics whose elements meet in one place, and others that must be made one by one."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

PROGRAM = """\
// differential: seed=7 grid=2 warps=2
// differential: array 0 i32 size=128 start=0 shape=128 strides=1 whole=1
// differential: array 1 i32 size=512 start=0 shape=8x64 strides=64,1 whole=1
// differential: array 2 i32 size=1024 start=0 shape=16x64 strides=64,1
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %a: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = make_tensor_view %a, shape = [8, 64], strides = [64, 1]
      : tensor_view<8x64xi32, strides=[64,1]>
    %av = make_partition_view %at : partition_view<tile=(8x64), tensor_view<8x64xi32, strides=[64,1]>>
    %v, %k = load_view_tko weak %av[%zero, %zero]
      : partition_view<tile=(8x64), tensor_view<8x64xi32, strides=[64,1]>>, tile<i32> -> tile<8x64xi32>, token
    %i = iota : tile<8xi32>
    %i1 = reshape %i : tile<8xi32> -> tile<8x1xi32>
    %is = broadcast %i1 : tile<8x1xi32> -> tile<8x64xi32>
    %j = iota : tile<64xi32>
    %j1 = reshape %j : tile<64xi32> -> tile<1x64xi32>
    %js = broadcast %j1 : tile<1x64xi32> -> tile<8x64xi32>
    %c7 = constant <i32: 7> : tile<8x64xi32>
    %places = muli %is, %c7 : tile<8x64xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %ps = broadcast %p1 : tile<1x1xptr<i32>> -> tile<8x64xptr<i32>>
    %q = offset %ps, %places : tile<8x64xptr<i32>>, tile<8x64xi32> -> tile<8x64xptr<i32>>
    %mask = cmpi greater_than %v, %c7, signed : tile<8x64xi32> -> tile<8x64xi1>
    %rows = cmpi greater_than %is, %c7, signed : tile<8x64xi32> -> tile<8x64xi1>
    %old, %t = atomic_rmw_tko relaxed device %q, add, %v : tile<8x64xptr<i32>>, tile<8x64xi32> -> tile<8x64xi32>, token
    return
  }
}
"""
UPDATE = (
    "%old, %t = atomic_rmw_tko relaxed device %q, add, %v : tile<8x64xptr<i32>>, "
    "tile<8x64xi32>"
)
COMMON = "%old, %t = atomic_rmw_tko relaxed device %q, add, %v"


STORED = """token
    %least = constant <i32: -2147483648> : tile<8x64xi32>
    %low = mini %old, %least signed : tile<8x64xi32>
    %ot = make_tensor_view %o, shape = [16, 64], strides = [64, 1]
      : tensor_view<16x64xi32, strides=[64,1]>
    %ov = make_partition_view %ot : partition_view<tile=(8x64), tensor_view<16x64xi32, strides=[64,1]>>
    %u = store_view_tko weak %low, %ov[%x, %zero] : tile<8x64xi32>, partition_view<tile=(8x64), tensor_view<16x64xi32, strides=[64,1]>>, tile<i32> -> token
    return"""
USED = (("token\n    return", STORED),)
"""A store of what the old numbers make, which is the same in every order."""
FLOATS = (
    ("array 0 i32", "array 0 f32"),
    ("%p: tile<ptr<i32>>", "%p: tile<ptr<f32>>"),
    ("reshape %p : tile<ptr<i32>>", "reshape %p : tile<ptr<f32>>"),
    ("xptr<i32>", "xptr<f32>"),
    (
        "%mask =",
        "%w = itof %v signed : tile<8x64xi32> -> tile<8x64xf32>\n    %mask =",
    ),
    (
        "add, %v : tile<8x64xptr<f32>>, tile<8x64xi32> -> tile<8x64xi32>",
        "addf, %w : tile<8x64xptr<f32>>, tile<8x64xf32> -> tile<8x64xf32>",
    ),
)


def fewer(before: str, after: str) -> bool:
    """Whether the atomic updates a tile of fewer elements than it did."""
    kind = re.compile(r"atomic_rmw_tko .* -> tile<(\w+x)i\d+>")
    return kind.findall(before) != kind.findall(after)


def masked(name: str) -> tuple[tuple[str, str], ...]:
    """Edits that give the atomic a mask."""
    old = UPDATE.replace(" : ", f", %{name} : ").replace("tile<8x64xi32>", "")
    return ((UPDATE, f"{old}tile<8x64xi32>, tile<8x64xi1>"),)


SEEDS = (
    Seed(
        "combine_atomics",
        "rows",
        PROGRAM,
        "combine_atomics",
        fewer,
        ("sm_90",),
        (
            Miss("floats", 1, FLOATS),
            Miss("exchange", 2, (("add, %v", "xchg, %c7"),)),
            Miss("used", 3, USED),
            Miss("masked", 4, masked("mask"), fires=True),
            Miss(
                "masked_least",
                4,
                (*masked("mask"), ("device %q, add", "device %q, max")),
                fires=True,
            ),
            Miss("masked_groups", 4, masked("rows"), fires=True),
            Miss("release", 5, (("relaxed device %q", "release device %q"),)),
            Miss("acquire", 5, (("relaxed device %q", "acquire device %q"),)),
            Miss("both_orders", 5, (("relaxed device %q", "acq_rel device %q"),)),
            Miss("columns", 6, (("muli %is, %c7", "andi %js, %c7"),), fires=True),
            Miss("no_groups", 6, (("muli %is, %c7", "addi %is, %js"),)),
            Miss("many_places", 7, (("muli %is, %c7", "xori %is, %js"),)),
            Miss("loaded_places", 7, (("muli %is, %c7", "andi %v, %c7"),)),
        ),
    ),
)
