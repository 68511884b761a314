# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B in tiles, then a function of its own."""

import cuda.tile as ct
import cupy as cp
import numpy as np


def scaled(t, s):
    doubled = t * 2.0
    return doubled * s


@ct.kernel
def product(a, b, c, tile: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
        left = ct.load(a, index=(i, k), shape=(tile, tile))
        right = ct.load(b, index=(k, j), shape=(tile, tile))
        acc = ct.mma(left, right, acc)
    if i > 0:
        acc = acc + 1.0
    ct.store(c, index=(i, j), tile=scaled(acc, 0.5))


a = cp.ones((32, 64), np.float32)
b = cp.ones((64, 32), np.float32)
c = cp.zeros((32, 32), np.float32)
ct.launch(cp.cuda.get_current_stream(), (2, 2), product, (a, b, c, 16))
print("first:", c[0, 0], "last:", c[31, 31])
