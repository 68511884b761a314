# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with a product in tensor memory of each kind."""

from __future__ import annotations

from collections.abc import Iterator

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


def tensor_kernels() -> Iterator[tuple[str, ir.Module]]:
    """Level P of each of them, with its chip."""
    for element, total, op, signs, depth in KINDS:
        one, start = ("1", "1") if element == "i8" else ("1.0", "1.0")
        text = TEXT.format(
            e=element, s=total, op=op, signs=signs, k=depth, one=one, sum=start
        )
        yield "sm_100", cuda_tile.lower(cuda_tile.load(text.encode()), "sm_100")
