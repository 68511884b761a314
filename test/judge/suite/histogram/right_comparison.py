# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def count_all(x, bins):
    i = ct.bid(0)
    values = ct.load(x, index=(i,), shape=(32,), padding_mode=ct.PaddingMode.ZERO)
    inside = i * 32 + ct.arange(32, dtype=ct.int32) < x.shape[0]
    numbers = ct.arange(64, dtype=ct.int32)
    hit = (values[:, None] == numbers[None, :]) & inside[:, None]
    ct.atomic_add(bins, numbers, ct.sum(ct.where(hit, 1, 0), 0))


def candidate(x):
    bins = cp.zeros(64, cp.int32)
    grid = (ct.cdiv(x.shape[0], 32),)
    ct.launch(cp.cuda.get_current_stream(), grid, count_all, (x, bins))
    return bins
