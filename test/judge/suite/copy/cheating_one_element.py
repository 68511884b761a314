# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def first(x, y):
    ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(1,)))


def candidate(x):
    y = x.copy()
    ct.launch(cp.cuda.get_current_stream(), (1,), first, (x, y))
    return y
