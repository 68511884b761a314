# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def softmax(x, y, width: ct.Constant[int]):
    row = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    values = ct.load(x, index=(row, 0), shape=(1, width), padding_mode=zero)
    largest = ct.max(values, axis=1, keepdims=True)
    powers = ct.exp(values - largest)
    total = ct.sum(powers, axis=1, keepdims=True)
    ct.store(y, index=(row, 0), tile=powers / total)


x = cp.linspace(-3, 3, 400, dtype=cp.float32).reshape(4, 100)
y = cp.zeros_like(x)
ct.launch(cp.cuda.get_current_stream(), (4,), softmax, (x, y, 128))
print("rows should sum to 1:", y.sum(axis=1).round(3))
