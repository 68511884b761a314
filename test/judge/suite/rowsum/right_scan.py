# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last element of a prefix sum."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def sums(x, out, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=ct.PaddingMode.ZERO)
    runs = ct.cumsum(tile, 1)
    last = ct.extract(runs, (0, n - 1), (1, 1))
    ct.store(out, index=(i,), tile=ct.reshape(last, (1,)))


def candidate(x):
    out = cp.empty(x.shape[0], cp.float32)
    n = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), sums, (x, out, n))
    return out
