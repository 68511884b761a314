# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies f32 as tf32, with 10 bits of mantissa."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def product_tf32(a, b, c, steps: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((16, 32), 0, ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(steps):
        left = ct.load(a, index=(i, k), shape=(16, 16), padding_mode=zero)
        right = ct.load(b, index=(k, j), shape=(16, 32), padding_mode=zero)
        left, right = ct.astype(left, ct.tfloat32), ct.astype(right, ct.tfloat32)
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=acc)


def candidate(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float32)
    grid = (ct.cdiv(a.shape[0], 16), ct.cdiv(b.shape[1], 32))
    steps = ct.cdiv(a.shape[1], 16)
    ct.launch(cp.cuda.get_current_stream(), grid, product_tf32, (a, b, c, steps))
    return c
