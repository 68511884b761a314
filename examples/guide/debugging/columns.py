# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def add_up(x, sums, rows: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    part = ct.zeros((32,), ct.float32)
    for k in range(rows):
        part = part + ct.load(x, index=(j * rows + k, i), shape=(1, 32)).reshape((32,))
    old = ct.load(sums, index=(i,), shape=(32,))
    ct.store(sums, index=(i,), tile=old + part)


x = cp.ones((16, 64), cp.float32)
sums = cp.zeros(64, cp.float32)
ct.launch(cp.cuda.get_current_stream(), (2, 2), add_up, (x, sums, 8))
print("columns should sum to 16:", sums[:3])
