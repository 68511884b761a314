# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 4 bits as bytes, and tiles that begin or end in the middle of a byte."""

from __future__ import annotations

from near_miss import Miss, Seed

DENSE = """\
// differential: seed=7 grid=2 warps=1
// differential: array 0 i8 size=256 start=0 shape=16x16 strides=16,1
// differential: array 1 i8 size=256 start=0 shape=16x16 strides=16,1
// differential: scalar i32 0x10
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f4E2M1FN>>, %o: tile<ptr<f4E2M1FN>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %b, %y, %z = get_tile_block_id : tile<i32>
    %even = muli %b, %two : tile<i32>
    %pt = make_tensor_view %p, shape = [%n, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf4E2M1FN, strides=[32,1]>
    %pv = make_strided_view %pt : strided_view<tile=(8x8), traversal_strides=[12,8], padding_value = zero, tensor_view<?x32xf4E2M1FN, strides=[32,1]>>
    %ot = make_tensor_view %o, shape = [%n, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf4E2M1FN, strides=[32,1]>
    %ov = make_strided_view %ot : strided_view<tile=(8x8), traversal_strides=[8,8], tensor_view<?x32xf4E2M1FN, strides=[32,1]>>
    %v, %t0 = load_view_tko weak %pv[%b, %two] : strided_view<tile=(8x8), traversal_strides=[12,8], padding_value = zero, tensor_view<?x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> tile<8x8xf4E2M1FN>, token
    %t1 = store_view_tko weak %v, %ov[%b, %one] : tile<8x8xf4E2M1FN>, strided_view<tile=(8x8), traversal_strides=[8,8], tensor_view<?x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
"""
"""A tile of the first argument, the second one of which goes beyond the end, copied."""
STORE = """\
// differential: seed=9 grid=4 warps=1
// differential: array 0 i8 size=8 start=0 shape=8 strides=1
cuda_tile.module @m {
  entry @k(%o: tile<ptr<f4E2M1FN>>) {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %c = constant <f16: -6.0> : tile<2xf16>
    %v = ftof %c : tile<2xf16> -> tile<2xf4E2M1FN>
    %ot = make_tensor_view %o, shape = [16], strides = [1] : tensor_view<16xf4E2M1FN, strides=[1]>
    %ov = make_strided_view %ot : strided_view<tile=(2), traversal_strides=[3], tensor_view<16xf4E2M1FN, strides=[1]>>
    %t1 = store_view_tko weak %v, %ov[%b] : tile<2xf4E2M1FN>, strided_view<tile=(2), traversal_strides=[3], tensor_view<16xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
}
"""
"""Tiles of two elements, of which every other one begins in the middle of a byte."""
GATHERED = (
    (
        "strided_view<tile=(8x8), traversal_strides=[12,8], padding_value = zero, "
        "tensor_view<?x32xf4E2M1FN, strides=[32,1]>>",
        "gather_scatter_view<tile=(8x8), padding_value = zero, "
        "tensor_view<?x32xf4E2M1FN, strides=[32,1]>, sparse_dim=0>",
    ),
    ("make_strided_view %pt", "make_gather_scatter_view %pt"),
    ("%even =", "%rows = iota : tile<8xi32>\n    %even ="),
    (
        "strides=[32,1]>, sparse_dim=0>, tile<i32>",
        "strides=[32,1]>, sparse_dim=0>, tile<8xi32>, tile<i32>",
    ),
)

SECOND_COLUMN = """\
    %one = constant <i32: 1> : tile<i32>
    %t2 = store_view_tko weak %v, %ov[%y, %one] token = %t1 : tile<2x1xf4E2M1FN>, strided_view<tile=(2x1), traversal_strides=[2,1], tensor_view<8x2xf4E2M1FN, strides=[2,1]>>, tile<i32> -> token
    return"""
TWO_COLUMNS = (
    ("grid=4", "grid=1"),
    ("shape = [16], strides = [1]", "shape = [8, 2], strides = [2, 1]"),
    (
        "tensor_view<16xf4E2M1FN, strides=[1]>",
        "tensor_view<8x2xf4E2M1FN, strides=[2,1]>",
    ),
    ("tile=(2), traversal_strides=[3]", "tile=(2x1), traversal_strides=[2,1]"),
    ("tile<2x", "tile<2x1x"),
    ("[%b]", "[%y, %b]"),
    ("    return", SECOND_COLUMN),
)
"""Two ordered stores of the halves of the same bytes."""


def has_bytes(before: str, after: str) -> bool:
    """Whether all views are of bytes."""
    views = [line for line in after.splitlines() if "_view_tko" in line]
    return "xf4E2M1FN, strides" in before and len(views) == 2


def has_elements(before: str, after: str) -> bool:
    """Whether the elements of a store are stored one by one."""
    return "store_view_tko" in before and "store_view_tko" not in after


SEEDS = (
    Seed(
        "narrow_elements",
        "bytes",
        DENSE,
        "narrow_elements",
        has_bytes,
        ("sm_80", "sm_100"),
        (
            Miss(
                "bytes",
                1,
                (
                    ("array 0 i8", "array 0 f8E4M3FN"),
                    ("array 1 i8", "array 1 f8E4M3FN"),
                    ("f4E2M1FN", "f8E4M3FN"),
                    ("[%n, 32]", "[%n, 16]"),
                    ("?x32x", "?x16x"),
                    ("[32, 1]", "[16, 1]"),
                    ("[32,1]", "[16,1]"),
                    ("[%b, %two]", "[%b, %one]"),
                ),
            ),
            Miss("six", 3, (("padding_value = zero", "padding_value = pos_inf"),)),
            Miss(
                "relaxed",
                2,
                (("store_view_tko weak", "store_view_tko relaxed device"),),
                fires=True,
            ),
            Miss(
                "odd_step",
                5,
                (("traversal_strides=[12,8]", "traversal_strides=[12,7]"),),
            ),
            Miss("odd_gather", 5, (*GATHERED, ("[%b, %two]", "[%rows, %b]"))),
            Miss(
                "even_gather",
                5,
                (*GATHERED, ("[%b, %two]", "[%rows, %even]")),
                fires=True,
            ),
            Miss(
                "one_column",
                6,
                (("tile=(8x8)", "tile=(8x1)"), ("8x8xf4E2M1FN", "8x1xf4E2M1FN")),
            ),
        ),
    ),
    Seed(
        "narrow_elements",
        "halves",
        STORE,
        "narrow_elements",
        has_elements,
        ("sm_80", "sm_100"),
        (
            Miss("halves", 4, TWO_COLUMNS, fires=True),
            Miss(
                "odd_bytes",
                4,
                (
                    ("i8 size=8 start=0 shape=8 ", "i8 size=5 start=0 shape=5 "),
                    ("shape = [16]", "shape = [10]"),
                    ("<16xf4", "<10xf4"),
                ),
                fires=True,
            ),
            Miss(
                "last_half",
                4,
                (
                    ("i8 size=8 start=0 shape=8 ", "i8 size=7 start=0 shape=7 "),
                    ("shape = [16]", "shape = [14]"),
                    ("<16xf4", "<14xf4"),
                    ("grid=4", "grid=5"),
                ),
                fires=True,
            ),
        ),
    ),
)
