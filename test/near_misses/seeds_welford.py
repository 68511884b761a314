# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of squared distances that are computed with their centre, in parts."""

from __future__ import annotations

from near_miss import Miss, Seed

PROGRAM = """\
// differential: seed=1 grid=2 warps=1
// differential: array 0 f32 size=512 start=0 shape=2x256 strides=256,1 values=ordinary
// differential: array 1 f32 size=512 start=0 shape=2x256 strides=256,1 values=zeros
// differential: array 2 f32 size=2 start=0 shape=2 strides=1 ulp=64
// differential: scalar i32 0x91
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<1x256xf32>
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
    %truth = cmpf not_equal ordered %b, %zero : tile<1x256xf32> -> tile<1x256xi1>
    %yes = constant <i32: 1> : tile<1x256xi32>
    %no = constant <i32: 0> : tile<1x256xi32>
    %ones = select %truth, %yes, %no : tile<1x256xi1>, tile<1x256xi32>
    %count = reduce %ones dim=1 identities=[0 : i32] : tile<1x256xi32> -> tile<1xi32>
    (%c0: tile<i32>, %c1: tile<i32>) {
      %more = addi %c0, %c1 : tile<i32>
      yield %more : tile<i32>
    }
    %found = reshape %count : tile<1xi32> -> tile<i32>
    %i = iota : tile<256xi32>
    %ir = reshape %i : tile<256xi32> -> tile<1x256xi32>
    %nr = reshape %n : tile<i32> -> tile<1x1xi32>
    %ns = broadcast %nr : tile<1x1xi32> -> tile<1x256xi32>
    %inside = cmpi less_than %ir, %ns, signed : tile<1x256xi32> -> tile<1x256xi1>
    %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %share = constant <f32: 0.00390625> : tile<1xf32>
    %c = mulf %s, %share : tile<1xf32>
    %cr = reshape %c : tile<1xf32> -> tile<1x1xf32>
    %cs = broadcast %cr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %cs : tile<1x256xf32>
    %dm = select %inside, %d, %zero : tile<1x256xi1>, tile<1x256xf32>
    %q = mulf %d, %d : tile<1x256xf32>
    %v = reduce %q dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%v0: tile<f32>, %v1: tile<f32>) {
      %whole = addf %v0, %v1 : tile<f32>
      yield %whole : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %r = reshape %v : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %r : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
MASKED = PROGRAM.replace("%q = mulf %d, %d", "%q = mulf %dm, %dm")
WHICH = "strides=256,1 values=ordinary"
SQUARE = "%q = mulf %d, %d"
SUM = "addf %v0, %v1"
FIRST = "addf %s0, %s1"
POWERS = """\
    %top = reduce %l dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%t0: tile<f32>, %t1: tile<f32>) {
      %most = maxf %t0, %t1 : tile<f32>
      yield %most : tile<f32>
    }
    %tr = reshape %top : tile<1xf32> -> tile<1x1xf32>
    %ts = broadcast %tr : tile<1x1xf32> -> tile<1x256xf32>
    %low = subf %l, %ts : tile<1x256xf32>
    %a = exp %low : tile<1x256xf32>
"""
"""A row whose sum is computed with its maximum."""
BACKWARDS = """\
    %back = scan %b dim=1 reverse=true identities=[0.0 : f32] : tile<1x256xf32> -> tile<1x256xf32>
    (%b0: tile<f32>, %b1: tile<f32>) {
      %sofar = addf %b0, %b1 : tile<f32>
      yield %sofar : tile<f32>
    }
    %other = reduce %back dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%o0: tile<f32>, %o1: tile<f32>) {
      %added = addf %o0, %o1 : tile<f32>
      yield %added : tile<f32>
    }
    %both = addf %v, %other : tile<1xf32>
    %r = reshape %both"""
"""The sum of a scan that begins with the last part."""


def is_welford(before: str, after: str) -> bool:
    """Whether means move by shares of distances."""
    return " fma " in after and " fma " not in before


def values(condition: int, *kinds: str) -> tuple[Miss, ...]:
    """The same program on rows with special values."""
    return tuple(
        Miss(kind, condition, ((WHICH, f"strides=256,1 values={kind}"),), True)
        for kind in kinds
    )


SEEDS = (
    Seed(
        "welford",
        "whole_rows",
        PROGRAM,
        "row_tiling",
        is_welford,
        ("sm_80", "sm_120"),
        (
            Miss("f64_row", 1, (("f32", "f64"),), True),
            Miss("f16_row", 1, (("f32", "f16"), ("ulp=64", "ulp=64 scale=1024"))),
            Miss("sum_rounds_up", 2, ((SUM, f"{SUM} rounding<positive_inf>"),)),
            Miss("first_sum_flushes", 2, ((FIRST, f"{FIRST} flush_to_zero"),)),
            Miss("square_flushes", 2, ((SQUARE, f"{SQUARE} flush_to_zero"),)),
            Miss(
                "distance_rounds_down",
                2,
                (("subf %a, %cs", "subf %a, %cs rounding<negative_inf>"),),
            ),
            Miss(
                "centre_rounds_up",
                2,
                (("mulf %s, %share", "mulf %s, %share rounding<positive_inf>"),),
                True,
            ),
            *values(
                3,
                "huge",
                "infinities",
                "nans",
                "ends",
                "lowest",
                "subnormals",
                "hidden",
            ),
            Miss("far_centre", 3, (("<f32: 0.00390625>", "<f32: 3.0e38>"),), True),
            Miss(
                "sum_from_one",
                4,
                (("identities=[0.0 : f32]", "identities=[1.0 : f32]"),),
            ),
            Miss(
                "product_for_sum",
                4,
                (
                    (FIRST, "mulf %s0, %s1"),
                    (
                        "%s = reduce %a dim=1 identities=[0.0 : f32]",
                        "%s = reduce %a dim=1 identities=[1.0 : f32]",
                    ),
                ),
            ),
            Miss("distance_to_another_sum", 4, (("subf %a, %cs", "subf %b, %cs"),)),
            Miss("product_of_two_distances", 4, ((SQUARE, "%q = mulf %d, %b"),)),
            Miss(
                "centre_of_a_hoisted_sum",
                8,
                (
                    ("%a, %ka = load", "%l, %ka = load"),
                    ("    %s = reduce", f"{POWERS}    %s = reduce"),
                ),
            ),
            Miss("parts_from_the_last", 9, (("    %r = reshape %v", BACKWARDS),)),
            Miss("many_parts", 5, (("part = 64", "part = 16"),)),
        ),
    ),
    Seed(
        "welford",
        "masked_rows",
        MASKED,
        "row_tiling",
        is_welford,
        ("sm_80", "sm_120"),
        (
            Miss(
                "masked_infinities",
                3,
                ((WHICH, "strides=256,1 values=infinities"),),
                True,
            ),
            Miss(
                "nothing_inside",
                6,
                (("scalar i32 0x91", "scalar i32 0xfffffff0"),),
                True,
            ),
            Miss("one_inside", 6, (("scalar i32 0x91", "scalar i32 0x1"),), True),
            Miss("all_inside", 6, (("scalar i32 0x91", "scalar i32 0x1000"),), True),
            Miss(
                "all_inside_unsigned",
                6,
                (
                    ("scalar i32 0x91", "scalar i32 0xffffffff"),
                    ("%ns, signed", "%ns, unsigned"),
                ),
                True,
            ),
            Miss("last_ones", 6, (("cmpi less_than", "cmpi greater_than"),)),
            Miss("mask_of_a_row", 6, (("select %inside, %d", "select %truth, %d"),)),
            Miss(
                "narrow_places",
                6,
                (
                    ("%i = iota : tile<256xi32>", "%i = iota : tile<256xi8>"),
                    (
                        "%ir = reshape %i : tile<256xi32> -> tile<1x256xi32>",
                        "%ir = reshape %i : tile<256xi8> -> tile<1x256xi8>",
                    ),
                    (
                        "%nr = reshape %n : tile<i32>",
                        "%nt = trunci %n : tile<i32> -> tile<i8>\n    %nr = reshape %nt : tile<i8>",
                    ),
                    ("-> tile<1x1xi32>", "-> tile<1x1xi8>"),
                    (
                        "%ns = broadcast %nr : tile<1x1xi32> -> tile<1x256xi32>",
                        "%ns = broadcast %nr : tile<1x1xi8> -> tile<1x256xi8>",
                    ),
                    ("%ns, signed : tile<1x256xi32>", "%ns, signed : tile<1x256xi8>"),
                ),
            ),
            Miss(
                "ones_for_nothing",
                6,
                (("select %inside, %d, %zero", "select %inside, %d, %b"),),
            ),
            Miss("mask_of_a_count", 7, (("%nr = reshape %n", "%nr = reshape %found"),)),
        ),
    ),
)
