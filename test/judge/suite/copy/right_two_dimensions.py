# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def copy_rows(x, y):
    i = ct.bid(0)
    ct.store(y, index=(i, 0), tile=ct.load(x, index=(i, 0), shape=(1, 128)))


def candidate(x):
    n = x.shape[0]
    rows = cp.pad(x, (0, -n % 128)).reshape(-1, 128)
    y = cp.empty_like(rows)
    ct.launch(cp.cuda.get_current_stream(), (rows.shape[0],), copy_rows, (rows, y))
    return y.reshape(-1)[:n]
