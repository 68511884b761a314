# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def rowsum_kept(x, y, n: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, n), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i, 0), tile=ct.sum(tile, 1, keepdims=True))


def candidate(x):
    y = cp.empty((x.shape[0], 1), cp.float32)
    n = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), rowsum_kept, (x, y, n))
    return y[:, 0]
