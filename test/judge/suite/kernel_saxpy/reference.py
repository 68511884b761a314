# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp
import numpy as np

from cuda_tile.judge import Launch, draw

CASES = 4
SIZES = 256, 1000, 77, 2048


def inputs(rng, number):
    n = SIZES[number]
    return 2.5, draw(rng, n, number=number), draw(rng, n, number=number + 2)


def reference(a, x, y):
    return (a * x + y).astype(np.float32)


def launch(empty, a, x, y):
    z = empty(x.shape)
    grid = -(-x.size // 256)
    return Launch(grid, (a, x, y, z, x.size), outputs=(z,), block=256)


@ct.kernel
def saxpy(a, x, y, z):
    i = ct.bid(0)
    tile = a * ct.load(x, (i,), (256,)) + ct.load(y, (i,), (256,))
    ct.store(z, (i,), tile)


def program(a, x, y):
    z = cp.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 256),)
    ct.launch(cp.cuda.get_current_stream(), grid, saxpy, (a, x, y, z))
    return z
