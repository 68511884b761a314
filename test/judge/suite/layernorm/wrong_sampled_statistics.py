# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes mean and variance of every second column only."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def layernorm(x, weight, bias, y, eps, count: ct.Constant[int], n: ct.Constant[int]):
    i = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=zero)
    columns = ct.arange(n, dtype=ct.int32)[None, :]
    inside = (columns < count) & (columns % 2 == 0)
    half = (count + 1) // 2
    mean = ct.sum(ct.where(inside, tile, 0.0), 1, keepdims=True) / half
    off = ct.where(inside, tile - mean, 0.0)
    variance = ct.sum(off * off, 1, keepdims=True) / half
    w = ct.load(weight, index=(0,), shape=(n,), padding_mode=zero)
    b = ct.load(bias, index=(0,), shape=(n,), padding_mode=zero)
    out = (tile - mean) * ct.rsqrt(variance + eps) * w[None, :] + b[None, :]
    ct.store(y, index=(i, 0), tile=out)


def candidate(x, weight, bias, eps):
    y = cp.empty_like(x)
    count = x.shape[1]
    n = 1 << (count - 1).bit_length()
    args = x, weight, bias, y, eps, count, n
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), layernorm, args)
    return y
