# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit tiles: every register that the PTX reads has been written.

LLVM moves bytes of vectors through vectors that are undefined in part; where it does,
the emulator reports a register that is used before it is written.
"""

from __future__ import annotations

import numpy as np
import pytest
from emit_agree import agree

TRANSPOSED = """
cuda_tile.module @kernels {{
  entry @transposed(%p: tile<ptr<i8>>, %q: tile<ptr<f16>>, %rows: tile<i64>) {{
    %z = constant <i32: 0> : tile<i32>
    %base = assume div_by<16>, %p : tile<ptr<i8>>
    %t = make_tensor_view %q, shape = [%rows, {columns}], strides = [{columns}, 1]
        : tile<i64> -> tensor_view<?x{columns}xf16, strides=[{columns},1]>
    %v = make_partition_view %t : partition_view<tile=({rows}x{columns}),
        padding_value = pos_inf, tensor_view<?x{columns}xf16, strides=[{columns},1]>>
    %x, %a = load_view_tko weak %v[%z, %z] : partition_view<tile=({rows}x{columns}),
        padding_value = pos_inf, tensor_view<?x{columns}xf16, strides=[{columns},1]>>,
        tile<i32> -> tile<{rows}x{columns}xf16>, token
    %y = permute %x [1, 0] : tile<{rows}x{columns}xf16> -> tile<{columns}x{rows}xf16>
    %i = ftoi %y signed saturating : tile<{columns}x{rows}xf16>
        -> tile<{columns}x{rows}xi8>
    %u = make_tensor_view %base, shape = [{columns}, {rows}], strides = [{rows}, 1]
        : tensor_view<{columns}x{rows}xi8, strides=[{rows},1]>
    %w = make_partition_view %u : partition_view<tile=({columns}x{rows}),
        tensor_view<{columns}x{rows}xi8, strides=[{rows},1]>>
    %b = store_view_tko weak %i, %w[%z, %z] : tile<{columns}x{rows}xi8>,
        partition_view<tile=({columns}x{rows}),
        tensor_view<{columns}x{rows}xi8, strides=[{rows},1]>>, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize("num_warps", [1, 2, 4])
@pytest.mark.parametrize(("rows", "columns"), [(32, 16), (16, 32), (64, 8)])
def test_bytes_that_change_threads(rows: int, columns: int, num_warps: int) -> None:
    inside = rows - 7
    numbers = np.arange(inside * columns, dtype=np.float16).reshape(inside, columns)
    out = np.zeros((columns, rows), np.int8)
    text = TRANSPOSED.format(rows=rows, columns=columns)
    args = [out, numbers, np.int64(inside)]
    got = agree(text, args, num_warps=num_warps, seeds=(0,))[0]
    assert (got[:, :inside] == np.minimum(numbers.T, 127)).all()
    assert (got[:, inside:] == 127).all()
