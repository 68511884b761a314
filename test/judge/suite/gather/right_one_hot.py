# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def gather_by_product(x, index, y, n: ct.Constant[int]):
    i = ct.bid(0)
    places = ct.load(index, index=(i,), shape=(16,), padding_mode=ct.PaddingMode.ZERO)
    values = ct.load(x, index=(0,), shape=(n,), padding_mode=ct.PaddingMode.ZERO)
    hit = places[:, None] == ct.arange(n, dtype=ct.int32)[None, :]
    ct.store(y, index=(i,), tile=ct.sum(ct.where(hit, values[None, :], 0.0), 1))


def candidate(x, index):
    y = cp.empty(index.shape[0], cp.float32)
    grid = (ct.cdiv(index.shape[0], 16),)
    n = 1 << (x.shape[0] - 1).bit_length()
    args = x, index, y, n
    ct.launch(cp.cuda.get_current_stream(), grid, gather_by_product, args)
    return y
