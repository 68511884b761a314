# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of powers below a maximum that are computed with the maximum, in parts."""

from __future__ import annotations

from near_miss import Miss, Seed

LOWEST = ("0xFF7FFFFF", "-3.40282347E+38", "0xFFEFFFFFFFFFFFFF", "-1.797693")
"""The lowest finite number as texts have it: the least that powers are relative to."""

PROGRAM = """\
// differential: seed=1 grid=2 warps=1
// differential: array 0 f32 size=512 start=0 shape=2x256 strides=256,1 values=ordinary
// differential: array 1 f32 size=512 start=0 shape=2x256 strides=256,1 values=ordinary scale=1
// differential: array 2 f32 size=2 start=0 shape=2 strides=1 ulp=64 scale=16
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1]
      : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>
    %wt = make_tensor_view %w, shape = [2, 256], strides = [256, 1]
      : tensor_view<2x256xf32, strides=[256,1]>
    %wv = make_partition_view %wt
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>
    %a, %ka = load_view_tko weak %xv[%bx, %z]
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32>
      -> tile<1x256xf32>, token
    %b, %kb = load_view_tko weak %wv[%bx, %z]
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32>
      -> tile<1x256xf32>, token
    %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%m0: tile<f32>, %m1: tile<f32>) {
      %most = maxf %m0, %m1 : tile<f32>
      yield %most : tile<f32>
    }
    %mr = reshape %m : tile<1xf32> -> tile<1x1xf32>
    %ms = broadcast %mr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %ms : tile<1x256xf32>
    %f = constant <f32: 0.5> : tile<1x256xf32>
    %t = mulf %d, %f : tile<1x256xf32>
    %e = exp2 %t : tile<1x256xf32>
    SUMMED
    %s = reduce %p dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v = reshape %s : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
POWERS = PROGRAM.replace("    SUMMED\n", "").replace("reduce %p", "reduce %e")
WEIGHTED = PROGRAM.replace("SUMMED", "%p = mulf %e, %b : tile<1x256xf32>")
WHICH = "strides=256,1 values=ordinary"


def is_online(before: str, after: str) -> bool:
    """Whether powers are relative to at least the lowest finite number."""
    return any(word in after and word not in before for word in LOWEST)


def values(condition: int, *kinds: str) -> tuple[Miss, ...]:
    """The same program on rows with special values."""
    return tuple(
        Miss(kind, condition, ((f"{WHICH}\n", f"strides=256,1 values={kind}\n"),), True)
        for kind in kinds
    )


def weights(condition: int, *kinds: str) -> tuple[Miss, ...]:
    """The same with special weights."""
    return tuple(
        Miss(
            f"{kind}_weights",
            condition,
            ((f"{WHICH} scale=1", f"strides=256,1 values={kind}"),),
            True,
        )
        for kind in kinds
    )


ITSELF = ("mulf %e, %b", "mulf %e, %a")
"""Weights that are the elements themselves."""

SEEDS = (
    Seed(
        "online_softmax",
        "powers",
        POWERS,
        "row_tiling",
        is_online,
        ("sm_80", "sm_120"),
        (
            Miss("f16_row", 1, (("0xFF800000", "0xFC00"), ("f32", "f16"))),
            Miss(
                "sum_rounds_down",
                2,
                (("addf %s0, %s1", "addf %s0, %s1 rounding<negative_inf>"),),
            ),
            Miss("sum_flushes", 2, (("addf %s0, %s1", "addf %s0, %s1 flush_to_zero"),)),
            Miss(
                "difference_rounds_up",
                2,
                (("subf %a, %ms", "subf %a, %ms rounding<positive_inf>"),),
            ),
            Miss(
                "difference_flushes",
                2,
                (("subf %a, %ms", "subf %a, %ms flush_to_zero"),),
            ),
            Miss("factor_flushes", 2, (("mulf %d, %f", "mulf %d, %f flush_to_zero"),)),
            Miss("power_flushes", 2, (("exp2 %t", "exp2 %t flush_to_zero"),), True),
            Miss(
                "maximum_keeps_nan",
                2,
                (
                    ("maxf %m0, %m1", "maxf %m0, %m1 propagate_nan"),
                    (WHICH, "strides=256,1 values=nans"),
                ),
                True,
            ),
            Miss(
                "maximum_flushes",
                2,
                (
                    ("maxf %m0, %m1", "maxf %m0, %m1 flush_to_zero"),
                    (WHICH, "strides=256,1 values=subnormals"),
                ),
                True,
            ),
            Miss(
                "sum_from_one",
                3,
                (("identities=[0.0 : f32]", "identities=[1.0 : f32]"),),
            ),
            Miss(
                "maximum_from_zero",
                3,
                (("identities=[0xFF800000 : f32]", "identities=[0.0 : f32]"),),
            ),
            Miss("factor_below_zero", 4, (("<f32: 0.5>", "<f32: -0.5>"),)),
            Miss("factor_zero", 4, (("<f32: 0.5>", "<f32: 0.0>"),)),
            Miss(
                "factor_tiny",
                4,
                (
                    ("<f32: 0.5>", "<f32: 1.0e-37>"),
                    (WHICH, "strides=256,1 values=huge"),
                ),
            ),
            Miss("factor_of_a_row", 4, (("mulf %d, %f", "mulf %d, %b"),)),
            *values(
                5,
                "minus_infinity",
                "infinities",
                "nans",
                "lowest",
                "hidden",
                "masked",
                "ends",
            ),
        ),
    ),
    Seed(
        "online_softmax",
        "weighted_powers",
        WEIGHTED,
        "row_tiling",
        is_online,
        ("sm_80", "sm_120"),
        (
            Miss(
                "f64_row",
                1,
                (("0xFF800000", "0xFFF0000000000000"), ("f32", "f64")),
                True,
            ),
            Miss("weight_flushes", 2, (("mulf %e, %b", "mulf %e, %b flush_to_zero"),)),
            Miss("weighted_power_flushes", 2, (("exp2 %t", "exp2 %t flush_to_zero"),)),
            *weights(6, "infinities", "nans", "ends", "hidden"),
            Miss(
                "masked_weights_of_themselves",
                6,
                (ITSELF, (f"{WHICH}\n", "strides=256,1 values=masked\n")),
                True,
            ),
            Miss(
                "hidden_weights_of_themselves",
                6,
                (ITSELF, (f"{WHICH}\n", "strides=256,1 values=hidden\n")),
                True,
            ),
            Miss("weight_of_the_maximum", 7, (("mulf %e, %b", "mulf %e, %d"),)),
            Miss("maximum_of_another_row", 8, (("subf %a, %ms", "subf %b, %ms"),)),
            Miss("product_of_powers", 8, (("mulf %e, %b", "mulf %e, %e"),)),
            Miss(
                "maximum_of_products",
                8,
                (
                    ("maxf %m0, %m1 : tile<f32>", "mulf %m0, %m1 : tile<f32>"),
                    ("identities=[0xFF800000 : f32]", "identities=[1.0 : f32]"),
                ),
            ),
        ),
    ),
)
