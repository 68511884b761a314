# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def rowsum(x, y, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i,), tile=ct.sum(tile, 1))


def candidate(x):
    half = x.shape[1] // 2
    folded = cp.ascontiguousarray(x[:, :half] + x[:, half : 2 * half])
    y = cp.empty(x.shape[0], cp.float32)
    n = 1 << (half - 1).bit_length()
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), rowsum, (folded, y, n))
    return y
