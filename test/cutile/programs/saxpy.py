# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def saxpy(a, x, y, size: ct.Constant[int]):
    i = ct.bid(0)
    tile = a * ct.load(x, index=(i,), shape=(size,))
    ct.store(y, index=(i,), tile=tile + ct.load(y, index=(i,), shape=(size,)))


x, y = cp.arange(1000, dtype=cp.float32), cp.ones(1000, cp.float32)
grid = (ct.cdiv(1000, 128),)
ct.launch(cp.cuda.get_current_stream(), grid, saxpy, (2.0, x, y, 128))
cp.testing.assert_array_equal(y, 2 * x + 1)
print("right:", y[:5])
