# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def uniform(y, value, n: ct.Constant[int]):
    ct.store(y, index=(ct.bid(0), 0), tile=ct.full((1, n), value, ct.float32))


def candidate(x):
    y = cp.empty_like(x)
    n = 1 << (x.shape[1] - 1).bit_length()
    args = y, 1 / x.shape[1], n
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), uniform, args)
    return y
