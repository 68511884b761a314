# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def past_the_end(x, y, z):
    i = ct.bid(0) * 128 + ct.arange(128, dtype=ct.int32)
    tile = ct.gather(x, i, check_bounds=False) + ct.gather(y, i, check_bounds=False)
    ct.scatter(z, i, tile, check_bounds=False)


def candidate(x, y):
    z = cp.empty_like(x)
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(cp.cuda.get_current_stream(), grid, past_the_end, (x, y, z))
    return z
