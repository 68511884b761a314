# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of tensor memory that read elements of 4 bits as the bytes they lie in."""

from __future__ import annotations

from near_miss import Miss, Seed

LEFT = "tensor_view<128x64xi8, strides=[64, 1]>"
LEFTS = f"partition_view<tile=(128x32), padding_value = zero, {LEFT}>"
RIGHT = "tensor_view<16x64xi8, strides=[64, 1]>"
RIGHTS = f"partition_view<tile=(16x32), padding_value = zero, {RIGHT}>"
RESULT = "tensor_view<128x16xf32, strides=[16, 1]>"
RESULTS = f"partition_view<tile=(128x16), {RESULT}>"
LEFT_ELEMENTS = "%x = reshape %xu : tile<8192xf4E2M1FN> -> tile<128x64xf4E2M1FN>"
RIGHT_ELEMENTS = """%yf = reshape %y8 : tile<16x32xi8> -> tile<512xi8>
      %yu = unpack %yf : tile<512xi8> -> tile<1024xf4E2M1FN>
      %yt = reshape %yu : tile<1024xf4E2M1FN> -> tile<16x64xf4E2M1FN>
      %y = permute %yt [1, 0] : tile<16x64xf4E2M1FN> -> tile<64x16xf4E2M1FN>"""
INTEGERS = """%{0}i = unpack %{0}f : tile<{1}xi8> -> tile<{2}xi4>
      %{0}b = exti %{0}i signed : tile<{2}xi4> -> tile<{2}xi8>
      %{0}u = itof %{0}b signed : tile<{2}xi8> -> tile<{2}xf16>"""
ALONG_N = """%yf = reshape %y8 : tile<64x8xi8> -> tile<512xi8>
      %yu = unpack %yf : tile<512xi8> -> tile<1024xf4E2M1FN>
      %y = reshape %yu : tile<1024xf4E2M1FN> -> tile<64x16xf4E2M1FN>"""
PROGRAM = f"""\
// differential: seed=4 grid=1 warps=4
// differential: array 0 i8 size=8192 start=0 shape=8192 strides=1
// differential: array 1 i8 size=1024 start=0 shape=1024 strides=1
// differential: array 2 f32 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<128x16xf32>
    %s = constant <f8E4M3FN: 2.0> : tile<128x4xf8E4M3FN>
    %t = constant <f8E4M3FN: 0.5> : tile<4x16xf8E4M3FN>
    %aa = assume div_by<16>, %a : tile<ptr<i8>>
    %ab = assume div_by<16>, %b : tile<ptr<i8>>
    %at = make_tensor_view %aa, shape = [128, 64], strides = [64, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %ab, shape = [16, 64], strides = [64, 1] : {RIGHT}
    %bv = make_partition_view %bt : {RIGHTS}
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<128x16xf32>) {{
      %x8, %gotx = load_view_tko weak %av[%zero, %k] : {LEFTS}, tile<i32> -> tile<128x32xi8>, token
      %y8, %goty = load_view_tko weak %bv[%zero, %k] : {RIGHTS}, tile<i32> -> tile<16x32xi8>, token
      %xf = reshape %x8 : tile<128x32xi8> -> tile<4096xi8>
      %xu = unpack %xf : tile<4096xi8> -> tile<8192xf4E2M1FN>
      {LEFT_ELEMENTS}
      {RIGHT_ELEMENTS}
      %next = mmaf_scaled %x, %y, %acc, %s, %t : tile<128x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<128x16xf32>, tile<128x4xf8E4M3FN>, tile<4x16xf8E4M3FN>
      continue %next : tile<128x16xf32>
    }}
    %ct = make_tensor_view %c, shape = [128, 16], strides = [16, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<128x16xf32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def reads_bytes(before: str, after: str) -> bool:
    """Whether an instruction reads bytes for elements of 4 bits."""
    del before
    return '.nvf4"' in after


MISSES = (
    Miss(
        "elements_of_a_byte",
        1,
        (
            ("xf4E2M1FN", "xf16"),
            (
                "%xu = unpack %xf : tile<4096xi8> -> tile<8192xf16>",
                INTEGERS.format("x", 4096, 8192),
            ),
            (
                "%yu = unpack %yf : tile<512xi8> -> tile<1024xf16>",
                INTEGERS.format("y", 512, 1024),
            ),
            ("mmaf_scaled %x, %y, %acc, %s, %t", "mmaf %x, %y, %acc"),
            (", tile<128x4xf8E4M3FN>, tile<4x16xf8E4M3FN>", ""),
        ),
    ),
    Miss(
        "few_rows",
        2,
        (
            ("tile=(128x32)", "tile=(64x32)"),
            ("tile=(128x16)", "tile=(64x16)"),
            ("128x16xf32", "64x16xf32"),
            ("shape = [128, 16]", "shape = [64, 16]"),
            ("tile<128x4x", "tile<64x4x"),
            ("tile<128x32xi8>", "tile<64x32xi8>"),
            ("tile<4096xi8>", "tile<2048xi8>"),
            ("tile<8192x", "tile<4096x"),
            ("tile<128x64x", "tile<64x64x"),
        ),
    ),
    Miss(
        "along_n",
        3,
        (
            (RIGHT_ELEMENTS, ALONG_N),
            ("16x64xi8, strides=[64, 1]", "128x8xi8, strides=[8, 1]"),
            ("tile=(16x32)", "tile=(64x8)"),
            (
                "shape = [16, 64], strides = [64, 1]",
                "shape = [128, 8], strides = [8, 1]",
            ),
            ("%bv[%zero, %k]", "%bv[%k, %zero]"),
            ("tile<16x32xi8>", "tile<64x8xi8>"),
        ),
    ),
    Miss(
        "odd_elements_first",
        3,
        (
            (
                LEFT_ELEMENTS,
                "%x2 = reshape %xu : tile<8192xf4E2M1FN> -> tile<4096x2xf4E2M1FN>\n"
                "      %x3 = permute %x2 [1, 0] : tile<4096x2xf4E2M1FN> -> tile<2x4096xf4E2M1FN>\n"
                "      %x = reshape %x3 : tile<2x4096xf4E2M1FN> -> tile<128x64xf4E2M1FN>",
            ),
        ),
    ),
    Miss(
        "elements_that_something_else_uses",
        4,
        (
            (
                LEFT_ELEMENTS,
                f"{LEFT_ELEMENTS}\n"
                "      %w = ftof %xu : tile<8192xf4E2M1FN> -> tile<8192xf32>\n"
                "      %most = constant <f32: 6.0> : tile<8192xf32>\n"
                "      %is = cmpf less_than_or_equal ordered %w, %most "
                ": tile<8192xf32> -> tile<8192xi1>\n"
                '      assert %is, "elements" : tile<8192xi1>',
            ),
        ),
    ),
)
SEEDS = (
    Seed(
        "packed_operands",
        "bytes",
        PROGRAM,
        "stage",
        reads_bytes,
        ("sm_100",),
        MISSES,
    ),
)
