# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with a product in tensor memory of each kind, and one that changes a sum."""

from __future__ import annotations

from collections.abc import Iterator

from scaled_text import Scaled, kernel

import cuda_tile
from cuda_tile._mlir import ir

KINDS = (
    ("f16", "f32", "mmaf", "", 16),
    ("tf32", "f32", "mmaf", "", 8),
    ("f8E4M3FN", "f32", "mmaf", "", 32),
    ("i8", "i32", "mmai", " signed signed", 32),
)
"""Element types of operands and sum, op, signs and depth of an instruction."""
TEXT = """cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{s}>>) attributes {{tileas.plan = {{
      num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64}}}} {{
    %a = constant <{e}: {one}> : tile<128x32x{e}>
    %b = constant <{e}: {one}> : tile<32x16x{e}>
    %c = constant <{s}: {sum}> : tile<128x16x{s}>
    %d = {op} %a, %b, %c{signs} {{tileas.plan = {{atom = "tcgen05.m128n16k{k}"}}}}
      : tile<128x32x{e}>, tile<32x16x{e}>, tile<128x16x{s}>
    %q = reshape %p : tile<ptr<{s}>> -> tile<1x1xptr<{s}>>
    %r = broadcast %q : tile<1x1xptr<{s}>> -> tile<128x16xptr<{s}>>
    %t = store_ptr_tko weak %r, %d : tile<128x16xptr<{s}>>, tile<128x16x{s}> -> token
    return
  }}
}}
"""

CHANGED = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %f: tile<f32>, %n: tile<i32>) attributes {tileas.plan = {
      num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64}} {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x16xf16>
    %one = constant <f32: 1.0> : tile<128x16xf32>
    %x = reshape %f : tile<f32> -> tile<1x1xf32>
    %factor = broadcast %x : tile<1x1xf32> -> tile<128x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %d = for %i in (%first to %n, step %step) : tile<i32>
        iter_values(%sum = %one) -> (tile<128x16xf32>) {
      %s = mulf %sum, %factor : tile<128x16xf32>
      %c = mmaf %a, %b, %s {tileas.plan = {atom = "tcgen05.m128n16k16"}}
        : tile<128x16xf16>, tile<16x16xf16>, tile<128x16xf32>
      continue %c : tile<128x16xf32>
    }
    %q = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %r = broadcast %q : tile<1x1xptr<f32>> -> tile<128x16xptr<f32>>
    %t = store_ptr_tko weak %r, %d : tile<128x16xptr<f32>>, tile<128x16xf32> -> token
    return
  }
}
"""
"""A sum that threads multiply in place before each product."""

SCALED = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) attributes {tileas.plan = {
      num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64}} {
    %a = constant <f8E4M3FN: 1.0> : tile<128x32xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<32x16xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<128x16xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %d = mmaf_scaled %a, %b, %c, %u, %v
      {tileas.plan = {atom = "tcgen05.m128n16k32.mxf8"}}
      : tile<128x32xf8E4M3FN>, tile<32x16xf8E4M3FN>, tile<128x16xf32>,
        tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>
    %q = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %r = broadcast %q : tile<1x1xptr<f32>> -> tile<128x16xptr<f32>>
    %t = store_ptr_tko weak %r, %d : tile<128x16xptr<f32>>, tile<128x16xf32> -> token
    return
  }
}
"""
"""A product with factors for blocks of 32."""


FOURS = """cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<i8>>) attributes {{tileas.plan = {{
      num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64}}}} {{
    %q0 = reshape %q : tile<ptr<i8>> -> tile<1x1xptr<i8>>
    %ap = broadcast %q0 : tile<1x1xptr<i8>> -> tile<128x32xptr<i8>>
    %bp = broadcast %q0 : tile<1x1xptr<i8>> -> tile<16x32xptr<i8>>
    %ab, %ta = load_ptr_tko weak %ap : tile<128x32xptr<i8>> -> tile<128x32xi8>, token
    %bb, %tb = load_ptr_tko weak %bp : tile<16x32xptr<i8>> -> tile<16x32xi8>, token
    %af = reshape %ab : tile<128x32xi8> -> tile<4096xi8>
    %bf = reshape %bb : tile<16x32xi8> -> tile<512xi8>
    %ax = unpack %af : tile<4096xi8> -> tile<8192xf4E2M1FN>
    %bx = unpack %bf : tile<512xi8> -> tile<1024xf4E2M1FN>
    %a = reshape %ax : tile<8192xf4E2M1FN> -> tile<128x64xf4E2M1FN>
    %bt = reshape %bx : tile<1024xf4E2M1FN> -> tile<16x64xf4E2M1FN>
    %b = permute %bt [1, 0] : tile<16x64xf4E2M1FN> -> tile<64x16xf4E2M1FN>
    %c = constant <f32: 1.0> : tile<128x16xf32>
    %u = constant <{e}: 1.0> : tile<128x{n}x{e}>
    %v = constant <{e}: 1.0> : tile<{n}x16x{e}>
    %d = mmaf_scaled %a, %b, %c, %u, %v
      {{tileas.plan = {{atom = "tcgen05.m128n16k64.{suffix}"}}}}
      : tile<128x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<128x16xf32>,
        tile<128x{n}x{e}>, tile<{n}x16x{e}>
    %r0 = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %r = broadcast %r0 : tile<1x1xptr<f32>> -> tile<128x16xptr<f32>>
    %t = store_ptr_tko weak %r, %d : tile<128x16xptr<f32>>, tile<128x16xf32> -> token
    return
  }}
}}
"""
"""A product of elements of 4 bits that threads load as bytes."""
COPIED = Scaled(tile=(128, 128, 128), sizes=(128, 128, 512), factors_divide=4)
"""A product whose factors are copied to tensor memory."""


def tensor_kernels() -> Iterator[tuple[str, ir.Module]]:
    """Level P of each of them, with its chip."""
    for element, total, op, signs, depth in KINDS:
        one, start = ("1", "1") if element == "i8" else ("1.0", "1.0")
        text = TEXT.format(
            e=element, s=total, op=op, signs=signs, k=depth, one=one, sum=start
        )
        yield "sm_100", cuda_tile.lower(cuda_tile.load(text.encode()), "sm_100")
    fours = (
        FOURS.format(suffix=suffix, e=element, n=factors)
        for suffix, element, factors in (
            ("mxf4", "f8E8M0FNU", 2),
            ("nvf4", "f8E4M3FN", 4),
        )
    )
    for whole in (CHANGED, SCALED, *fours, kernel(COPIED)):
        yield "sm_100", cuda_tile.lower(cuda_tile.load(whole.encode()), "sm_100")
