# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def times_ones(x, ones, z, steps: ct.Constant[int]):
    i = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((16, 8), ct.float32)
    for k in range(steps):
        left = ct.load(x, index=(i, k), shape=(16, 32), padding_mode=zero)
        acc = ct.mma(left, ct.load(ones, index=(0, 0), shape=(32, 8)), acc)
    ct.store(z, index=(i, 0), tile=acc)


def candidate(x):
    z = cp.empty((x.shape[0], 8), cp.float32)
    ones = cp.ones((32, 8), cp.float32)
    words = x, ones, z, ct.cdiv(x.shape[1], 32)
    grid = (ct.cdiv(x.shape[0], 16),)
    ct.launch(cp.cuda.get_current_stream(), grid, times_ones, words)
    return z[:, 0].copy()
