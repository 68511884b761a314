# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def column_sum(x, y, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(0, i), shape=(n, 4), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i,), tile=ct.sum(tile, 0))


def candidate(x):
    across = cp.ascontiguousarray(x.T)
    y = cp.empty(x.shape[0], cp.float32)
    n = 1 << (x.shape[1] - 1).bit_length()
    grid = (ct.cdiv(x.shape[0], 4),)
    ct.launch(cp.cuda.get_current_stream(), grid, column_sum, (across, y, n))
    return y
