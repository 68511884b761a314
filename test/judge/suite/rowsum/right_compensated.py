# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kahan's sum along chunks of a row."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def sums(x, out, steps: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.zeros((1, 64), ct.float32)
    lost = ct.zeros((1, 64), ct.float32)
    for k in range(steps):
        part = ct.load(x, index=(i, k), shape=(1, 64), padding_mode=ct.PaddingMode.ZERO)
        term = part - lost
        now = total + term
        lost = (now - total) - term
        total = now
    ct.store(out, index=(i,), tile=ct.sum(total, 1))


def candidate(x):
    out = cp.empty(x.shape[0], cp.float32)
    steps = ct.cdiv(x.shape[1], 64)
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), sums, (x, out, steps))
    return out
