# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with masks that hide nothing in some iterations, and bounds of all kinds."""

from __future__ import annotations

from near_miss import Miss, Seed

PROGRAM = """\
// differential: seed=3 grid=1 warps=4
// differential: array 0 f16 size=256 start=0 shape=16x16 strides=16,1 whole=1
// differential: array 1 f32 size=256 start=0 shape=16x16 strides=16,1
// differential: scalar i32 0x0
// differential: scalar i32 0x8
// differential: scalar i32 0x1
// differential: scalar i32 0x5
// differential: scalar i32 0x28
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %lower: tile<i32>, %upper: tile<i32>,
      %step: tile<i32>, %more: tile<i32>, %limit: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %at = make_tensor_view %a, shape = [16, 16], strides = [16, 1]
      : tensor_view<16x16xf16, strides=[16,1]>
    %av = make_partition_view %at : partition_view<tile=(16x16), tensor_view<16x16xf16, strides=[16,1]>>
    %x, %k = load_view_tko weak %av[%zero, %zero]
      : partition_view<tile=(16x16), tensor_view<16x16xf16, strides=[16,1]>>, tile<i32> -> tile<16x16xf16>, token
    %start = constant <f32: 0.0> : tile<16x16xf32>
    %half = constant <f32: 0.5> : tile<16x16xf32>
    %low = constant <f32: -64.0> : tile<16x16xf32>
    %places = iota : tile<16xi32>
    %column = reshape %places : tile<16xi32> -> tile<1x16xi32>
    %columns = broadcast %column : tile<1x16xi32> -> tile<16x16xi32>
    %row = reshape %places : tile<16xi32> -> tile<16x1xi32>
    %rows = broadcast %row : tile<16x1xi32> -> tile<16x16xi32>
    %limit1 = reshape %limit : tile<i32> -> tile<1x1xi32>
    %limits = broadcast %limit1 : tile<1x1xi32> -> tile<16x16xi32>
    %c8 = constant <i32: 8> : tile<i32>
    %sum = for %j in (%lower to %upper, step %step) : tile<i32> iter_values(%s = %start) -> (tile<16x16xf32>) {
      %from0 = muli %j, %c8 : tile<i32>
      %from = addi %from0, %more : tile<i32>
      %from1 = reshape %from : tile<i32> -> tile<1x1xi32>
      %origins = broadcast %from1 : tile<1x1xi32> -> tile<16x16xi32>
      %all = addi %origins, %columns : tile<16x16xi32>
      %is = cmpi less_than %all, %limits, signed : tile<16x16xi32> -> tile<16x16xi1>
      %p = mmaf %x, %x, %start : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
      %m = select %is, %p, %low : tile<16x16xi1>, tile<16x16xf32>
      %h = mulf %s, %half : tile<16x16xf32>
      %e = addf %h, %m : tile<16x16xf32>
      continue %e : tile<16x16xf32>
    }
    %ct = make_tensor_view %c, shape = [16, 16], strides = [16, 1]
      : tensor_view<16x16xf32, strides=[16,1]>
    %cv = make_partition_view %ct : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %w = store_view_tko weak %sum, %cv[%zero, %zero] : tile<16x16xf32>,
      partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
"""
CARRIED = (
    (
        "iter_values(%s = %start) -> (tile<16x16xf32>)",
        "iter_values(%s = %start, %most = %limit) -> (tile<16x16xf32>, tile<i32>)",
    ),
    ("%sum = for", "%sum, %end = for"),
    (
        "%all = addi",
        "%most1 = reshape %most : tile<i32> -> tile<1x1xi32>\n      %mosts = broadcast %most1 : tile<1x1xi32> -> tile<16x16xi32>\n      %all = addi",
    ),
    ("less_than %all, %limits", "less_than %all, %mosts"),
    (
        "continue %e : tile<16x16xf32>",
        "%next = subi %most, %c8 : tile<i32>\n      continue %e, %next : tile<16x16xf32>, tile<i32>",
    ),
)
"""A limit that each iteration lowers."""


def more_loops(before: str, after: str) -> bool:
    """Whether a loop was split."""
    return after.count("= for ") > before.count("= for ")


def scalars(
    lower: int, upper: int, step: int, more: int = 5, limit: int = 40
) -> tuple[tuple[str, str], ...]:
    """Edits that give the kernel other numbers."""
    old = ["0x0", "0x8", "0x1", "0x5", "0x28"]
    new = [hex(n % 2**32) for n in (lower, upper, step, more, limit)]
    texts = [
        "\n".join(f"// differential: scalar i32 {n}" for n in numbers)
        for numbers in (old, new)
    ]
    return ((texts[0], texts[1]),)


MOST = 2**31 - 1
SEEDS = (
    Seed(
        "loop_splitting",
        "mask_at_the_end",
        PROGRAM,
        "split",
        more_loops,
        ("sm_90",),
        (
            Miss(
                "wide_mask",
                1,
                (
                    (
                        "%is = cmpi less_than %all, %limits, signed : tile<16x16xi32>",
                        "%all64 = exti %all signed : tile<16x16xi32> -> tile<16x16xi64>\n      %limits64 = exti %limits signed : tile<16x16xi32> -> tile<16x16xi64>\n      %is = cmpi less_than %all64, %limits64, signed : tile<16x16xi64>",
                    ),
                ),
            ),
            Miss("unsigned_loop", 2, (("= for %j", "= for unsigned %j"),)),
            Miss("equal_mask", 2, (("cmpi less_than", "cmpi equal"),)),
            Miss(
                "unsigned_mask",
                2,
                (("%limits, signed", "%limits, unsigned"), *scalars(-4, 9, 1)),
                fires=True,
            ),
            Miss("wraps", 3, scalars(0, 8, 1, MOST - 40, MOST - 3), fires=True),
            Miss("wraps_below", 3, scalars(-9, 3, 1, -MOST, 3 - MOST), fires=True),
            Miss("steps", 4, scalars(-7, 9, 3), fires=True),
            Miss("last_numbers", 4, scalars(MOST - 5, MOST, 1, 48, 20), fires=True),
            Miss(
                "steps_at_the_end",
                4,
                scalars(MOST - 9, MOST - 2, 3, 80, 20),
                fires=True,
            ),
            Miss("no_iteration", 5, scalars(5, 5, 2), fires=True),
            Miss("no_iteration_at_all", 5, scalars(5, -8, 2), fires=True),
            Miss("one_iteration", 5, scalars(2, 3, 4), fires=True),
            Miss("no_open_one", 5, scalars(0, 4, 1, 5, -100), fires=True),
            Miss("all_open", 5, scalars(0, 4, 1, 5, 400), fires=True),
            Miss("carried_limit", 6, CARRIED),
            Miss(
                "used_mask",
                7,
                (
                    (
                        "%h = mulf %s, %half",
                        "%g = select %is, %half, %start : tile<16x16xi1>, "
                        "tile<16x16xf32>\n      %h = mulf %s, %g",
                    ),
                ),
                fires=True,
            ),
            Miss(
                "two_masks",
                7,
                (
                    (
                        "%p = mmaf",
                        "%is1 = cmpi less_than %rows, %all, signed : tile<16x16xi32> -> tile<16x16xi1>\n      %p = mmaf",
                    ),
                    (
                        "%m = select %is, %p, %low",
                        "%n = select %is1, %half, %p : tile<16x16xi1>, tile<16x16xf32>\n      %m = select %is, %n, %low",
                    ),
                ),
                fires=True,
            ),
            Miss(
                "other_values",
                7,
                (
                    (
                        "%m = select %is, %p, %low : tile<16x16xi1>, tile<16x16xf32>",
                        "%g = select %is, %low, %half : tile<16x16xi1>, "
                        "tile<16x16xf32>\n      %m = addf %p, %g : tile<16x16xf32>",
                    ),
                ),
                fires=True,
            ),
        ),
    ),
)
