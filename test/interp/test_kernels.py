# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real kernels, in both bytecode versions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import same_bits
from interp_kernels import aligned, normal, read, run

from cuda_tile import interp
from cuda_tile.interp import InterpError
from cuda_tile.runtime.args import array_args

pytestmark = pytest.mark.sampled(3)

SPECIAL = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, -1e-40, 3e38]


@pytest.mark.parametrize(
    ("name", "tile", "dtype"),
    [
        ("vadd_f32_1024", 1024, np.float32),
        ("vadd_f16_4096", 4096, np.float16),
        ("vadd_f32_unaligned", 1024, np.float32),
        ("vadd_f32_i64idx", 1024, np.float32),
    ],
)
@pytest.mark.parametrize("size", [16, 1024, 4096, 5008])
def test_vadd(
    version: str, seed: int | None, name: str, tile: int, dtype: Any, size: int
) -> None:
    if "unaligned" in name:
        size += 3
    a, b = normal(size, dtype, 1), normal(size, dtype, 2)
    with np.errstate(all="ignore"):
        a[:8], b[8:16] = (np.array(SPECIAL).astype(dtype) for _ in "ab")
        c = aligned(size, dtype, 7)
        run(version, name, (-(-size // tile),), a, b, c, seed=seed)
        same_bits(c, a + b)


@pytest.mark.parametrize("size", [16, 64, 4000])
@pytest.mark.parametrize("name", ["vadd_i32_8"])
def test_vadd_i32(name: str, version: str, seed: int | None, size: int) -> None:
    rng = np.random.default_rng(3)
    a, b, c = (aligned(size, np.int32) for _ in "abc")
    a[...], b[...] = (rng.integers(-(2**31), 2**31 - 1, size) for _ in "ab")
    run(version, name, (-(-size // 8),), a, b, c, seed=seed)
    assert c.tolist() == (a.astype(np.int64) + b).astype(np.int32).tolist()


@pytest.mark.parametrize(
    ("size", "count"), [(2048, 2048), (2000, 1500), (64, 0), (5, 3)]
)
@pytest.mark.parametrize("name", ["saxpy_tail_f32"])
def test_saxpy_tail(
    name: str, version: str, seed: int | None, size: int, count: int
) -> None:
    x, y = normal(size, np.float32, 4), normal(size, np.float32, 5)
    before = y.copy()
    alpha = np.float32(1.7)
    run(version, name, (-(-size // 1024),), x, y, alpha, count, seed=seed)
    expected = before.copy()
    exact = np.float64(alpha) * x.astype(np.float64) + before
    expected[:count] = exact.astype(np.float32)[:count]
    np.testing.assert_array_max_ulp(y, expected, 1)
    np.testing.assert_array_equal(y[count:], before[count:])


@pytest.mark.parametrize("shape", [(64, 64), (128, 192), (80, 48), (16, 16)])
@pytest.mark.parametrize("name", ["transpose_f32_64x64"])
def test_transpose(
    name: str, version: str, seed: int | None, shape: tuple[int, int]
) -> None:
    x, y = normal(shape, np.float32, 6), aligned(shape[::-1], np.float32)
    grid = (-(-shape[0] // 64), -(-shape[1] // 64))
    run(version, name, grid, x, y, seed=seed)
    np.testing.assert_array_equal(y, x.T)


def scores(shape: tuple[int, int], seed: int) -> np.ndarray:
    """Multiples of 2^-12, so that the kernel's f32 differences are exact."""
    array = normal(shape, np.float32, seed)
    array[...] = np.rint(array * 4096) / 4096
    return array


def softmax(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    power = np.exp(wide - wide.max(axis=1, keepdims=True))
    return (power / power.sum(axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("shape", [(16, 1024), (16, 1008), (16, 16)])
@pytest.mark.parametrize("name", ["softmax_f32_1024"])
def test_softmax(
    name: str, version: str, shape: tuple[int, int], seed: int | None
) -> None:
    x, y = scores(shape, 7), aligned(shape, np.float32)
    x[0, :4] = -np.inf
    run(version, name, (shape[0],), x, y, seed=seed)
    np.testing.assert_array_max_ulp(y, softmax(x), 4)


def test_softmax_of_special_values(version: str) -> None:
    x, y = scores((16, 64), 8), aligned((16, 64), np.float32)
    x[0], x[1, 3], x[2, 5] = -np.inf, np.inf, np.nan
    run(version, "softmax_f32_1024", (16,), x, y)
    assert np.isnan(y[:3]).all()
    np.testing.assert_array_max_ulp(y[3:], softmax(x[3:]), 4)


MATMUL = {
    "matmul_f16_64x64x64": (64, np.float16),
    "matmul_f16_128x128x64": (128, np.float16),
    "matmul_f16_f32out_128x128x64": (128, np.float32),
}


@pytest.mark.parametrize("name", MATMUL)
@pytest.mark.parametrize("shape", [(128, 128, 64), (64, 192, 80), (272, 144, 208)])
def test_matmul(
    version: str, seed: int | None, name: str, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape
    tile, dtype = MATMUL[name]
    a, b = normal((m, k), np.float16, 9), normal((k, n), np.float16, 10)
    c = aligned((m, n), dtype, np.nan)
    run(version, name, (-(-m // tile) * -(-n // tile),), a, b, c, seed=seed)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    magnitude = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    rounding = np.abs(exact) * 2.0**-11 if dtype is np.float16 else 0.0
    assert (np.abs(c - exact) <= k * 2.0**-24 * magnitude + rounding).all()


@pytest.mark.parametrize("name", MATMUL)
def test_matmul_of_special_values(version: str, name: str) -> None:
    a, b = normal((64, 64), np.float16, 11), normal((64, 64), np.float16, 12)
    a[3, 4], a[5, 6], a[7], b[:, 8] = np.inf, np.nan, 60000.0, 60000.0
    c = aligned((64, 64), MATMUL[name][1])
    run(version, name, (1,), a, b, c)
    with np.errstate(all="ignore"):
        exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(c.dtype)
    np.testing.assert_array_equal(np.isnan(c), np.isnan(exact))
    infinite = np.isinf(exact)
    np.testing.assert_array_equal(c[infinite], exact[infinite])
    np.testing.assert_array_equal(np.isinf(c), infinite)


def test_broken_alignment_is_found(version: str) -> None:
    a, b, c = (aligned(1040, np.float32)[1:1025] for _ in "abc")
    with pytest.raises(InterpError, match="assumed div_by<16>"):
        run(version, "vadd_f32_1024", (1,), a, b, c)


def test_an_array_that_is_too_short_is_found(version: str) -> None:
    a, b, c = (aligned(1024, np.float32) for _ in "abc")
    module = read(version, "vadd_f32_1024")
    args: list[Any] = [*array_args(a), *array_args(b), *array_args(c[:512])]
    args[7] = np.int32(1024)
    with pytest.raises(InterpError, match="argument 6: float32") as caught:
        interp.run(module, grid=(1,), args=args)
    assert caught.value.op_name == "store_view_tko"
    assert caught.value.element_index == (512,)
