# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def add_whole(x, y, z):
    i = ct.bid(0)
    left = ct.load(x, index=(i,), shape=(128,))
    ct.store(z, index=(i,), tile=left + ct.load(y, index=(i,), shape=(128,)))


def candidate(x, y):
    n = x.shape[0]
    more = -n % 128
    x, y = cp.pad(x, (0, more)), cp.pad(y, (0, more))
    z = cp.empty_like(x)
    grid = (x.shape[0] // 128,)
    ct.launch(cp.cuda.get_current_stream(), grid, add_whole, (x, y, z))
    return z[:n]
