# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit floats whose partial sums additions of f32 add up."""

from __future__ import annotations

from near_miss import Miss, Seed

LEFT = "tensor_view<32x256xf8E5M2, strides=[256, 1]>"
LEFTS = f"partition_view<tile=(32x128), padding_value = zero, {LEFT}>"
RIGHT = "tensor_view<256x16xf8E5M2, strides=[1, 256]>"
RIGHTS = f"partition_view<tile=(128x16), padding_value = zero, {RIGHT}>"
SUM = "tile<32x16xf32>"
RESULT = "tensor_view<32x16xf32, strides=[16, 1]>"
RESULTS = f"partition_view<tile=(32x16), {RESULT}>"
SIDES = "tile<32x128xf8E5M2>, tile<128x16xf8E5M2>"
NEXT = f"%next = mmaf %x, %y, %acc : {SIDES}, {SUM}"
CONTINUE = f"continue %next : {SUM}"
PROGRAM = f"""\
// differential: seed=16 grid=1 warps=4
// differential: array 0 f8E5M2 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 f8E5M2 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: array 2 f32 size=512 start=0 shape=512 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f8E5M2>>, %b: tile<ptr<f8E5M2>>, %c: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : {SUM}
    %aa = assume div_by<16>, %a : tile<ptr<f8E5M2>>
    %ab = assume div_by<16>, %b : tile<ptr<f8E5M2>>
    %at = make_tensor_view %aa, shape = [32, 256], strides = [256, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %ab, shape = [256, 16], strides = [1, 256] : {RIGHT}
    %bv = make_partition_view %bt : {RIGHTS}
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> ({SUM}) {{
      %x, %gotx = load_view_tko weak %av[%zero, %k] : {LEFTS}, tile<i32> -> tile<32x128xf8E5M2>, token
      %y, %goty = load_view_tko weak %bv[%k, %zero] : {RIGHTS}, tile<i32> -> tile<128x16xf8E5M2>, token
      {NEXT}
      {CONTINUE}
    }}
    %ct = make_tensor_view %c, shape = [32, 16], strides = [16, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : {SUM}, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_promoted(before: str, after: str) -> bool:
    """Whether some product has partial sums."""
    del before
    return "promote = " in after


ZEROS = "%zeros = constant <f32: 0.0>"
RIGHT_ARRAY = "shape=4096 strides=1 whole=1"
FAST = NEXT.replace("%acc :", "%acc fast_acc :")


def depth(extent: int) -> tuple[tuple[str, str], ...]:
    """Edits that give tiles another extent along K."""
    return (
        ("tile=(32x128)", f"tile=(32x{extent})"),
        ("tile=(128x16)", f"tile=({extent}x16)"),
        ("tile<32x128x", f"tile<32x{extent}x"),
        ("tile<128x16x", f"tile<{extent}x16x"),
    )


MISSES = (
    Miss("halves", 1, (("f8E5M2", "f16"),)),
    Miss("sums_of_f16", 1, (("f32", "f16"),)),
    Miss("fast", 3, ((NEXT, FAST),)),
    Miss("from_minus_zero", 4, ((ZEROS, ZEROS.replace("0.0", "-0.0")),), True),
    Miss(
        "infinities",
        4,
        ((RIGHT_ARRAY, "shape=4096 strides=1 values=infinities"),),
        True,
    ),
    Miss(
        "scaled",
        5,
        (
            (
                NEXT,
                "%sx = constant <f8E8M0FNU: 2.0> : tile<32x4xf8E8M0FNU>\n"
                "      %sy = constant <f8E8M0FNU: 2.0> : tile<4x16xf8E8M0FNU>\n"
                f"      %next = mmaf_scaled %x, %y, %acc, %sx, %sy : {SIDES}, {SUM}, "
                "tile<32x4xf8E8M0FNU>, tile<4x16xf8E8M0FNU>",
            ),
        ),
    ),
    Miss("deep", 7, (*depth(256), ("scalar i32 0x2", "scalar i32 0x1")), True),
    Miss("less_than_an_instruction", 7, depth(16), True),
    Miss("no_iteration", 7, (("scalar i32 0x2", "scalar i32 0x0"),), True),
)
"""What warps and warpgroups alike may not overlook."""
CUT = (
    ("32x256", "64x256"),
    ("32x128", "64x128"),
    ("32x16x", "64x64x"),
    ("x16xf8", "x64xf8"),
    ("(128x16)", "(128x64)"),
    ("(32x16)", "(64x64)"),
    ("shape = [32, 256]", "shape = [64, 256]"),
    ("shape = [256, 16]", "shape = [256, 64]"),
    ("shape = [32, 16], strides = [16, 1]", "shape = [64, 64], strides = [64, 1]"),
    ("strides=[16, 1]", "strides=[64, 1]"),
    ("=8192", "=16384"),
    ("=4096", "=16384"),
    ("=512", "=4096"),
    ("warps=4", "warps=1"),
    ("scalar i32 0x2", "scalar i32 0x1"),
)
"""Edits that make a result of which a warp takes a piece at a time."""
OF_WARPS = (*MISSES, Miss("cut_into_pieces", 8, CUT, True))
GROUPS = (
    PROGRAM.replace("32x256", "64x256")
    .replace("32x128", "64x128")
    .replace("32x16x", "64x16x")
    .replace("(32x16)", "(64x16)")
    .replace("shape = [32, ", "shape = [64, ")
    .replace("=8192", "=16384")
    .replace("=512", "=1024")
)
SUMS = SUM.replace("32", "64", 1)
STEP = NEXT.replace("32x", "64x")
OF_GROUPS = (
    Miss(
        "rows_for_warps_alone",
        2,
        (
            ("64x256", "32x256"),
            ("64x128", "32x128"),
            ("64x16x", "32x16x"),
            ("(64x16)", "(32x16)"),
            ("shape = [64, ", "shape = [32, "),
        ),
    ),
    Miss(
        "sum_that_the_loop_uses",
        6,
        (
            (
                CONTINUE.replace("32x", "64x"),
                f"%most = maxf %next, %zeros : {SUMS}\n      continue %most : {SUMS}",
            ),
        ),
        True,
    ),
    Miss(
        "fast_product_before_it",
        9,
        (
            (
                STEP,
                f"{STEP.replace('%next', '%mid').replace('%acc', '%acc fast_acc')}\n"
                f"      {STEP.replace('%acc', '%mid')}",
            ),
        ),
        True,
    ),
    Miss(
        "in_a_branch",
        9,
        (
            (
                STEP,
                "%first = cmpi equal %k, %zero, signed : tile<i32> -> tile<i1>\n"
                f"      %next = if %first -> ({SUMS}) {{ {STEP.replace('%next', '%in')}\n"
                f"        yield %in : {SUMS} }} else {{ yield %acc : {SUMS} }}",
            ),
        ),
        True,
    ),
)
SEEDS = (
    Seed(
        *("promotion", "warps", PROGRAM, "plan", is_promoted),
        *(("sm_89", "sm_120"), OF_WARPS),
    ),
    Seed("promotion", "warpgroups", GROUPS, "plan", is_promoted, ("sm_90",), OF_GROUPS),
)
