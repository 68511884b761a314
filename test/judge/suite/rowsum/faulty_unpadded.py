# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def rowsum_bare(x, y, n: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(1, n)), 1))


def candidate(x):
    y = cp.empty(x.shape[0], cp.float32)
    n = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), rowsum_bare, (x, y, n))
    return y
