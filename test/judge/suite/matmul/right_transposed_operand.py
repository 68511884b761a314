# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def product_transposed(a, bt, c, steps: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((32, 32), 0, ct.float32)
    for k in range(steps):
        left = ct.load(
            a, index=(i, k), shape=(32, 16), padding_mode=ct.PaddingMode.ZERO
        )
        right = ct.load(
            bt, index=(j, k), shape=(32, 16), padding_mode=ct.PaddingMode.ZERO
        )
        acc = ct.mma(left, ct.transpose(right), acc)
    ct.store(c, index=(i, j), tile=acc)


def candidate(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float32)
    grid = (ct.cdiv(a.shape[0], 32), ct.cdiv(b.shape[1], 32))
    args = a, cp.ascontiguousarray(b.T), c, ct.cdiv(a.shape[1], 16)
    ct.launch(cp.cuda.get_current_stream(), grid, product_transposed, args)
    return c
