# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def layernorm_padded(x, weight, bias, y, eps, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=ct.PaddingMode.ZERO)
    off = tile - ct.sum(tile, 1, keepdims=True) / n
    variance = ct.sum(off * off, 1, keepdims=True) / n
    w = ct.load(weight, index=(0,), shape=(n,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(bias, index=(0,), shape=(n,), padding_mode=ct.PaddingMode.ZERO)
    out = off * ct.rsqrt(variance + eps) * w[None, :] + b[None, :]
    ct.store(y, index=(i, 0), tile=out)


def candidate(x, weight, bias, eps):
    y = cp.empty_like(x)
    n = 1 << (x.shape[1] - 1).bit_length()
    args = x, weight, bias, y, eps, n
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), layernorm_padded, args)
    return y
