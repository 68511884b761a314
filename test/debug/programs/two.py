# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two kernels, launched three times; the first one prints."""

import cuda.tile as ct
import cupy as cp


@ct.kernel
def fill(a, value: ct.Constant[int]):
    i = ct.bid(0)
    print("fill", i)
    ct.store(a, index=(i,), tile=ct.full((16,), value, ct.float32))


@ct.kernel
def grow(a, b):
    i = ct.bid(0)
    n = 0
    t = ct.load(a, index=(i,), shape=(16,))
    while n < 3:
        t += i
        n += 1
    ct.store(b, index=(i,), tile=t)


a, b = cp.zeros(32, cp.float32), cp.zeros(32, cp.float32)
stream = cp.cuda.get_current_stream()
for value in (3, 4):
    ct.launch(stream, (2,), fill, (a, value))
ct.launch(stream, (2,), grow, (a, b))
print("grown:", b[::16])
