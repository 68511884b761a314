# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Even elements by a launch on a view, odd ones by the host between them."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def add(x, y, z):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(128,)) + ct.load(y, index=(i,), shape=(128,))
    ct.store(z, index=(i,), tile=tile)


def candidate(x, y):
    z = cp.empty_like(x)
    parts = [a[::2] for a in (x, y, z)]
    grid = (ct.cdiv(parts[0].shape[0], 128),)
    ct.launch(cp.cuda.get_current_stream(), grid, add, tuple(parts))
    z[1::2] = x[1::2] + y[1::2]
    return z
