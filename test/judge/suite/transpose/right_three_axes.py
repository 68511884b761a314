# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An axis more on the way."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def transpose(x, y):
    i, j = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    tile = ct.load(x, index=(i, j), shape=(16, 32), padding_mode=zero)
    ct.store(y, index=(j, i), tile=ct.permute(tile[None], (2, 0, 1)).reshape((32, 16)))


def candidate(x):
    y = cp.empty((x.shape[1], x.shape[0]), x.dtype)
    grid = (ct.cdiv(x.shape[0], 16), ct.cdiv(x.shape[1], 32))
    ct.launch(cp.cuda.get_current_stream(), grid, transpose, (x, y))
    return y
