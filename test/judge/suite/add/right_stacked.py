# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def add_rows(both, z):
    i = ct.bid(0)
    tile = ct.load(both, index=(0, i), shape=(2, 128))
    ct.store(z, index=(i,), tile=ct.sum(tile, 0))


def candidate(x, y):
    both, z = cp.stack([x, y]), cp.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(cp.cuda.get_current_stream(), grid, add_rows, (both, z))
    return z
