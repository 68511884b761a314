# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arithmetic of matrix products: what mma and wmma do with whole matrices.

Products are exact. Those of f64 are fused one after another along K, those of integers
and bits wrap (or saturate) once, all other are summed in single precision in an
unspecified order, as the hardware's are, and the accumulator is added last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.isa import numerics
from cuda_tile.emulator.ptx.types import Array


def fused(left: Array, right: Array, addend: Array, mode: str) -> NDArray[np.float64]:
    """Sums of double precision, each product fused to the sum before it.

    Args:
        left: A of each warp, [n, M, K].
        right: B of each warp, [n, K, N].
        addend: C of each warp, [n, M, N].
        mode: Rounding: rn, rz, rm or rp.
    """
    total = np.ascontiguousarray(addend)
    shape = total.shape
    for k in range(left.shape[2]):
        x = np.broadcast_to(left[:, :, k, None], shape).ravel()
        y = np.broadcast_to(right[:, None, k, :], shape).ravel()
        total = numerics.fma_f64(x, y, total.ravel(), mode).reshape(shape)
    return total


def integral(
    left: Array,
    right: Array,
    addend: Array,
    *,
    bit_operation: str = "",
    is_saturated: bool = False,
) -> NDArray[np.int32]:
    """Sums of integers, or with `bit_operation` of the ones in xor or and of bits."""
    product = np.matmul(left, right)
    if bit_operation == "xor":
        ones = left.sum(axis=2, keepdims=True) + right.sum(axis=1, keepdims=True)
        product = ones - 2 * product
    total = addend.astype(np.int64) + product.astype(np.int64)
    if is_saturated:
        total = total.clip(-(2**31), 2**31 - 1)
    return total.astype(np.int32)
