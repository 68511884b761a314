# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp

from cuda_tile.judge import draw


@ct.kernel
def product(a, b, c, steps: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((32, 32), 0, ct.float32)
    for k in range(steps):
        left = ct.load(
            a, index=(i, k), shape=(32, 32), padding_mode=ct.PaddingMode.ZERO
        )
        right = ct.load(
            b, index=(k, j), shape=(32, 32), padding_mode=ct.PaddingMode.ZERO
        )
        acc = acc + ct.sum(left[:, :, None] * right[None, :, :], 1)
    ct.store(c, index=(i, j), tile=acc)


CASES = 4
SHAPES = (64, 64, 64), (33, 40, 100), (16, 128, 20), (96, 50, 32)


def inputs(rng, number):
    m, n, k = SHAPES[number]
    return draw(rng, (m, k), number=number), draw(rng, (k, n), number=number + 3)


def reference(a, b):
    return a @ b


def program(a, b):
    c = cp.empty((a.shape[0], b.shape[1]), cp.float32)
    grid = (ct.cdiv(a.shape[0], 32), ct.cdiv(b.shape[1], 32))
    ct.launch(
        cp.cuda.get_current_stream(), grid, product, (a, b, c, ct.cdiv(a.shape[1], 32))
    )
    return c
