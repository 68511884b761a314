# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses that must stay in order, in programs that used to have races.

Each was compiled to PTX that the emulator's adversarial mode found a race in.
"""

from __future__ import annotations

import numpy as np
import pytest
from emit_agree import agree

HEAD = """
!tensor = !cuda_tile.tensor_view<32x32xf32, strides=[32,1]>
!rows = !cuda_tile.partition_view<tile=(32x32), !tensor>
!columns = !cuda_tile.partition_view<tile=(32x32), !tensor, dim_map=[1, 0]>
!tile = !cuda_tile.tile<32x32xf32>
!row = !cuda_tile.tile<64xptr<i32>>
cuda_tile.module @kernels {
"""

ZERO_TRIPS = (
    HEAD
    + """
  entry @zero_trips(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %r: tile<ptr<f32>>,
      %s: tile<ptr<f32>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tp = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : !tensor
    %tq = make_tensor_view %q, shape = [32, 32], strides = [32, 1] : !tensor
    %tr = make_tensor_view %r, shape = [32, 32], strides = [32, 1] : !tensor
    %ts = make_tensor_view %s, shape = [32, 32], strides = [32, 1] : !tensor
    %from = make_partition_view %tp : !rows
    %first = make_partition_view %tq : !rows
    %second = make_partition_view %tr : !rows
    %third = make_partition_view %ts : !rows
    %x, %a = load_view_tko weak %from[%z, %z] : !rows, tile<i32> -> !tile, token
    %xt = permute %x [1, 0] : !tile -> !tile
    %x2 = addf %x, %xt : !tile
    %b = store_view_tko weak %x2, %first[%z, %z] : !tile, !rows, tile<i32> -> token
    for %i in (%z to %n, step %one) : tile<i32> {
      %y = mulf %x, %x : !tile
      %yt = permute %y [1, 0] : !tile -> !tile
      %y2 = addf %y, %yt : !tile
      %c = store_view_tko weak %y2, %second[%z, %z] : !tile, !rows, tile<i32> -> token
      %v, %e = load_view_tko weak %second[%z, %z] token = %c
          : !rows, tile<i32> -> !tile, token
      %u = negf %v : !tile
      %f = store_view_tko weak %u, %second[%z, %z] token = %e
          : !tile, !rows, tile<i32> -> token
    }
    %w = negf %x : !tile
    %wt = permute %w [1, 0] : !tile -> !tile
    %w2 = addf %w, %wt : !tile
    %d = store_view_tko weak %w2, %third[%z, %z] : !tile, !rows, tile<i32> -> token
    return
  }
}
"""
)


@pytest.mark.parametrize("trips", [0, 1])
def test_a_loop_without_iterations_orders_nothing(trips: int) -> None:
    data = np.arange(1024, dtype=np.float32).reshape(32, 32)
    args = [data, *(np.zeros_like(data) for _ in range(3)), np.int32(trips)]
    _, first, second, third, _ = agree(ZERO_TRIPS, args, num_warps=4)
    assert (first == data + data.T).all()
    assert (second == -trips * (data**2 + data.T**2)).all()
    assert (third == -first).all()


CHAIN = (
    HEAD
    + """
  entry @chain(%p: tile<ptr<i32>>) {
    %i = iota : tile<64xi32>
    %most = constant <i32: 63> : tile<64xi32>
    %iteration = xori %i, %most : tile<64xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p64 = broadcast %p1 : tile<1xptr<i32>> -> !row
    %up = offset %p64, %i : !row, tile<64xi32> -> !row
    %down = offset %p64, %iteration : !row, tile<64xi32> -> !row
    %x, %a = load_ptr_tko weak %down : !row -> tile<64xi32>, token
    %y, %b = load_ptr_tko weak %up token=%a : !row -> tile<64xi32>, token
    %z = addi %x, %y : tile<64xi32>
    %w = muli %z, %i : tile<64xi32>
    %c = store_ptr_tko weak %up, %w token=%b : !row, tile<64xi32> -> token
    return
  }
}
"""
)


def test_a_store_is_after_every_load_of_its_chain() -> None:
    (array,) = agree(CHAIN, [np.arange(64, dtype=np.int32)], num_warps=2)
    assert (array == 63 * np.arange(64)).all()


SHIFTED = (
    HEAD
    + """
  entry @shifted(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %i = iota : tile<64xi32>
    %ones = constant <i32: 1> : tile<64xi32>
    %first = make_token : token
    %last = for %k in (%z to %n, step %one) : tile<i32> iter_values(%t = %first)
        -> (token) {
      %at = offset %p, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %at1 = reshape %at : tile<ptr<i32>> -> tile<1xptr<i32>>
      %at64 = broadcast %at1 : tile<1xptr<i32>> -> !row
      %q = offset %at64, %i : !row, tile<64xi32> -> !row
      %x, %a = load_ptr_tko weak %q token=%t : !row -> tile<64xi32>, token
      %y = addi %x, %ones : tile<64xi32>
      %b = store_ptr_tko weak %q, %y token=%a : !row, tile<64xi32> -> token
      continue %b : token
    }
    return
  }
}
"""
)


def test_pointers_of_two_iterations_are_not_the_same() -> None:
    (array, _) = agree(SHIFTED, [np.zeros(80, np.int32), np.int32(9)], num_warps=2)
    iterations = np.arange(80)
    assert (array == np.clip(np.minimum(iterations + 1, 72 - iterations), 0, 9)).all()


BRANCHES = (
    HEAD
    + """
  entry @branches(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %c = cmpi equal %n, %z, signed : tile<i32> -> tile<i1>
    %t = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : !tensor
    %u = make_tensor_view %q, shape = [32, 32], strides = [32, 1] : !tensor
    %rows = make_partition_view %t : !rows
    %columns = make_partition_view %t : !columns
    %other = make_partition_view %u : !rows
    %start = make_token : token
    %x, %a = load_view_tko weak %rows[%z, %z] token = %start
        : !rows, tile<i32> -> !tile, token
    %v, %k = if %c -> (!tile, token) {
      %b = store_view_tko weak %x, %columns[%z, %z] token = %a
          : !tile, !columns, tile<i32> -> token
      yield %x, %b : !tile, token
    } else {
      %d = permute %x [1, 0] : !tile -> !tile
      yield %d, %start : !tile, token
    }
    %y, %e = load_view_tko weak %rows[%z, %z] token = %k
        : !rows, tile<i32> -> !tile, token
    %w = addf %y, %v : !tile
    %f = store_view_tko weak %w, %other[%z, %z] token = %e
        : !tile, !rows, tile<i32> -> token
    return
  }
}
"""
)


@pytest.mark.parametrize("n", [0, 1])
def test_tokens_go_through_branches(n: int) -> None:
    data = np.arange(1024, dtype=np.float32).reshape(32, 32)
    args = [data, np.zeros_like(data), np.int32(n)]
    _, stored, _ = agree(BRANCHES, args, num_warps=4)
    assert (stored == data + data.T).all()
