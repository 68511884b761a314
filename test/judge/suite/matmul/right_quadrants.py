# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each block of rows and columns by a launch on views."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def product(a, b, c, steps: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((16, 16), 0, ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(steps):
        left = ct.load(a, index=(i, k), shape=(16, 16), padding_mode=zero)
        right = ct.load(b, index=(k, j), shape=(16, 16), padding_mode=zero)
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=acc)


def candidate(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float32)
    m, n = a.shape[0] // 2, b.shape[1] // 2
    for rows in (slice(0, m), slice(m, None)):
        for columns in (slice(0, n), slice(n, None)):
            part = c[rows, columns]
            grid = (ct.cdiv(part.shape[0], 16), ct.cdiv(part.shape[1], 16))
            words = a[rows], b[:, columns], part, ct.cdiv(a.shape[1], 16)
            ct.launch(cp.cuda.get_current_stream(), grid, product, words)
    return c
