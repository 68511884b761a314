# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


def candidate(x, weight, bias, eps):
    y = cp.empty_like(x)
    count = x.shape[1]
    n = 1 << (count - 1).bit_length()
    args = x, weight, bias, y, eps, count, n
    ct.launch(cp.cuda.get_current_stream(), (x.shape[0],), layernorm, args)
    return y
