# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real kernels with control flow, scans, atomics, attention; checked and shuffled."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from interp_harness import same_bits
from interp_kernels import aligned, flat, integers, normal, read, run, wide

from cuda_tile import interp

pytestmark = pytest.mark.sampled(2)

F32_UNIT, F16_UNIT = 2.0**-24, 2.0**-11
"""Largest relative error of one rounding to the nearest number of the format."""

F16_TINY = 2.0**-25
"""Largest error of rounding to f16 below its normal numbers."""


def assert_within(given: np.ndarray, exact: np.ndarray, bound: np.ndarray) -> None:
    """Checks each element against its own bound."""
    excess = np.abs(wide(given) - exact) - bound
    assert (excess <= 0).all(), f"off by {excess.max()} more than the bound"


@pytest.mark.parametrize("columns", [1024, 240])
@pytest.mark.parametrize("name", ["argmax_f32_4x1024"])
def test_argmax(name: str, version: str, seed: int | None, columns: int) -> None:
    x = aligned((16, columns), np.float32)
    x[...] = np.round(normal(x.shape, np.float32, 1) * 2)  # ties are common
    value, index = aligned(16, np.float32), aligned(16, np.int32)
    run(version, name, (4,), x, value, index, seed=seed)
    assert value.tolist() == x.max(axis=1).tolist()
    assert index.tolist() == x.argmax(axis=1).tolist()


@pytest.mark.parametrize("columns", [1024, 304])
@pytest.mark.parametrize("name", ["cumsum_f32_1024"])
def test_cumsum(name: str, version: str, seed: int | None, columns: int) -> None:
    x, y = normal((16, columns), np.float32, 2), aligned((16, columns), np.float32)
    run(version, name, (16,), x, y, seed=seed)
    size = np.cumsum(np.abs(wide(x)), axis=1)
    assert (np.abs(y - np.cumsum(wide(x), axis=1)) <= columns * 2.0**-24 * size).all()


def control(x: np.ndarray, n: int) -> np.ndarray:
    """The kernel's loops, block by block."""
    y = np.zeros_like(x)
    padded = np.concatenate((x, np.zeros(256 * (n + 1), np.float32)))
    for i in range(len(x) // 256):
        acc = np.zeros(256, np.float32)
        for it in range(n):
            t = padded[256 * (i + it) : 256 * (i + it + 1)]
            if wide(t).sum() < 0:
                continue
            acc = acc - t if t.max() > 100 else acc + t * np.float32(2)
        for q in range(n):
            if q * q > i:
                break
            acc = acc * np.float32(0.5)
        y[256 * i : 256 * (i + 1)] = acc
    return y


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("name", ["control_f32_256"])
def test_control(name: str, version: str, seed: int | None, n: int) -> None:
    x, y = normal(2048, np.float32, 3), aligned(2048, np.float32)
    x[300] = 200.0
    # Blocks past the tensor would load tiles outside the view's index space.
    blocks = 8 - max(n - 1, 0)
    run(version, name, (blocks,), x, y, np.int32(n), seed=seed)
    same_bits(y[: 256 * blocks], control(x, n)[: 256 * blocks])


@pytest.mark.parametrize(
    ("name", "depth"),
    [("fmha_causal_f16_d64_128x64", 64), ("fmha_causal_f16_d128_128x64", 128)],
)
def test_attention(name: str, version: str, seed: int | None, depth: int) -> None:
    shape = (16, 16, 256, depth)  # all sizes are assumed to be multiples of 16
    q, k, v = (normal(shape, np.float16, n) for n in (4, 5, 6))
    out = aligned(shape, np.float16)
    scale = np.float32(1 / np.sqrt(depth))
    run(version, name, (2, 16), q, k, v, out, scale, seed=seed)  # the first batch
    q, k, v = q[0], k[0], v[0]
    scores = wide(q) @ wide(k).swapaxes(-1, -2) * float(scale)
    scores = np.where(np.tril(np.ones((256, 256), np.bool_)), scores, -np.inf)
    power = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = power / power.sum(axis=-1, keepdims=True)
    # exp2's argument: sums of `depth` products (at most one rounding per 16 of them),
    # then the scale, itself a product, the maximum and the difference. Times ln 2 that
    # is the relative error of p. The sums over keys round once per key, the factors
    # that go with a new maximum and the quotient once more per tile of 64 keys.
    spread = np.abs(wide(q)) @ np.abs(wide(k)).swapaxes(-1, -2) * float(scale)
    of_p = (depth / 16 + 6) * spread.max(axis=-1, keepdims=True) + 1
    in_f32 = 2 * F32_UNIT * (of_p + 256 + 2 * 256 / 64 + 1)
    # p is rounded to f16 ahead of the product with v, and the result is: each has an
    # error of F16_UNIT, of p's terms F16_TINY if they are small. The sum of p is 1 or
    # more, for the largest is 1.
    seen = np.tril(np.ones((256, 256))) @ np.abs(wide(v))
    bound = (2 * F16_UNIT + in_f32) * (weights @ np.abs(wide(v)))
    assert_within(out[0], weights @ wide(v), bound + F16_TINY * (seen + 1))


@pytest.mark.parametrize("name", ["gather_rows_f16_64x128"])
def test_gather_rows(name: str, version: str, seed: int | None) -> None:
    table, out = normal((96, 128), np.float16, 7), aligned((128, 128), np.float16, 9)
    index = integers(128, np.int32, -4, 100, 8)
    run(version, name, (2,), table, index, out, seed=seed)
    inside = (index >= 0) & (index < 96)
    expected = np.where(inside[:, None], table[np.clip(index, 0, 95)], 0)
    same_bits(out, expected.astype(np.float16))


@pytest.mark.parametrize("name", ["histogram_i32_1024"])
def test_histogram(name: str, version: str, seed: int | None) -> None:
    x, bins = integers(4096, np.int32, 0, 48, 9), aligned(48, np.int32)
    run(version, name, (4,), x, bins, seed=seed)
    assert bins.tolist() == np.bincount(x, minlength=48).tolist()


@pytest.mark.parametrize("columns", [1024, 2560, 48])
@pytest.mark.parametrize("name", ["layernorm_f16_1024"])
def test_layernorm(name: str, version: str, seed: int | None, columns: int) -> None:
    x = normal((16, columns), np.float16, 10)
    w, b = normal(columns, np.float16, 11), normal(columns, np.float16, 12)
    y = aligned(x.shape, np.float16)
    mean, rstd = aligned(16, np.float32), aligned(16, np.float32)
    eps = np.float32(1e-5)
    args = (x, w, b, y, mean, rstd, eps)
    run(version, name, (16,), *args, seed=seed)
    exact_mean = wide(x).mean(axis=1)
    exact_rstd = 1 / np.sqrt(wide(x).var(axis=1) + float(eps))
    # A sum over a row: tile by tile, ten levels of pairs, the division.
    roundings = -(-columns // 1024) + 10 + 1
    mean_bound = roundings * F32_UNIT * np.abs(wide(x)).mean(axis=1)
    assert_within(mean, exact_mean, mean_bound)
    # Differences, squares and eps round too; the root halves what came so far. The
    # error of the mean counts squared only: differences from the mean have the sum 0.
    rstd_error = (roundings + 4) * F32_UNIT
    assert_within(rstd, exact_rstd, rstd_error * exact_rstd)
    product = (wide(x) - exact_mean[:, None]) * exact_rstd[:, None] * wide(w)
    scaled = product + wide(b)
    # The difference, two products and the sum round to f32, the result to f16; the
    # fourth unit stands for products of errors.
    bound = (rstd_error + 4 * F32_UNIT) * np.abs(product) + F32_UNIT * np.abs(scaled)
    bound += (mean_bound * exact_rstd)[:, None] * np.abs(wide(w))
    assert_within(y, scaled, bound + F16_UNIT * np.abs(scaled) + F16_TINY)


@pytest.mark.parametrize("name", ["mathops_f32_1024"])
def test_mathops(name: str, version: str, seed: int | None) -> None:
    x, y = normal(2048, np.float32, 13), aligned(2048, np.float32)
    run(version, name, (2,), x, y, seed=seed)
    t = wide(x)
    terms = [
        np.sin(t),
        np.cos(t) * np.tanh(t),
        np.log(np.abs(t) + 1),
        np.sqrt(np.abs(t)),
        np.exp2(t),
        np.floor(t) * np.ceil(t),
    ]
    exact = terms[0] + terms[1] - terms[2] + terms[3] + terms[4] + terms[5]
    size = sum(np.abs(term) for term in terms)
    assert (np.abs(y - exact) <= 8 * 2.0**-24 * size).all()


MATMUL: dict[str, tuple[tuple[int, int], Any, int]] = {
    "matmul_bf16_128x128x64": ((128, 128), ml_dtypes.bfloat16, 8),
    "matmul_tf32_128x128x32": ((128, 128), np.float32, 11),
}


@pytest.mark.parametrize("name", MATMUL)
@pytest.mark.parametrize("shape", [(128, 128, 64), (144, 272, 80)])
def test_matmul(
    version: str, seed: int | None, name: str, shape: tuple[int, int, int]
) -> None:
    (tm, tn), dtype, bits = MATMUL[name]
    m, n, k = shape
    a, b, c = (
        normal((m, k), dtype, 14),
        normal((k, n), dtype, 15),
        aligned((m, n), dtype),
    )
    grid = (-(-m // tm) * -(-n // tn),)
    run(version, name, grid, a, b, c, seed=seed)
    exact = wide(a) @ wide(b)
    size = np.abs(wide(a)) @ np.abs(wide(b))
    rounded = np.abs(exact) if dtype is not np.float32 else 2 * size
    bound = k * 2.0**-24 * size + rounded * 2.0**-bits
    assert (np.abs(wide(c) - exact) <= bound).all()


@pytest.mark.parametrize("shape", [(128, 128, 64), (144, 272, 80)])
@pytest.mark.parametrize("name", ["matmul_i8_128x128x64"])
def test_matmul_i8(
    name: str, version: str, seed: int | None, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape
    a = integers((m, k), np.int8, -128, 128, 16)
    b = integers((k, n), np.int8, -128, 128, 17)
    c = aligned((m, n), np.int32)
    grid = (-(-m // 128), -(-n // 128))
    run(version, name, grid, a, b, c, seed=seed)
    assert c.tolist() == (a.astype(np.int64) @ b.astype(np.int64)).tolist()


@pytest.mark.parametrize("columns", [4096, 1008])
@pytest.mark.parametrize("name", ["softmax_f16_4096"])
def test_softmax_f16(name: str, version: str, seed: int | None, columns: int) -> None:
    x, y = normal((16, columns), np.float16, 18), aligned((16, columns), np.float16)
    run(version, name, (16,), x, y, seed=seed)
    below = wide(x) - wide(x).max(axis=1, keepdims=True)
    power = np.exp(below)
    exact = power / power.sum(axis=1, keepdims=True)
    # exp's argument and its value, twelve levels of pairs of such values, the quotient.
    of_exp = np.abs(below).max(axis=1, keepdims=True) + 1
    in_f32 = F32_UNIT * (2 * of_exp + 12 + 2)
    assert_within(y, exact, (F16_UNIT + in_f32) * exact + F16_TINY)


def test_what_does_not_depend_on_the_order(version: str) -> None:
    x, bins = integers(4096, np.int32, 0, 48, 9), aligned(48, np.int32)
    args = flat("histogram", [x, bins])
    module = read(version, "histogram_i32_1024")
    assert interp.shuffle_check(module, grid=(4,), args=args)
