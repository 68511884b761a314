# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of pairs, of which one instruction moves several."""

from __future__ import annotations

from near_miss import Miss, Seed

SHAPE, STRIDES = "shape = [16, 64, 2]", "strides = [128, 2, 1]"
TENSOR = "tensor_view<16x64x2xf16, strides=[128, 2, 1]>"
VIEW = f"partition_view<tile=(16x64x2), padding_value = zero, {TENSOR}>"
RESULT = "tensor_view<16x64x2xf32, strides=[1, 16, 1024]>"
RESULTS = f"partition_view<tile=(16x64x2), {RESULT}>"
TILE = "tile<16x64x2xf16>"
WIDE = "tile<16x64x2xf32>"
PROGRAM = f"""\
// differential: seed=5 grid=1 warps=4
// differential: array 0 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 f32 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: scalar i32 0x0
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %i: tile<i32>, %s: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %pairs = constant <i32: 0> : tile<i32>
    %aa = assume div_by<16>, %a : tile<ptr<f16>>
    %at = make_tensor_view %aa, {SHAPE}, {STRIDES} : {TENSOR}
    %av = make_partition_view %at : {VIEW}
    %ct = make_tensor_view %c, shape = [16, 64, 2], strides = [1, 16, 1024] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %x, %got = load_view_tko weak %av[%zero, %zero, %pairs] : {VIEW}, tile<i32> -> {TILE}, token
    %y = ftof %x : {TILE} -> {WIDE}
    %done = store_view_tko weak %y, %cv[%zero, %zero, %zero] : {WIDE}, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_together(before: str, after: str) -> bool:
    """Whether a thread has eight elements of four pairs in a row."""
    del before
    return "((1@2, 1@1, 2@1" in after


def strides(text: str) -> tuple[tuple[str, str], ...]:
    """Edits that give the array other strides."""
    return ("strides=[128, 2, 1]", f"strides=[{text}]"), (
        STRIDES,
        f"strides = [{text}]",
    )


def shape(text: str) -> tuple[tuple[str, str], ...]:
    """Edits that give the array other extents."""
    extents = ", ".join(text.split("x"))
    made = f"%aa, {SHAPE}", f"%aa, shape = [{extents}]"
    return made, (TENSOR, TENSOR.replace("16x64x2", text))


MADE = f"make_tensor_view %aa, {SHAPE}, {STRIDES} : "
UNKNOWN_STRIDE = (
    (MADE, MADE.replace(" 2, 1]", " %s, 1]") + "tile<i32> -> "),
    ("strides=[128, 2, 1]", "strides=[128, ?, 1]"),
)
STRIDED = VIEW.replace("partition_view<", "strided_view<").replace(
    "tile=(16x64x2)", "tile=(16x64x2), traversal_strides=[16, 1, 2]"
)
MISSES = (
    Miss("moved_pairs", 1, (("%av[%zero, %zero, %pairs]", "%av[%zero, %zero, %i]"),)),
    Miss("cut_pairs", 2, shape("16x64x1")),
    Miss("cut_rows", 3, shape("16x63x2")),
    Miss(
        "odd_rows",
        3,
        (
            (VIEW, STRIDED),
            ("make_partition_view %at", "make_strided_view %at"),
            ("%av[%zero, %zero, %pairs]", "%av[%zero, %i, %pairs]"),
        ),
    ),
    Miss("gap", 4, strides("256, 4, 1")),
    Miss("unknown_stride", 4, UNKNOWN_STRIDE),
    Miss("odd_base", 5, (("div_by<16>", "div_by<4>"),)),
    Miss("odd_stride", 5, strides("130, 2, 1")),
)
SEEDS = (
    Seed(
        *("contiguous_rows", "pairs", PROGRAM, "place", is_together),
        *(("sm_80", "sm_90", "sm_120"), MISSES),
    ),
)
