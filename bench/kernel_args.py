# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the kernels of test/kernels, to count what they do: no references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from real_kernels import aligned

Array = NDArray[Any]
Launch = tuple[tuple[int, ...], list[Any]]
"""Grid, and arguments; shapes and strides of arrays are not among them."""


def normal(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    """An aligned array of standard normal numbers, or of small integers."""
    array = aligned(shape, dtype)
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        array[...] = generator.integers(-8, 8, shape)
    else:
        array[...] = generator.standard_normal(shape)
    return array


def _lines(n: int, tile: int, dtype: Any) -> Launch:
    arrays = [normal((n,), dtype), normal((n,), dtype, 1), aligned((n,), dtype)]
    return (-(-n // tile),), arrays


def _rows(rows: int, columns: int, dtype: Any) -> Launch:
    return (rows,), [normal((rows, columns), dtype), aligned((rows, columns), dtype)]


def product(
    sizes: tuple[int, int, int],
    tile: tuple[int, int],
    types: tuple[Any, Any],
    *,
    is_flat: bool = True,
) -> Launch:
    """A product: extents M, N, K, the result's tile, types of operands and result."""
    (m, n, k), (tile_m, tile_n) = sizes, tile
    grid = (-(-m // tile_m), -(-n // tile_n))
    operand, result = types
    arrays = [normal((m, k), operand), normal((k, n), operand, 1)]
    return (
        (grid[0] * grid[1],) if is_flat else grid,
        [*arrays, aligned((m, n), result)],
    )


def _attention(depth: int) -> Launch:
    shape = (16, 16, 256, depth)  # all extents are assumed to be multiples of 16
    q, k, v = (normal(shape, np.float16, seed) for seed in range(3))
    return (2, 16), [q, k, v, aligned(shape, np.float16), np.float32(depth**-0.5)]


def _saxpy() -> Launch:
    x, y = normal((5008,), np.float32), normal((5008,), np.float32, 1)
    return (5,), [x, y, np.float32(2), np.int32(4321)]


def _transpose() -> Launch:
    return (4, 3), [normal((208, 144), np.float32), aligned((144, 208), np.float32)]


def _layernorm() -> Launch:
    x, y = normal((16, 2560), np.float16), aligned((16, 2560), np.float16)
    w, b = normal((2560,), np.float16, 1), normal((2560,), np.float16, 2)
    mean, rstd = aligned((16,), np.float32), aligned((16,), np.float32)
    return (16,), [x, w, b, y, mean, rstd, np.float32(1e-5)]


def _argmax() -> Launch:
    x = normal((16, 1024), np.float32)
    return (4,), [x, aligned((16,), np.float32), aligned((16,), np.int32)]


def _gather() -> Launch:
    index = aligned((128,), np.int32)
    index[...] = np.random.default_rng(1).permutation(128)
    out = aligned((128, 128), np.float16)
    return (2,), [normal((128, 128), np.float16), index, out]


def _histogram() -> Launch:
    x = aligned((4096,), np.int32)
    x[...] = np.random.default_rng(1).integers(0, 48, 4096)
    return (4,), [x, aligned((48,), np.int32)]


def _control() -> Launch:
    return (4,), [
        normal((2048,), np.float32),
        aligned((2048,), np.float32),
        np.int32(5),
    ]


_LARGE = (256, 256, 256)
LAUNCHES: dict[str, Callable[[], Launch]] = {
    "vadd_f32_1024": lambda: _lines(8192, 1024, np.float32),
    "vadd_f16_4096": lambda: _lines(8192, 4096, np.float16),
    "vadd_i32_8": lambda: _lines(256, 8, np.int32),
    "vadd_f32_unaligned": lambda: _lines(5011, 1024, np.float32),
    "vadd_f32_i64idx": lambda: _lines(5008, 1024, np.float32),
    "saxpy_tail_f32": _saxpy,
    "transpose_f32_64x64": _transpose,
    "softmax_f32_1024": lambda: _rows(32, 1024, np.float32),
    "softmax_f16_4096": lambda: _rows(16, 4096, np.float16),
    "matmul_f16_64x64x64": lambda: product(_LARGE, (64, 64), (np.float16, np.float16)),
    "matmul_f16_128x128x64": lambda: product(
        _LARGE, (128, 128), (np.float16, np.float16)
    ),
    "matmul_f16_f32out_128x128x64": lambda: product(
        _LARGE, (128, 128), (np.float16, np.float32)
    ),
    "matmul_bf16_128x128x64": lambda: product(
        _LARGE, (128, 128), (ml_dtypes.bfloat16, ml_dtypes.bfloat16)
    ),
    "matmul_tf32_128x128x32": lambda: product(
        _LARGE, (128, 128), (np.float32, np.float32)
    ),
    "matmul_i8_128x128x64": lambda: product(
        _LARGE, (128, 128), (np.int8, np.int32), is_flat=False
    ),
    "layernorm_f16_1024": _layernorm,
    "argmax_f32_4x1024": _argmax,
    "cumsum_f32_1024": lambda: _rows(16, 1024, np.float32),
    "fmha_causal_f16_d64_128x64": lambda: _attention(64),
    "fmha_causal_f16_d128_128x64": lambda: _attention(128),
    "gather_rows_f16_64x128": _gather,
    "histogram_i32_1024": _histogram,
    "control_f32_256": _control,
    "mathops_f32_1024": lambda: (
        (2,),
        [normal((2048,), np.float32), aligned((2048,), np.float32)],
    ),
}
"""A launch of each file in test/kernels/13.4, by its name."""
