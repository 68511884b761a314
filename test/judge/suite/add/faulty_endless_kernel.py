# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def endless(x, y, z):
    i = 0
    while i < 1:
        i = i * 1
    ct.store(z, index=(0,), tile=ct.load(x, index=(0,), shape=(256,)) + i)


def candidate(x, y):
    z = cp.empty_like(x)
    ct.launch(cp.cuda.get_current_stream(), (1,), endless, (x, y, z))
    return z
