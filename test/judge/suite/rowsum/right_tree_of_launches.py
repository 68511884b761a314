# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def add_pairs(x, z):
    i, j = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    pairs = ct.load(x, index=(i, j, 0), shape=(1, 32, 2), padding_mode=zero)
    ct.store(z, index=(i, j), tile=ct.sum(pairs, axis=2))


def candidate(x):
    rows, n = x.shape
    while n > 1:
        if n % 2:  # each row gets a zero at its end
            padded = cp.zeros((rows, n + 1), cp.float32)
            padded[:, :n] = x
            x, n = padded, n + 1
        z = cp.empty((rows, n // 2), cp.float32)
        grid = rows, ct.cdiv(n // 2, 32)
        pairs = cp.ascontiguousarray(x).reshape(rows, n // 2, 2)
        ct.launch(cp.cuda.get_current_stream(), grid, add_pairs, (pairs, z))
        x, n = z, n // 2
    return x[:, 0]
