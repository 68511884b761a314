# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few tile blocks that walk over all tiles."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def product(
    a, b, c, steps: ct.Constant[int], rows: ct.Constant[int], tiles: ct.Constant[int]
):
    zero = ct.PaddingMode.ZERO
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile % rows, tile // rows
        acc = ct.full((16, 16), 0, ct.float32)
        for k in range(steps):
            left = ct.load(a, index=(i, k), shape=(16, 16), padding_mode=zero)
            right = ct.load(b, index=(k, j), shape=(16, 16), padding_mode=zero)
            acc = ct.mma(left, right, acc)
        ct.store(c, index=(i, j), tile=acc)


def candidate(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float32)
    rows, columns = ct.cdiv(a.shape[0], 16), ct.cdiv(b.shape[1], 16)
    words = (a, b, c, ct.cdiv(a.shape[1], 16), rows, rows * columns)
    ct.launch(cp.cuda.get_current_stream(), (3,), product, words)
    return c
