# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stream of its own, chosen by `with`, for which the host waits."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def sums(x, out, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=ct.sum(tile, 1))


def candidate(x):
    out = cp.empty(x.shape[0], cp.float32)
    n = 1 << (x.shape[1] - 1).bit_length()
    with cp.cuda.Stream(non_blocking=True) as stream:
        here = cp.cuda.get_current_stream()
        ct.launch(here, (x.shape[0],), sums, (x, out, n))
    stream.synchronize()
    return out
