# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def product(a, b, c, steps: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((16, 32), 0, ct.float32)
    for k in range(steps):
        left = ct.load(
            a, index=(i, k), shape=(16, 16), padding_mode=ct.PaddingMode.ZERO
        )
        right = ct.load(
            b, index=(k, j), shape=(16, 32), padding_mode=ct.PaddingMode.ZERO
        )
        x = ct.astype(left, ct.float32)
        y = ct.astype(right, ct.float32)
        acc = acc + ct.sum(x[:, :, None] * y[None, :, :], 1)
    ct.store(c, index=(i, j), tile=ct.astype(acc, ct.float16))


def candidate(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float16)
    grid = (ct.cdiv(a.shape[0], 16), ct.cdiv(b.shape[1], 32))
    steps = ct.cdiv(a.shape[1], 16)
    ct.launch(cp.cuda.get_current_stream(), grid, product, (a, b, c, steps))
    return c
