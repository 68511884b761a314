# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of `test/kernels/tilecpp` compute, in NumPy: inputs and results.

`test/kernels/tilecpp/README.md` has the parameters; the sources are beside it. Extents
are no multiples of the tile where the kernel allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from cutile_references import Case
from numpy.typing import NDArray

Array = NDArray[Any]
F16, BF16 = np.float16, ml_dtypes.bfloat16


def _normal(shape: tuple[int, ...], kind: Any = np.float32, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape).astype(np.float32).astype(kind)


def _sum(kind: Any, tile: int, n: int = 1000) -> Case:
    """`c = a + b`, rounded once."""
    if kind is np.int32:
        rng = np.random.default_rng(1)
        # The kernel promises that no sum overflows.
        a, b = (rng.integers(-(2**30), 2**30, n, np.int32) for _ in range(2))
        exact = a + b
    else:
        a, b = _normal((n,), kind, 1), _normal((n,), kind, 2)
        exact = (a.astype(np.float64) + b.astype(np.float64)).astype(kind)
    args = [a, b, np.zeros(n, kind), np.int32(n)]
    return Case(args, (-(-n // tile),), {2: exact})


def _saxpy() -> Case:
    n, alpha = 1000, np.float32(0.7)
    x, y = _normal((n,), seed=1), _normal((n,), seed=2)
    exact = (np.float64(alpha) * x + y.astype(np.float64)).astype(np.float32)
    return Case([x, y, alpha, np.int32(n)], (4,), {1: exact}, rtol=1e-6)


def _softmax(columns: int) -> Case:
    rows, pitch = 5, columns + 3
    x, y = _normal((rows, pitch)), np.full((rows, pitch), -7, np.float32)
    wide = x[:, :columns].astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    expected = y.copy()
    expected[:, :columns] = powers / powers.sum(1, keepdims=True)
    sizes = map(np.int32, (rows, columns, pitch))
    return Case([x, y, *sizes], (2,), {1: expected}, rtol=1e-5, depends=True)


def _layernorm() -> Case:
    rows, width, eps = 8, 256, np.float32(1e-5)
    x, w, b = (
        _normal(s, F16, i) for i, s in enumerate([(rows, width), (width,), (width,)])
    )
    wide = x.astype(np.float64)
    mean = wide.mean(1)
    rstd = 1 / np.sqrt(((wide - mean[:, None]) ** 2).mean(1) + eps)
    y = (wide - mean[:, None]) * rstd[:, None] * w + b
    outputs = [np.zeros((rows, width), F16)]
    outputs += [np.zeros(rows, np.float32) for _ in range(2)]
    args = [x, w, b, *outputs, np.int32(rows), eps]
    return Case(args, (2,), {3: y, 4: mean, 5: rstd}, rtol=2e-3, depends=True)


def _matmul_f16() -> Case:
    m, n, k = 70, 90, 50
    a, b = _normal((m, k), F16, 1), _normal((k, n), F16, 2)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    args = [a, b, np.zeros((m, n), np.float32), *map(np.int32, (m, n, k))]
    return Case(args, (2, 2), {2: exact}, rtol=1e-4, depends=True)


def _matmul_i8(kind: Any) -> Case:
    m, n, k = 64, 32, 128
    rng = np.random.default_rng(0)
    low, high = (-128, 128) if kind is np.int8 else (0, 256)
    a, bt = (rng.integers(low, high, (rows, k)).astype(kind) for rows in (m, n))
    exact = (a.astype(np.int64) @ bt.T.astype(np.int64)).astype(np.int32)
    args = [a.view(np.int8), bt.view(np.int8), np.zeros((m, n), np.int32)]
    return Case([*args, *map(np.int32, (m, n, k))], (2, 1), {2: exact})


def _transpose() -> Case:
    m, n = 50, 70
    a = _normal((m, n))
    args = [a, np.zeros((n, m), np.float32), np.int32(m), np.int32(n)]
    return Case(args, (2, 3), {1: a.T})


def _rotate() -> Case:
    a = np.arange(8 * 16 * 32, dtype=np.int16).reshape(8, 16, 32)
    return Case(
        [a, np.zeros((32, 8, 16), np.int16)], (2, 2, 2), {1: a.transpose(2, 0, 1)}
    )


def _copy_left() -> Case:
    m, n = 40, 24
    a = _normal((n, m))
    args = [a, np.zeros((m, n), np.float32), np.int32(m), np.int32(n)]
    return Case(args, (3, 2), {1: a.T})


def _histogram() -> Case:
    n = 1000
    values = np.random.default_rng(0).integers(0, 256, n).astype(np.uint8)
    counts = np.bincount(values, minlength=256).astype(np.int32)
    return Case(
        [values.view(np.int8), np.zeros(256, np.int32), np.int32(n)], (4,), {1: counts}
    )


def _running_sum() -> Case:
    x = _normal((4, 128))
    exact = np.cumsum(x.astype(np.float64), 1)
    args = [x, np.zeros_like(x), np.int32(4)]
    return Case(args, (2,), {1: exact}, rtol=1e-4, depends=True)


def _running_product() -> Case:
    x = np.ones((4, 128), np.int32)  # products stay below 2^31
    x[:, 108:] = np.random.default_rng(0).choice([1, -1, 2], (4, 20))
    exact = np.cumprod(x[:, ::-1], 1)[:, ::-1].astype(np.int32)
    return Case([x, np.zeros_like(x), np.int32(4)], (2,), {1: exact})


def _extremes() -> Case:
    x = _normal((4, 128)).round(1)  # with equal numbers: the first one counts
    places = [np.zeros(4, np.int32), np.zeros(4, np.int32)]
    expected = {1: x.argmax(1).astype(np.int32), 2: x.argmin(1).astype(np.int32)}
    return Case([x, *places, np.int32(4)], (2,), expected)


def _gather_view() -> Case:
    height = 20
    table = _normal((height, 64), F16)
    rows = np.random.default_rng(0).integers(0, 24, 32).astype(np.int32)
    expected = np.where((rows < height)[:, None], table[rows % height], F16(0))
    args = [table, rows, np.zeros((32, 64), F16), np.int32(height)]
    return Case(args, (2, 2), {2: expected})


def _gather_pointers() -> Case:
    table = _normal((20, 64), F16)
    rows = np.random.default_rng(0).integers(0, 20, 32)
    return Case([table, rows, np.zeros((32, 64), F16)], (2,), {2: table[rows]})


def _collatz() -> Case:
    start, limit = np.array([1, 2, 27, 7, 97], np.int32), 40
    steps = []
    for number in map(int, start):
        count = 0
        while number != 1 and count < limit:
            number = 3 * number + 1 if number & 1 else number // 2
            count += 1
        steps.append(count)
    args = [start, np.full(5, -1, np.int32), np.int32(4), np.int32(limit)]
    return Case(args, (5,), {1: np.array([*steps[:4], -1], np.int32)})


def _power_sums() -> Case:
    terms = 7
    x = _normal((128,)) / 2
    powers = [
        x.astype(np.float64) ** i * (1 + i % 2) for i in range(terms) if i % 3 != 2
    ]
    args = [x, np.zeros_like(x), np.int32(terms)]
    return Case(args, (2,), {1: sum(powers)}, rtol=1e-4, depends=True)


def _choose() -> Case:
    kind, value = np.array([0, 1, 2, 3, 4, -1], np.int32), 11
    expected = np.array([11, -11, 22, 33, 0, 0], np.int32)
    return Case([kind, np.zeros(6, np.int32), np.int32(value)], (6,), {1: expected})


def _lookup() -> Case:
    x = np.array([5, -3, 0, 2, 7, 1], np.int32)
    weights = np.array([0.5, 1, 2, 4], np.float32)
    primes = np.array([2, 3, 5, 7, 11], np.float32)
    expected = weights[x & 3] * primes[np.arange(6) % 5] + 0.25 * (x + 3 + 7)
    return Case([x, np.zeros(6, np.float32), np.int32(6)], (6,), {1: expected})


CASES: dict[tuple[str, str], Callable[[], Case]] = {
    ("vadd", "vadd_f32"): lambda: _sum(np.float32, 256),
    ("vadd", "vadd_i32"): lambda: _sum(np.int32, 256),
    ("vadd", "vadd_f16"): lambda: _sum(F16, 512),
    ("vadd", "vadd_bf16"): lambda: _sum(BF16, 512),
    ("saxpy_view", "_Z5saxpyPKfPffi"): _saxpy,
    ("softmax", "_Z7softmaxIfLi128EEvPKT_PS0_iii"): lambda: _softmax(100),
    ("softmax", "_Z7softmaxIfLi1024EEvPKT_PS0_iii"): lambda: _softmax(777),
    ("layernorm", "layernorm"): _layernorm,
    ("matmul_f16", "matmul_f16"): _matmul_f16,
    ("matmul_i8", "matmul_s8"): lambda: _matmul_i8(np.int8),
    ("matmul_i8", "matmul_u8"): lambda: _matmul_i8(np.uint8),
    ("transpose", "transpose"): _transpose,
    ("transpose", "rotate"): _rotate,
    ("transpose", "copy_left"): _copy_left,
    ("histogram", "histogram"): _histogram,
    ("scan_argmax", "running_sum"): _running_sum,
    ("scan_argmax", "running_product_back"): _running_product,
    ("scan_argmax", "extremes"): _extremes,
    ("gather_rows", "gather_view"): _gather_view,
    ("gather_rows", "gather_pointers"): _gather_pointers,
    ("control", "collatz_steps"): _collatz,
    ("control", "power_sums"): _power_sums,
    ("control", "choose"): _choose,
    ("globals_print", "lookup"): _lookup,
}
"""A launch of each entry, by file and symbol."""
