# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are slices of larger ones, with NumPy's strides and offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from end_kernels import VERSIONS, load, ptx_of
from numpy.typing import NDArray
from real_kernels import aligned

import cuda_tile
from cuda_tile.running import Executor

Array = NDArray[Any]


def window(shape: tuple[int, int], dtype: Any, seed: int) -> tuple[Array, Array]:
    """A larger array of numbers, and a window of it at an aligned place."""
    whole = aligned((shape[0] + 10, shape[1] + 48), dtype)
    whole[...] = np.random.default_rng(seed).standard_normal(whole.shape)
    return whole, whole[3 : 3 + shape[0], 16 : 16 + shape[1]]


def launch(name: str, grid: tuple[int, ...], on: Executor, *arrays: Array) -> None:
    args = [arg for array in arrays for arg in cuda_tile.array_args(array)]
    compiled = ptx_of(name, VERSIONS[1], "sm_80") if on == "emulator" else None
    module = load(name, VERSIONS[1])
    cuda_tile.run(module, grid=grid, args=args, on=on, compiled=compiled)


def check(got: tuple[Array, Array], before: Array, expected: Array) -> None:
    """The window holds what is expected, and nothing around it changed."""
    whole, inside = got
    np.testing.assert_array_equal(inside, expected)
    before[3 : 3 + inside.shape[0], 16 : 16 + inside.shape[1]] = inside
    np.testing.assert_array_equal(whole, before)


@pytest.mark.parametrize("on", ["interp", "emulator"])
@pytest.mark.parametrize("shape", [(64, 64), (80, 112)])
def test_transpose_of_a_window(on: Executor, shape: tuple[int, int]) -> None:
    _, x = window(shape, np.float32, 1)
    whole, y = window((shape[1], shape[0]), np.float32, 2)
    before = whole.copy()
    launch("transpose_f32_64x64", (2, 2) if shape[0] > 64 else (1, 1), on, x, y)
    check((whole, y), before, x.T)


@pytest.mark.parametrize("on", ["interp", "emulator"])
def test_product_of_windows(on: Executor) -> None:
    _, a = window((80, 48), np.float16, 3)
    _, b = window((48, 96), np.float16, 4)
    for array in (a, b):
        array[...] = np.rint(array * 2)  # small whole numbers: every sum is exact
    whole, c = window((80, 96), np.float16, 5)
    before = whole.copy()
    launch("matmul_f16_64x64x64", (4,), on, a, b, c)
    check((whole, c), before, (a.astype(np.float64) @ b).astype(np.float16))


@pytest.mark.parametrize("on", ["interp", "emulator"])
def test_softmax_of_a_window(on: Executor) -> None:
    _, x = window((16, 512), np.float32, 6)
    whole, y = window((16, 512), np.float32, 7)
    before = whole.copy()
    launch("softmax_f32_1024", (16,), on, x, y)
    powers = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64))
    exact = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_array_max_ulp(y, exact.astype(np.float32), 4)
    check((whole, y), before, y.copy())


@pytest.mark.parametrize("on", ["interp", "emulator"])
def test_slice_at_any_element(on: Executor) -> None:
    whole = aligned((1024,), np.float32)
    whole[...] = np.arange(1024)
    a, b, c = whole[1:300], whole[333:632], whole[701:1000]
    before = whole.copy()
    launch("vadd_f32_unaligned", (1,), on, a, b, c)
    before[701:1000] = before[1:300] + before[333:632]
    np.testing.assert_array_equal(whole, before)
