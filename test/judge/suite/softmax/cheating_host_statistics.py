# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def finish(x, m, s, y, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n))
    top = ct.load(m, index=(i,), shape=(1,))[:, None]
    ct.store(
        y,
        index=(i, 0),
        tile=ct.exp(tile - top) / ct.load(s, index=(i,), shape=(1,))[:, None],
    )


def candidate(x):
    y = cp.empty_like(x)
    m = x.max(1)
    s = cp.exp(x - m[:, None]).sum(1)
    n = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), finish, (x, m, s, y, n))
    return y
