# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of arrays: pointers that a kernel loads from memory, on each executor."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile

# Adds all arrays of a list (a table of pointer, shape, stride rows of 64-bit words,
# and their number) into one: what cuTile makes of a loop over a list argument.
SUM = """
cuda_tile.module @kernels {
  entry @sum_list(%table: tile<ptr<i64>>, %count: tile<i32>, %out: tile<ptr<f32>>) {
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %row = constant <i32: 3> : tile<i32>
    %lanes = iota : tile<64xi32>
    %start = constant <f32: 0.0> : tile<64xf32>
    %sum = for %i in (%zero to %count, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<64xf32>) {
      %at = muli %i, %row : tile<i32>
      %entry = offset %table, %at : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
      %word, %t0 = load_ptr_tko weak %entry token=%token
        : tile<ptr<i64>> -> tile<i64>, token
      %bytes = int_to_ptr %word : tile<i64> -> tile<ptr<i8>>
      %first = ptr_to_ptr %bytes : tile<ptr<i8>> -> tile<ptr<f32>>
      %one_p = reshape %first : tile<ptr<f32>> -> tile<1xptr<f32>>
      %many = broadcast %one_p : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %where = offset %many, %lanes : tile<64xptr<f32>>, tile<64xi32>
        -> tile<64xptr<f32>>
      %x, %t1 = load_ptr_tko weak %where token=%token
        : tile<64xptr<f32>> -> tile<64xf32>, token
      %next = addf %acc, %x : tile<64xf32>
      continue %next : tile<64xf32>
    }
    %one_o = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
    %many_o = broadcast %one_o : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %where_o = offset %many_o, %lanes : tile<64xptr<f32>>, tile<64xi32>
      -> tile<64xptr<f32>>
    %t2 = store_ptr_tko weak %where_o, %sum token=%token
      : tile<64xptr<f32>>, tile<64xf32> -> token
    return
  }
}
"""

EXECUTORS = [
    pytest.param({"on": "interp"}, id="interp"),
    pytest.param({"on": "emulator", "gpu": "sm_80"}, id="sm_80"),
    pytest.param({"on": "emulator", "gpu": "sm_90"}, id="sm_90"),
]


@pytest.mark.parametrize("where", EXECUTORS)
def test_pointers_in_a_table_are_followed(where):
    arrays = [np.arange(64, dtype=np.float32) * n for n in (1, 10, 100)]
    out = np.zeros(64, np.float32)
    module = cuda_tile.load(SUM.encode())
    args = [*cuda_tile.list_args(arrays, index_bits=64), out]
    cuda_tile.run(module, grid=(1,), args=args, **where)
    np.testing.assert_array_equal(out, np.arange(64) * 111)


@pytest.mark.parametrize("where", EXECUTORS)
def test_a_pointer_to_nothing_that_was_passed_is_an_error(where):
    table, count = cuda_tile.list_args([np.ones(64, np.float32)], index_bits=64)
    assert isinstance(table, np.ndarray)
    table[0] = 0x1000
    args = [table, count, np.zeros(64, np.float32)]
    with pytest.raises(cuda_tile.UserError, match="0x1000") as caught:
        cuda_tile.run(cuda_tile.load(SUM.encode()), grid=(1,), args=args, **where)
    assert "sum_list" in str(caught.value)
    assert "nearest" in str(caught.value)
