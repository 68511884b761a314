# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups whose right operand threads bring: they compute B^T A^T."""

from __future__ import annotations

from near_miss import Miss, Seed

LEFT = "tensor_view<16x64xi8, strides=[64, 1]>"
LEFTS = f"partition_view<tile=(16x32), padding_value = zero, {LEFT}>"
RIGHT = "tensor_view<64x64xi8, strides=[64, 1]>"
RIGHTS = f"partition_view<tile=(32x64), padding_value = zero, {RIGHT}>"
RESULT = "tensor_view<16x64xi32, strides=[64, 1]>"
RESULTS = f"partition_view<tile=(16x64), {RESULT}>"
PROGRAM = f"""\
// differential: seed=16 grid=1 warps=4
// differential: array 0 i8 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 1 i8 size=4096 start=0 shape=4096 strides=1
// differential: array 2 i32 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 3 i32 size=4 start=0 shape=4 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>, %flags: tile<ptr<i32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <i32: 0> : tile<16x64xi32>
    %aa = assume div_by<16>, %a : tile<ptr<i8>>
    %ab = assume div_by<16>, %b : tile<ptr<i8>>
    %at = make_tensor_view %aa, shape = [16, 64], strides = [64, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %ab, shape = [64, 64], strides = [64, 1] : {RIGHT}
    %bv = make_partition_view %bt : {RIGHTS}
    %before = make_token : token
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<16x64xi32>) {{
      %now = make_token : token
      %x, %gotx = load_view_tko weak %av[%zero, %k] : {LEFTS}, tile<i32> -> tile<16x32xi8>, token
      %y, %goty = load_view_tko weak %bv[%k, %zero] token = %before : {RIGHTS}, tile<i32> -> tile<32x64xi8>, token
      %next = mmai %x, %y, %acc signed signed : tile<16x32xi8>, tile<32x64xi8>, tile<16x64xi32>
      continue %next : tile<16x64xi32>
    }}
    %ct = make_tensor_view %c, shape = [16, 64], strides = [64, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<16x64xi32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_transposed(before: str, after: str) -> bool:
    """Whether warpgroups compute the transpose."""
    del before
    return "swap = 1" in after


SUM = "tile<16x64xi32>"
SIDES = "tile<16x32xi8>, tile<32x64xi8>"
NEXT = f"%next = mmai %x, %y, %acc signed signed : {SIDES}, {SUM}"
CONTINUE = f"continue %next : {SUM}"
LOOP = f"%sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> ({SUM}) {{"
LOAD = f"%y, %goty = load_view_tko weak %bv[%k, %zero] token = %before : {RIGHTS}, tile<i32> -> tile<32x64xi8>, token"
SIGNS = "signed signed"
BEFORE = "%before = make_token : token"
TWO_SUMS = (
    ("(%acc = %zeros)", "(%acc = %zeros, %more = %zeros)"),
    ("%sum = for", "%sum, %other = for"),
    (f"-> ({SUM})", f"-> ({SUM}, {SUM})"),
)
"""Edits by which the loop carries another sum, `%more`."""
BY_COLUMNS = "tensor_view<64x64xi8, strides=[1, 64]>"
ALONG_K = (
    (RIGHT, BY_COLUMNS),
    ("shape = [64, 64], strides = [64, 1]", "shape = [64, 64], strides = [1, 64]"),
)
FIRST_LOOP = f"""\
%kt = make_tensor_view %ab, shape = [64, 64], strides = [1, 64] : {BY_COLUMNS}
    %kv = make_partition_view %kt : {RIGHTS.replace(RIGHT, BY_COLUMNS)}
    {LOOP.replace("%sum", "%first")}
      %x, %gotx = load_view_tko weak %av[%zero, %k] : {LEFTS}, tile<i32> -> tile<16x32xi8>, token
      {LOAD.replace("%bv", "%kv").replace(RIGHT, BY_COLUMNS)}
      {NEXT}
      {CONTINUE}
    }}
    {LOOP.replace("%zeros", "%first")}"""
"""A loop whose product warps compute, since B lies along K; the other one goes on."""

ACQUIRE = "%flag, {} = load_ptr_tko acquire device %flags : tile<ptr<i32>> -> tile<i32>, token"
MISSES = (
    Miss("unsigned_left", 3, ((SIGNS, "unsigned signed"),), True),
    Miss(
        "no_iteration",
        5,
        (
            ("scalar i32 0x2", "scalar i32 0x0"),
            ("<i32: 0> : tile<16x64", "<i32: 7> : tile<16x64"),
        ),
        True,
    ),
    Miss("from_seven", 5, (("<i32: 0> : tile<16x64", "<i32: 7> : tile<16x64"),), True),
    Miss(
        "acquire_of_the_loop",
        6,
        (
            ("%now = make_token : token", ACQUIRE.format("%now")),
            ("token = %before", "token = %now"),
        ),
    ),
    Miss(
        "few_rows",
        7,
        (
            ("16x64xi32", "4x64xi32"),
            ("16x32xi8", "4x32xi8"),
            ("tile=(16x", "tile=(4x"),
            (
                "shape = [16, 64], strides = [64, 1] : tensor_view<4x64xi32",
                "shape = [4, 64], strides = [64, 1] : tensor_view<4x64xi32",
            ),
        ),
    ),
    Miss(
        "few_columns",
        7,
        (
            ("16x64xi32", "16x32xi32"),
            ("32x64xi8", "32x32xi8"),
            ("tile=(16x64)", "tile=(16x32)"),
            ("tile=(32x64)", "tile=(32x32)"),
            (
                "shape = [16, 64], strides = [64, 1] : tensor_view<16x32xi32",
                "shape = [16, 32], strides = [64, 1] : tensor_view<16x32xi32",
            ),
        ),
    ),
    Miss(
        "odd_extents",
        7,
        (
            ("<64x64xi8", "<41x59xi8"),
            ("shape = [64, 64]", "shape = [41, 59]"),
        ),
        True,
    ),
    Miss("lies_along_k", 8, ALONG_K),
    Miss(
        "renamed",
        8,
        (
            ("tile=(32x64)", "tile=(16x128)"),
            ("64x64xi8, strides=[64, 1]", "32x128xi8, strides=[128, 1]"),
            (
                "shape = [64, 64], strides = [64, 1]",
                "shape = [32, 128], strides = [128, 1]",
            ),
            ("%y, %goty", "%y2, %goty"),
            (
                "-> tile<32x64xi8>, token",
                "-> tile<16x128xi8>, token\n"
                "      %y = reshape %y2 : tile<16x128xi8> -> tile<32x64xi8>",
            ),
        ),
        True,
    ),
    Miss(
        "sum_that_the_loop_uses",
        9,
        (
            (
                CONTINUE,
                f"%most = maxi %next, %zeros signed : {SUM}\n      "
                f"continue %most : {SUM}",
            ),
        ),
    ),
    Miss(
        "two_products_of_a_sum",
        9,
        (
            (
                NEXT,
                f"{NEXT.replace('%next', '%mid')}\n      {NEXT.replace('%acc', '%mid')}",
            ),
        ),
    ),
    Miss(
        "carried_under_another_number",
        9,
        (*TWO_SUMS, (CONTINUE, f"continue %more, %next : {SUM}, {SUM}")),
    ),
    Miss("goes_on_with_another_loop", 9, ((LOOP, FIRST_LOOP),), True),
    Miss(
        "bytes_that_something_else_uses",
        10,
        (
            (
                NEXT,
                "%least = constant <i8: -128> : tile<32x64xi8>\n"
                "      %is = cmpi greater_than_or_equal %y, %least, signed "
                ": tile<32x64xi8> -> tile<32x64xi1>\n"
                f'      assert %is, "bytes" : tile<32x64xi1>\n      {NEXT}',
            ),
        ),
    ),
    Miss(
        "bytes_of_two_products",
        10,
        (
            *TWO_SUMS,
            (
                NEXT,
                f"{NEXT}\n      %other_next = mmai %x, %y, %more signed unsigned "
                f": {SIDES}, {SUM}",
            ),
            (CONTINUE, f"continue %next, %other_next : {SUM}, {SUM}"),
            (
                "%ct = make_tensor",
                f"%both = xori %sum, %other : {SUM}\n    %ct = make_tensor",
            ),
            ("weak %sum,", "weak %both,"),
        ),
        True,
    ),
)
CONVERSION = "%y = itof %y8 signed : tile<32x64xi8> -> tile<32x64xf16>"
CONVERTED = (
    PROGRAM.replace("array 0 i8", "array 0 f16")
    .replace("array 2 i32", "array 2 f32")
    .replace("%a: tile<ptr<i8>>", "%a: tile<ptr<f16>>")
    .replace("%a : tile<ptr<i8>>", "%a : tile<ptr<f16>>")
    .replace("%c: tile<ptr<i32>>", "%c: tile<ptr<f32>>")
    .replace("<i32: 0> : tile<16", "<f32: 0.0> : tile<16")
    .replace("16x64xi32", "16x64xf32")
    .replace("16x64xi8", "16x64xf16")
    .replace("16x32xi8", "16x32xf16")
    .replace("%y, %goty", "%y8, %goty")
    .replace("tile<32x64xi8>, token", f"tile<32x64xi8>, token\n      {CONVERSION}")
    .replace("mmai", "mmaf")
    .replace(
        f" {SIGNS} : tile<16x32xf16>, tile<32x64xi8>",
        " : tile<16x32xf16>, tile<32x64xf16>",
    )
)
OF_FLOATS = (
    ("array 1 i8", "array 1 f8E5M2"),
    ("%b: tile<ptr<i8>>", "%b: tile<ptr<f8E5M2>>"),
    ("%b : tile<ptr<i8>>", "%b : tile<ptr<f8E5M2>>"),
    ("64x64xi8", "64x64xf8E5M2"),
    ("32x64xi8", "32x64xf8E5M2"),
    ("%y = itof %y8 signed", "%y = ftof %y8"),
)
"""Edits by which the right operand comes of floats; some are infinite or NaN."""
RIGHT_ARRAY = "shape=4096 strides=1"
CONVERTED_MISSES = (
    Miss(
        "words",
        1,
        (
            ("array 1 i8", "array 1 i16"),
            ("ptr<i8>", "ptr<i16>"),
            ("64x64xi8", "64x64xi16"),
            ("32x64xi8", "32x64xi16"),
        ),
    ),
    Miss(
        "doubles",
        2,
        (
            ("xf16", "xf64"),
            ("xf32", "xf64"),
            ("ptr<f16>", "ptr<f64>"),
            ("ptr<f32>", "ptr<f64>"),
            ("<f32: 0.0>", "<f64: 0.0>"),
            ("array 0 f16", "array 0 f64"),
            ("array 2 f32", "array 2 f64"),
        ),
    ),
    Miss(
        "floats_with_nans",
        4,
        (*OF_FLOATS, (RIGHT_ARRAY, f"{RIGHT_ARRAY} values=nans")),
        True,
    ),
)
GPUS = ("sm_90",)
SEEDS = (
    Seed("transposed_products", "bytes", PROGRAM, "plan", is_transposed, GPUS, MISSES),
    Seed(
        *("transposed_products", "converted", CONVERTED, "plan"),
        *(is_transposed, GPUS, CONVERTED_MISSES),
    ),
)
