# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups whose right operand threads convert between two rings."""

from __future__ import annotations

from near_miss import Miss, Seed

LEFT = "tensor_view<64x64xf16, strides=[64, 1]>"
LEFTS = f"partition_view<tile=(64x32), padding_value = zero, {LEFT}>"
TENSOR = "tensor_view<64x32xi8, strides=[1, 64]>"
RIGHTS = f"partition_view<tile=(32x32), padding_value = zero, {TENSOR}>"
RESULT = "tensor_view<64x32xf32, strides=[32, 1]>"
RESULTS = f"partition_view<tile=(64x32), {RESULT}>"
PROGRAM = f"""\
// differential: seed=4 grid=1 warps=4
// differential: array 0 f16 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: array 1 i8 size=2048 start=0 shape=2048 strides=1
// differential: array 2 f32 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: array 3 i32 size=4 start=0 shape=4 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<i8>>, %c: tile<ptr<f32>>, %flags: tile<ptr<i32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<64x32xf32>
    %aa = assume div_by<16>, %a : tile<ptr<f16>>
    %ab = assume div_by<16>, %b : tile<ptr<i8>>
    %at = make_tensor_view %aa, shape = [64, 64], strides = [64, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %ab, shape = [64, 32], strides = [1, 64] : {TENSOR}
    %bv = make_partition_view %bt : {RIGHTS}
    %before = make_token : token
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x32xf32>) {{
      %now = make_token : token
      %x, %gotx = load_view_tko weak %av[%zero, %k] : {LEFTS}, tile<i32> -> tile<64x32xf16>, token
      %y8, %goty = load_view_tko weak %bv[%k, %zero] token = %before : {RIGHTS}, tile<i32> -> tile<32x32xi8>, token
      %y = itof %y8 signed : tile<32x32xi8> -> tile<32x32xf16>
      %next = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x32xf16>, tile<64x32xf32>
      continue %next : tile<64x32xf32>
    }}
    %ct = make_tensor_view %c, shape = [64, 32], strides = [32, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x32xf32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_converted(before: str, after: str) -> bool:
    """Whether threads fill a ring."""
    del before
    return 'fill = "threads"' in after


ACQUIRE = "{} = load_ptr_tko acquire device %flags : tile<ptr<i32>> -> tile<i32>, token"
CONVERSION = "%y = itof %y8 signed : tile<32x32xi8> -> tile<32x32xf16>"
BYTES = "-> tile<32x32xi8>, token"
OF_FLOATS = (
    ("array 1 i8", "array 1 f8E4M3FN"),
    ("ptr<i8>", "ptr<f8E4M3FN>"),
    ("64x32xi8", "64x32xf8E4M3FN"),
    (BYTES, "-> tile<32x32xf8E4M3FN>, token"),
    (CONVERSION, "%y = ftof %y8 : tile<32x32xf8E4M3FN> -> tile<32x32xf16>"),
)
MISSES = (
    Miss(
        "both_are_bytes",
        1,
        (
            ("array 0 f16", "array 0 i8"),
            ("ptr<f16>", "ptr<i8>"),
            ("64x64xf16", "64x64xi8"),
            ("%x, %gotx", "%x8, %gotx"),
            (
                "-> tile<64x32xf16>, token",
                "-> tile<64x32xi8>, token\n"
                "      %x = itof %x8 signed : tile<64x32xi8> -> tile<64x32xf16>",
            ),
        ),
    ),
    Miss(
        "read_as_it_lies",
        2,
        (
            ("array 1 i8", "array 1 f16"),
            (
                "strides=1\n// differential: array 2",
                "strides=1 whole=1\n// differential: array 2",
            ),
            ("ptr<i8>", "ptr<f16>"),
            ("64x32xi8", "64x32xf16"),
            ("%y8, %goty", "%y, %goty"),
            (f"{BYTES}\n      {CONVERSION}", "-> tile<32x32xf16>, token"),
        ),
    ),
    Miss("unsigned_bytes", 3, (("itof %y8 signed", "itof %y8 unsigned"),), True),
    Miss("floats", 4, OF_FLOATS, True),
    Miss(
        "floats_with_nans",
        4,
        (
            *OF_FLOATS,
            (
                "shape=2048 strides=1\n// differential: array 2",
                "shape=2048 strides=1 values=nans\n// differential: array 2",
            ),
        ),
        True,
    ),
    Miss(
        "acquire_of_the_loop",
        5,
        (
            ("%now = make_token : token", ACQUIRE.format("%flag, %now")),
            ("token = %before", "token = %now"),
        ),
    ),
    Miss(
        "acquire_before_the_loop",
        5,
        (("%before = make_token : token", ACQUIRE.format("%flag, %before")),),
        True,
    ),
    Miss(
        "bytes_that_something_else_uses",
        6,
        (
            (
                CONVERSION,
                f"{CONVERSION}\n      %least = constant <i8: -128> : tile<32x32xi8>\n"
                "      %is = cmpi greater_than_or_equal %y8, %least, signed "
                ": tile<32x32xi8> -> tile<32x32xi1>\n"
                '      assert %is, "bytes" : tile<32x32xi1>',
            ),
        ),
    ),
    Miss(
        "few_rows",
        7,
        (
            ("tile=(64x32)", "tile=(32x32)"),
            ("64x32xf16", "32x32xf16"),
            ("64x32xf32", "32x32xf32"),
            (
                "shape = [64, 32], strides = [32, 1]",
                "shape = [32, 32], strides = [32, 1]",
            ),
        ),
    ),
    Miss("no_iteration", 8, (("scalar i32 0x2", "scalar i32 0x0"),), True),
    Miss("one_iteration", 8, (("scalar i32 0x2", "scalar i32 0x1"),), True),
    Miss(
        "odd_extents",
        8,
        (
            ("64x64xf16", "61x40xf16"),
            ("shape = [64, 64]", "shape = [61, 40]"),
            ("64x32xi8", "40x29xi8"),
            (
                "shape = [64, 32], strides = [1, 64]",
                "shape = [40, 29], strides = [1, 64]",
            ),
        ),
        True,
    ),
)
SEEDS = (
    Seed(
        "converted_operands",
        "bytes",
        PROGRAM,
        "ring",
        is_converted,
        ("sm_90",),
        MISSES,
    ),
)
