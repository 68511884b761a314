# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp

from cuda_tile.judge import draw


@ct.kernel
def add(x, y, z):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(256,)) + ct.load(y, index=(i,), shape=(256,))
    ct.store(z, index=(i,), tile=tile)


CASES = 6
SIZES = 256, 1000, 1, 129, 2048, 300


def inputs(rng, number):
    n = SIZES[number]
    return draw(rng, n, number=number), draw(rng, n, number=number + 1)


def reference(x, y):
    return x + y


def program(x, y):
    z = cp.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 256),)
    ct.launch(cp.cuda.get_current_stream(), grid, add, (x, y, z))
    return z
