# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def product_split(a, b, parts):
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    left = ct.load(a, index=(i, k), shape=(32, 32), padding_mode=ct.PaddingMode.ZERO)
    right = ct.load(b, index=(k, j), shape=(32, 32), padding_mode=ct.PaddingMode.ZERO)
    acc = ct.mma(left, right, ct.full((32, 32), 0, ct.float32))
    ct.store(parts, index=(k, i, j), tile=acc[None, :, :])


@ct.kernel
def summed(parts, c, count: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((32, 32), 0, ct.float32)
    for k in range(count):
        acc = acc + ct.reshape(
            ct.load(parts, index=(k, i, j), shape=(1, 32, 32)), (32, 32)
        )
    ct.store(c, index=(i, j), tile=acc)


def candidate(a, b):
    m, n, count = a.shape[0], b.shape[1], ct.cdiv(a.shape[1], 32)
    parts, c = cp.empty((count, m, n), cp.float32), cp.empty((m, n), cp.float32)
    grid, stream = (ct.cdiv(m, 32), ct.cdiv(n, 32)), cp.cuda.get_current_stream()
    ct.launch(stream, (*grid, count), product_split, (a, b, parts))
    ct.launch(stream, grid, summed, (parts, c, count))
    return c
