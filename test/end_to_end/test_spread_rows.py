# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that lanes divide are neighbours in each thread: they are stored at once."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

import cuda_tile
from cuda_tile import Options

POOL = """cuda_tile.module @m {
  entry @pool(%p: tile<ptr<f16>>, %q: tile<ptr<f16>>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %b = assume div_by<16>, %q : tile<ptr<f16>>
    %zero = constant <i32: 0> : tile<i32>
    %s = make_tensor_view %a, shape = [16, 128], strides = [128, 1]
      : tensor_view<16x128xf16, strides=[128,1]>
    %d = make_tensor_view %b, shape = [8, 64], strides = [64, 1]
      : tensor_view<8x64xf16, strides=[64,1]>
    %from = make_partition_view %s
      : partition_view<tile=(16x128), tensor_view<16x128xf16, strides=[128,1]>>
    %to = make_partition_view %d
      : partition_view<tile=(8x64), tensor_view<8x64xf16, strides=[64,1]>>
    %x, %t = load_view_tko weak %from[%zero, %zero]
      : partition_view<tile=(16x128), tensor_view<16x128xf16, strides=[128,1]>>,
      tile<i32> -> tile<16x128xf16>, token
    %squares = reshape %x : tile<16x128xf16> -> tile<8x2x64x2xf16>
    %pairs = reduce %squares dim=3 identities=[0xFC00 : f16]
      : tile<8x2x64x2xf16> -> tile<8x2x64xf16> (%i: tile<f16>, %j: tile<f16>) {
      %m = maxf %i, %j : tile<f16>
      yield %m : tile<f16>
    }
    %most = reduce %pairs dim=1 identities=[0xFC00 : f16]
      : tile<8x2x64xf16> -> tile<8x64xf16> (%i: tile<f16>, %j: tile<f16>) {
      %m = maxf %i, %j : tile<f16>
      yield %m : tile<f16>
    }
    %w = store_view_tko weak %most, %to[%zero, %zero] : tile<8x64xf16>,
      partition_view<tile=(8x64), tensor_view<8x64xf16, strides=[64,1]>>, tile<i32>
      -> token
    return
  }
}"""


def test_maxima_of_squares_are_stored_without_an_exchange() -> None:
    module = cuda_tile.load(POOL.encode())
    options = Options(gpu="sm_90", num_warps=2, line_info=False)
    made = cuda_tile.compile(module, cubin=False, options=options)
    x, y = np.zeros((16, 128), "f2"), np.zeros((8, 64), "f2")
    x[...] = np.random.default_rng(1).standard_normal(x.shape)
    words: dict[str, Any] = {"mode": "adversarial", "seed": 1, "compiled": made}
    cuda_tile.run(module, "pool", grid=(1,), args=[x, y], on="emulator", **words)
    assert_array_equal(y, x.reshape(8, 2, 64, 2).max((1, 3)))
    assert "st.shared" not in made.ptx
    assert not re.search(r"st\.global\.b16", made.ptx)
