# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/wmma.cu`: matrix products of a warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from nvcc import Array, Kernel, Problem
from ptx_arrays import aligned


def _laid_out(values: Array, by_columns: bool, padding: int) -> tuple[Array, int]:
    """The matrix in memory with its leading dimension, at a multiple of 32 bytes."""
    rows = values.T if by_columns else values
    leading = rows.shape[1] + padding
    memory = aligned((rows.shape[0], leading), values.dtype)
    memory[:, : rows.shape[1]] = rows
    return memory.ravel(), leading


def _product(
    m: int, n: int, k: int, dtype: Any, sums: Any, layouts: str
) -> Callable[[np.random.Generator], Problem]:
    """Small integers, so that every order of sums is exact."""
    low = 0 if np.dtype(dtype) == np.uint8 else -6

    def make(rng: np.random.Generator) -> Problem:
        a, b, c = (
            rng.integers(low, 7, shape).astype(ty)
            for shape, ty in (((m, k), dtype), ((k, n), dtype), ((m, n), sums))
        )
        by_columns = bool(rng.integers(2))
        left, lda = _laid_out(a, layouts[0] == "c", 16)
        right, ldb = _laid_out(b, layouts[1] == "c", 0)
        addend, ldd = _laid_out(c, by_columns, 8)
        result, _ = _laid_out(np.zeros_like(c), by_columns, 8)
        wide = a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)
        wanted, _ = _laid_out(wide.astype(sums), by_columns, 8)
        args = [left, lda, right, ldb, addend, result, ldd, int(by_columns)]
        return Problem(args, [(result, wanted)])

    return make


def _gemm(rng: np.random.Generator) -> Problem:
    a, b = (rng.integers(-3, 4, s).astype(np.float16) for s in ((64, 96), (96, 64)))
    d, _ = _laid_out(np.zeros((64, 64), np.float32), False, 0)
    wanted = np.maximum(
        a.astype(np.float32) @ b.astype(np.float32) * np.float32(0.5), 0
    )
    return Problem([a, b, d, 64, 64, 96, 0.5], [(d, wanted.reshape(-1))])


_BF16 = ml_dtypes.bfloat16
_PRODUCTS: dict[str, Any] = {
    "half_square": (16, 16, 16, np.float16, np.float32, "rc"),
    "half_wide": (8, 32, 16, np.float16, np.float32, "cr"),
    "half_tall": (32, 8, 16, np.float16, np.float16, "rr"),
    "brain_square": (16, 16, 16, _BF16, np.float32, "cc"),
    "brain_wide": (8, 32, 16, _BF16, np.float32, "rc"),
    "tensor_float": (16, 16, 8, np.float32, np.float32, "rc"),
    "doubles": (8, 8, 4, np.float64, np.float64, "rc"),
    "bytes_square": (16, 16, 16, np.int8, np.int32, "rc"),
    "bytes_tall": (32, 8, 16, np.uint8, np.int32, "cr"),
}
_RACE = "race or uninitialised"
KERNELS = (
    *(Kernel("wmma", name, _product(*how)) for name, how in _PRODUCTS.items()),
    Kernel("wmma", "gemm", _gemm, (2, 2), 128, broken={1: _RACE, 2: _RACE}),
)
