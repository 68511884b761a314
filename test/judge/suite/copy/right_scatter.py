# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def copy_by_index(x, y):
    i = ct.bid(0) * 128 + ct.arange(128, dtype=ct.int32)
    ct.scatter(y, i, ct.gather(x, i))


def candidate(x):
    y = cp.zeros_like(x)
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(cp.cuda.get_current_stream(), grid, copy_by_index, (x, y))
    return y
