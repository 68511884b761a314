# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows gathered through pointers go through a ring as views do: `gather_in`."""

from __future__ import annotations

import numpy as np
import pytest
from emit_agree import agree

import cuda_tile

TEXT = """cuda_tile.module @kernels {
  entry @gather(%pa: tile<ptr<f16>>, %pi: tile<ptr<i32>>, %pb: tile<ptr<f16>>,
                %pc: tile<ptr<f32>>, %m: tile<i32>, %k: tile<i32>, %n: tile<i32>) {
    %a16 = assume div_by<16>, %pa : tile<ptr<f16>>
    %b16 = assume div_by<16>, %pb : tile<ptr<f16>>
    %k0 = assume bounded<0, ?>, %k : tile<i32>
    %k1 = assume div_by<8>, %k0 : tile<i32>
    %n0 = assume bounded<0, ?>, %n : tile<i32>
    %n1 = assume div_by<8>, %n0 : tile<i32>
    %bv = make_tensor_view %b16, shape = [%k1, %n1], strides = [%n1, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %bp = make_partition_view %bv : PART
    %cv = make_tensor_view %pc, shape = [%m, %n1], strides = [%n1, 1]
      : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %cp = make_partition_view %cv
      : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %trips, %cols = get_index_space_shape %bp : PART -> tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %first = muli %i, %c64 : tile<i32>
    %f1 = reshape %first : tile<i32> -> tile<1xi32>
    %f64 = broadcast %f1 : tile<1xi32> -> tile<64xi32>
    %io = iota : tile<64xi32>
    %row = addi %io, %f64 : tile<64xi32>
    %m1 = reshape %m : tile<i32> -> tile<1xi32>
    %m64 = broadcast %m1 : tile<1xi32> -> tile<64xi32>
    %ok = cmpi less_than %row, %m64, signed : tile<64xi32> -> tile<64xi1>
    %ip = reshape %pi : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ib = broadcast %ip : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %iq = offset %ib, %row : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %none = constant <i32: 0> : tile<64xi32>
    %idx, %it = load_ptr_tko weak %iq, %ok, %none
      : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
    %k1s = reshape %k1 : tile<i32> -> tile<1xi32>
    %k64 = broadcast %k1s : tile<1xi32> -> tile<64xi32>
    %start = muli %idx, %k64 : tile<64xi32>
    %sc = reshape %start : tile<64xi32> -> tile<64x1xi32>
    %sb = broadcast %sc : tile<64x1xi32> -> tile<64x32xi32>
    %okc = reshape %ok : tile<64xi1> -> tile<64x1xi1>
    %okb = broadcast %okc : tile<64x1xi1> -> tile<64x32xi1>
    %ap = reshape %a16 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %ab = broadcast %ap : tile<1x1xptr<f16>> -> tile<64x32xptr<f16>>
    %io32 = iota : tile<32xi32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %fill = constant <f16: 0.0> : tile<64x32xf16>
    %sum = for %t in (%c0 to %trips, step %c1)
      : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %kt = muli %t, %c32 : tile<i32>
      %kt1 = reshape %kt : tile<i32> -> tile<1xi32>
      %kt32 = broadcast %kt1 : tile<1xi32> -> tile<32xi32>
      %col = addi %io32, %kt32 : tile<32xi32>
      %kk = reshape %k1 : tile<i32> -> tile<1xi32>
      %kk32 = broadcast %kk : tile<1xi32> -> tile<32xi32>
      %okk = cmpi less_than %col, %kk32, signed : tile<32xi32> -> tile<32xi1>
      %okr = reshape %okk : tile<32xi1> -> tile<1x32xi1>
      %okrb = broadcast %okr : tile<1x32xi1> -> tile<64x32xi1>
      %both = andi %okrb, %okb : tile<64x32xi1>
      %cr = reshape %col : tile<32xi32> -> tile<1x32xi32>
      %crb = broadcast %cr : tile<1x32xi32> -> tile<64x32xi32>
      %off = addi %sb, %crb : tile<64x32xi32>
      %ptrs = offset %ab, %off
        : tile<64x32xptr<f16>>, tile<64x32xi32> -> tile<64x32xptr<f16>>
      %x, %xt = load_ptr_tko weak %ptrs, %both, %fill
        : tile<64x32xptr<f16>>, tile<64x32xi1>, tile<64x32xf16>
          -> tile<64x32xf16>, token
      %y, %yt = load_view_tko weak %bp[%t, %j]
        : PART, tile<i32> -> tile<32x64xf16>, token
      %next = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %done = store_view_tko weak %sum, %cp[%i, %j]
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32,
          strides=[?,1]>>, tile<i32> -> token
    return
  }
}
"""
"""C = A[rows] @ B: rows past the last one and columns past K are masked."""
PART = (
    "partition_view<tile=(32x64), padding_value = zero, "
    "tensor_view<?x?xf16, strides=[?,1]>>"
)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("sizes", [(64, 64, 64), (40, 104, 56)])
def test_gathered_rows(gpu: str, sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    generator = np.random.default_rng(0)
    a = generator.integers(-4, 5, (100, k)).astype(np.float16)
    b = generator.integers(-4, 5, (k, n)).astype(np.float16)
    rows = generator.integers(0, len(a), m).astype(np.int32)
    c = np.zeros((m, n), np.float32)
    text = TEXT.replace("PART", PART)
    placed = str(cuda_tile.lower(cuda_tile.load(text.encode()), gpu, until="stage"))
    assert placed.count("tileas.gather_in") == 1
    extents = (np.int32(extent) for extent in (m, k, n))
    got = agree(text, [a, rows, b, c, *extents], gpu=gpu)
    assert np.array_equal(got[3], a[rows].astype(np.float32) @ b.astype(np.float32))
