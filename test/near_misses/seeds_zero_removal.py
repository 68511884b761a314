# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Additions of zero that go, in loops that were split for their masks."""

from __future__ import annotations

from near_miss import Miss, Seed

PROGRAM = """\
// differential: seed=3 grid=1 warps=4
// differential: array 0 f16 size=256 start=0 shape=16x16 strides=16,1 values=ordinary
// differential: array 1 f32 size=256 start=0 shape=16x16 strides=16,1 ulp=8 scale=16
// differential: scalar i32 0x4
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %at = make_tensor_view %a, shape = [16, 16], strides = [16, 1]
      : tensor_view<16x16xf16, strides=[16,1]>
    %av = make_partition_view %at : partition_view<tile=(16x16), tensor_view<16x16xf16, strides=[16,1]>>
    %x, %k = load_view_tko weak %av[%zero, %zero]
      : partition_view<tile=(16x16), tensor_view<16x16xf16, strides=[16,1]>>, tile<i32> -> tile<16x16xf16>, token
    %start = constant <f32: 0.0> : tile<16x16xf32>
    %low = constant <f32: -1.0> : tile<16x16xf32>
    %open = constant <f32: 0.0> : tile<16x16xf32>
    %places = iota : tile<16xi32>
    %column = reshape %places : tile<16xi32> -> tile<1x16xi32>
    %columns = broadcast %column : tile<1x16xi32> -> tile<16x16xi32>
    %c20 = constant <i32: 40> : tile<16x16xi32>
    %c8 = constant <i32: 8> : tile<i32>
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %start) -> (tile<16x16xf32>) {
      %from = muli %j, %c8 : tile<i32>
      %from1 = reshape %from : tile<i32> -> tile<1x1xi32>
      %origins = broadcast %from1 : tile<1x1xi32> -> tile<16x16xi32>
      %all = addi %origins, %columns : tile<16x16xi32>
      %is = cmpi less_than %all, %c20, signed : tile<16x16xi32> -> tile<16x16xi1>
      %p = mmaf %x, %x, %start : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
      %m = select %is, %open, %low : tile<16x16xi1>, tile<16x16xf32>
      %q = addf %p, %m : tile<16x16xf32>
      %e = addf %s, %q : tile<16x16xf32>
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


HIDDEN = """\
// differential: seed=4 grid=1 warps=4
// differential: array 0 f32 size=256 start=0 shape=16x16 strides=16,1
// differential: array 1 f32 size=256 start=0 shape=16x16 strides=16,1 ulp=4
// differential: scalar i32 0x3
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %at = make_tensor_view %a, shape = [16, 16], strides = [16, 1]
      : tensor_view<16x16xf32, strides=[16,1]>
    %av = make_partition_view %at : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %x, %k = load_view_tko weak %av[%zero, %zero]
      : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> tile<16x16xf32>, token
    %half = constant <f16: 1.0> : tile<16x16xf16>
    %start = constant <f32: 0.0> : tile<16x16xf32>
    %added = constant <f32: 0.0> : tile<16x16xf32>
    %low = constant <f32: -1.0> : tile<16x16xf32>
    %y = addf %x, %added : tile<16x16xf32>
    %places = iota : tile<16xi32>
    %column = reshape %places : tile<16xi32> -> tile<1x16xi32>
    %columns = broadcast %column : tile<1x16xi32> -> tile<16x16xi32>
    %c20 = constant <i32: 20> : tile<16x16xi32>
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %start) -> (tile<16x16xf32>) {
      %from = muli %j, %c8 : tile<i32>
      %from1 = reshape %from : tile<i32> -> tile<1x1xi32>
      %origins = broadcast %from1 : tile<1x1xi32> -> tile<16x16xi32>
      %all = addi %origins, %columns : tile<16x16xi32>
      %is = cmpi less_than %all, %c20, signed : tile<16x16xi32> -> tile<16x16xi1>
      %p = mmaf %half, %half, %s : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
      %m = select %is, %p, %low : tile<16x16xi1>, tile<16x16xf32>
      continue %m : tile<16x16xf32>
    }
    %r = absf %y : tile<16x16xf32>
    %e = subf %sum, %sum : tile<16x16xf32>
    %less = cmpf less_than ordered %e, %start : tile<16x16xf32> -> tile<16x16xi1>
    %w0 = select %less, %e, %r : tile<16x16xi1>, tile<16x16xf32>
    %ct = make_tensor_view %c, shape = [16, 16], strides = [16, 1]
      : tensor_view<16x16xf32, strides=[16,1]>
    %cv = make_partition_view %ct : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %w = store_view_tko weak %w0, %cv[%zero, %zero] : tile<16x16xf32>,
      partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
"""
"""A sum of which only absolute values are stored, beside a loop that is split."""


def has_lost_sum(before: str, after: str) -> bool:
    """Whether the addition outside of the loop is gone."""
    return " addf " in before and " addf " not in after


def has_lost_addition(before: str, after: str) -> bool:
    """Whether a loop has fewer additions than the loop that it was made of."""
    return after.count(" addf ") < 2 * before.count(" addf ")


SEEDS = (
    Seed(
        "zero_removal",
        "open_mask",
        PROGRAM,
        "split",
        has_lost_addition,
        ("sm_80", "sm_90"),
        (
            Miss("bf16_product", 1, (("f16", "bf16"),)),
            Miss(
                "flushed_product",
                2,
                ((" = addf %p, %m :", " = addf %p, %m flush_to_zero :"),),
                fires=True,
            ),
            Miss(
                "other_number",
                3,
                (("%open = constant <f32: 0.0>", "%open = constant <f32: 1.0>"),),
            ),
            Miss(
                "minus_zero",
                3,
                (("%open = constant <f32: 0.0>", "%open = constant <f32: -0.0>"),),
                fires=True,  # x + -0 is folded, for it is any x
            ),
            Miss(
                "other_start",
                4,
                (("mmaf %x, %x, %start", "mmaf %x, %x, %low"),),
            ),
        ),
    ),
    Seed(
        "zero_removal",
        "hidden_signs",
        HIDDEN,
        "split",
        has_lost_sum,
        ("sm_80", "sm_90"),
        (
            Miss("flushed", 2, ((" %x, %added :", " %x, %added flush_to_zero :"),)),
            Miss("stored_sum", 5, (("%r = absf %y", "%r = negf %y"),)),
            Miss(
                "quotient",
                5,
                (
                    (
                        "%r = absf %y",
                        "%q = divf %low, %y : tile<16x16xf32>\n    %r = absf %q",
                    ),
                ),
            ),
            Miss(
                "carried_and_stored",
                6,
                (
                    ("iter_values(%s = %start)", "iter_values(%s = %y)"),
                    ("%r = absf %y", "%r = negf %sum"),
                ),
            ),
        ),
    ),
)
