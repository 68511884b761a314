# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def saxpy_by(a: ct.Constant[float], x, y):
    i = ct.bid(0)
    tile = a * ct.load(x, index=(i,), shape=(128,))
    ct.store(y, index=(i,), tile=tile + ct.load(y, index=(i,), shape=(128,)))


def candidate(a, x, y):
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(cp.cuda.get_current_stream(), grid, saxpy_by, (a, x, y))
