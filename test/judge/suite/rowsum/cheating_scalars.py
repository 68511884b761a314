# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def put(y, i, value):
    ct.store(y, index=(i,), tile=ct.full((1,), value, ct.float32))


def candidate(x):
    y = cp.empty(x.shape[0], cp.float32)
    for i, value in enumerate(x.sum(1)):
        args = y, i, float(value)
        ct.launch(cp.cuda.get_current_stream(), (1,), put, args)
    return y
