# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that use what a program of level T only gets by a plan.

Rings and products of warpgroups, written at level W as they are before `allocate`, and
stores by the copy engine, with a plan by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from emit_wgmma import Product
from ring_kernels import RingProduct, emit_placed
from store_kernels import StoredProduct

import cuda_tile
from cuda_tile._mlir import ir

RINGS = (
    RingProduct(),
    RingProduct(sync="mbarriers", load_warps=1),
    RingProduct(sync="mbarriers", fill="tma", load_warps=1, gpu="sm_90"),
)
PLACED = (
    *((product.gpu, product.text) for product in RINGS),
    ("sm_90", Product().text()),
)


DIVIDED = """
cuda_tile.module @m {
  entry @sum(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) attributes
      {tileas.plan = {cluster = 2 : i64, num_warps = 2 : i64}} {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %n:3 = get_num_tile_blocks : tile<i32>
    %p = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %p : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %step = iota : tile<256xi32>
    %at = offset %q, %step : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %v, %t = load_ptr_tko weak %at : tile<256xptr<f32>> -> tile<256xf32>, token
    %s = reduce %v dim=0 identities=[0.0 : f32] : tile<256xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %m = muli %i, %n#0 : tile<i32>
    %o = offset %y, %m : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %d = store_ptr_tko weak %o, %s : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
"""A tile that two CTAs divide."""
LARGEST = (
    DIVIDED.replace("cluster = 2 : i64, ", "")
    .replace("addf", "maxf")
    .replace("[0.0 : f32]", "[0xFF800000 : f32]")
)
"""The largest element, of a warp by one instruction on sm_100."""


def placed_kernels() -> Iterator[tuple[str, ir.Module]]:
    """Level P of each of them, with its chip."""
    for gpu, text in PLACED:
        yield gpu, emit_placed(text, gpu)
    for gpu, text in (("sm_90", DIVIDED), ("sm_100", LARGEST)):
        yield gpu, cuda_tile.lower(cuda_tile.load(text.encode()), gpu)
    stored = cuda_tile.load(StoredProduct().text.encode())
    yield "sm_90", cuda_tile.lower(stored, "sm_90")
