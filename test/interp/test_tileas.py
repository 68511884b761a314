# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Level W: layouts have no effect, tileas ops are plain copies."""

from __future__ import annotations

import numpy as np
import pytest
from interp_harness import kernel

from cuda_tile import interp
from cuda_tile.interp import InterpError

ROW = "#cute.layout<((1@1), (2@1, 4@1, 8@1, 1@0, 2@0), (4@0), ())>"
COLUMN = "#cute.layout<((1@0), (2@0, 4@0, 1@1, 2@1, 4@1), (8@1), ())>"
FLAT = "#cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0)>"
TENSOR = "tensor_view<8x16xf32, strides=[16,1]>"
VIEW = f"partition_view<tile=(8x16), {TENSOR}>"
TILE = f"tile<8x16xf32, {ROW}>"
HALF = "tile<4x8xf32, #cute.layout<((), (1@1, 2@1, 4@1, 1@0, 2@0), (0), ())>>"
OUT = "partition_view<tile=(4x8), tensor_view<4x8xf32, strides=[8,1]>>"


def body(store: str) -> str:
    return f"""
      %z = constant <i32: 0> : tile<i32>
      %t = make_tensor_view %p, shape = [8, 16], strides = [16, 1] : {TENSOR}
      %v = make_partition_view %t : {VIEW}
      %o = make_tensor_view %q, shape = [4, 8], strides = [8, 1]
        : tensor_view<4x8xf32, strides=[8,1]>
      %w = make_partition_view %o : {OUT}
      %x, %a = load_view_tko weak %v[%z, %z] : {VIEW}, tile<i32> -> {TILE}, token
      %y = tileas.convert_layout %x
        : !cuda_tile.{TILE} -> !cuda_tile.tile<8x16xf32, {COLUMN}>
      %b = tileas.alloc_shared : !tileas.buffer<8x16xf32, {FLAT}>
      {store}
      tileas.barrier
      %s = tileas.load_shared %b[4, 8]
        : !tileas.buffer<8x16xf32, {FLAT}> -> !cuda_tile.{HALF}
      %r = store_view_tko weak %s, %w[%z, %z] : {HALF}, {OUT}, tile<i32> -> token
    """


STORE = f"""tileas.store_shared %y, %b
  : !cuda_tile.tile<8x16xf32, {COLUMN}>, !tileas.buffer<8x16xf32, {FLAT}>"""


def test_a_tile_passes_through_shared_memory() -> None:
    a, out = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    module = kernel("%p: tile<ptr<f32>>, %q: tile<ptr<f32>>", body(STORE))
    interp.run(module, grid=(1,), args=[a, out])
    assert out.tolist() == a.reshape(8, 16)[4:, 8:].reshape(-1).tolist()


def test_a_buffer_that_nobody_filled_is_unspecified() -> None:
    a, out = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    module = kernel("%p: tile<ptr<f32>>, %q: tile<ptr<f32>>", body(""))
    with pytest.raises(InterpError, match="the stored value is unspecified"):
        interp.run(module, grid=(1,), args=[a, out])


PART = "!tileas.buffer<4x16xf32, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0)>>"


def test_parts_of_a_tile_change_places() -> None:
    """Each half is stored from one place and loaded to the other."""
    a, out = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    text = f"""
      %z = constant <i32: 0> : tile<i32>
      %t = make_tensor_view %p, shape = [8, 16], strides = [16, 1] : {TENSOR}
      %u = make_tensor_view %q, shape = [8, 16], strides = [16, 1] : {TENSOR}
      %v = make_partition_view %t : {VIEW}
      %w = make_partition_view %u : {VIEW}
      %x, %a = load_view_tko weak %v[%z, %z] : {VIEW}, tile<i32> -> {TILE}, token
      %b = tileas.alloc_shared : {PART}
      tileas.store_shared %x at [4, 0], %b : !cuda_tile.{TILE}, {PART}
      %l = tileas.load_shared %b[0, 0] into %x : !cuda_tile.{TILE} : {PART}
        -> !cuda_tile.{TILE}
      tileas.store_shared %x at [0, 0], %b : !cuda_tile.{TILE}, {PART}
      %m = tileas.load_shared %b[4, 0] into %l : !cuda_tile.{TILE} : {PART}
        -> !cuda_tile.{TILE}
      %r = store_view_tko weak %m, %w[%z, %z] : {TILE}, {VIEW}, tile<i32> -> token
    """
    module = kernel("%p: tile<ptr<f32>>, %q: tile<ptr<f32>>", text)
    interp.run(module, grid=(1,), args=[a, out])
    assert out.tolist() == [*range(64, 128), *range(64)]
