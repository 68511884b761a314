# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both moments in one pass over chunks, joined as Chan, Golub and LeVeque do."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def layernorm(
    x, weight, bias, y, eps, count: ct.Constant[int], steps: ct.Constant[int]
):
    i = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    columns = ct.arange(32, dtype=ct.int32)[None, :]
    seen = ct.zeros((1, 1), ct.float32)
    mean = ct.zeros((1, 1), ct.float32)
    square = ct.zeros((1, 1), ct.float32)
    for k in range(steps):
        tile = ct.load(x, index=(i, k), shape=(1, 32), padding_mode=zero)
        inside = columns + k * 32 < count
        n = ct.sum(ct.astype(inside, ct.float32), 1, keepdims=True)
        own = ct.sum(ct.where(inside, tile, 0.0), 1, keepdims=True) / n
        off = ct.where(inside, tile - own, 0.0)
        both = seen + n
        step = own - mean
        square = square + ct.sum(off * off, 1, keepdims=True)
        square = square + step * step * seen * n / both
        mean = mean + step * n / both
        seen = both
    scale = ct.rsqrt(square / count + eps)
    for k in range(steps):
        tile = ct.load(x, index=(i, k), shape=(1, 32), padding_mode=zero)
        w = ct.load(weight, index=(k,), shape=(32,), padding_mode=zero)
        b = ct.load(bias, index=(k,), shape=(32,), padding_mode=zero)
        ct.store(y, (i, k), (tile - mean) * scale * w[None, :] + b[None, :])


def candidate(x, weight, bias, eps):
    y = cp.empty_like(x)
    count = x.shape[1]
    args = x, weight, bias, y, eps, count, ct.cdiv(count, 32)
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), layernorm, args)
    return y
