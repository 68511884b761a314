# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/numbers.cu`: arithmetic against Python's integers and mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
from nvcc import Array, Kernel, Problem

_N = 32
_EDGES = [1, -1, 2, 3, 7, 10, 255, 256, 65535, -65536, 2**31 - 1, -(2**31) + 1]


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _quotient(a: int, b: int) -> int:
    """C's division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


def _operands(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.integers(-(2**62), 2**62, _N) >> rng.integers(0, 60, _N)
    y = rng.integers(-(2**62), 2**62, _N) >> rng.integers(0, 60, _N)
    y[: len(_EDGES)] = _EDGES
    # No divisor is zero, at no width that is used.
    y[y & 0xFFFFFFFF == 0] += 9
    return x, y


def _divisions(rng: np.random.Generator) -> Problem:
    x, y = _operands(rng)
    rows: list[list[int]] = []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        c, d = _signed(a, 32), _signed(b, 32)
        e, f = _signed(a, 16), _signed(b, 16) or 1
        row = [
            _quotient(a, b),
            _remainder(a, b),
            _quotient(c, d),
            _remainder(c, d),
            _signed((a % 2**64) // (b % 2**64), 64),
            (a % 2**32) % (b % 2**32),
            _quotient(e, f),
            _quotient(c, 7) + _remainder(c, 1000003),
            _quotient(a, 1000000007),
            a % 256 // 10,
        ]
        rows.append(row)
    result = np.zeros((_N, 10), np.int64)
    return Problem([x, y, result], [(result, np.array(rows))])


def _wide(rng: np.random.Generator) -> Problem:
    x, y = _operands(rng)
    rows: list[list[int]] = []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        # What C wraps at 128 bits.
        far = _signed(a << 70, 128)
        values = [
            a * b,
            _quotient(a << 40, b),
            (a * b) >> 13,
            a * a - b,
            _remainder(far, b),
        ]
        rows.append([v >> s & (2**64 - 1) for v in values for s in (0, 64)])
    result = np.zeros((_N, 10), np.uint64)
    return Problem([x, y, result], [(result, np.array(rows, np.uint64))])


def _bytes(value: int) -> list[int]:
    return [value >> 8 * k & 255 for k in range(4)]


def _halves(value: int) -> list[int]:
    return [_signed(value, 16), _signed(value >> 16, 16)]


def _row_of_bits(a: int, b: int) -> list[int]:
    s, t = _signed(a, 32), _signed(b, 32)
    pool = [*_bytes(a), *_bytes(b)]
    joined = b << 32 | a
    low, middle = a % 32, _signed(_signed(b, 11) + 3, 11)
    high = (b << 32 | a) % 2**40
    signed_bytes = [
        (_signed(p, 8), _signed(q, 8))
        for p, q in zip(_bytes(a), _bytes(b), strict=True)
    ]
    return [
        32 - a.bit_length(),
        a.bit_count(),
        (a & -a).bit_length(),
        int(f"{a:032b}"[::-1], 2),
        sum(pool[int(digit, 16)] << 8 * k for k, digit in enumerate("5173")),
        joined << (b & 31) >> 32,
        joined >> min(b & 63, 32),
        a * b >> 32,
        s * t >> 32,
        5 + sum(p * q for p, q in signed_bytes),
        abs((a >> 1) - (b >> 1)) + 7,
        a + b >> 1,
        64 - (a << 20).bit_length() + (a << 32 | b).bit_count(),
        low * 2 + middle,
        high >> 8,
        sum(
            (max(p, q) & 65535) << 16 * k
            for k, (p, q) in enumerate(zip(_halves(a), _halves(b), strict=True))
        ),
        sum(
            ((p + q) & 255) << 8 * k
            for k, (p, q) in enumerate(zip(_bytes(a), _bytes(b), strict=True))
        ),
        max(_signed(s + t, 32), 100),
        min(a, b, 1 << 30),
        _signed(a, 24) * _signed(b, 24) + abs(a - b) + 3,
    ]


def _bits(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(1, 2**32, (2, _N)).astype(np.uint32)
    rows = [
        [value % 2**32 for value in _row_of_bits(a, b)]
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    result = np.zeros((_N, 20), np.uint32)
    return Problem([x, y, result], [(result, np.array(rows, np.uint32))])


def _exact(functions: list[Callable[[Any], Any]], values: Array) -> Array:
    with mpmath.workdps(60):
        rows = [[float(f(mpmath.mpf(float(v)))) for f in functions] for v in values]
    return np.array(rows, np.float64)


def _doubles(rng: np.random.Generator) -> Problem:
    x = rng.uniform(-8, 8, _N)
    mp = mpmath
    scaled = {float(v): float(v) * 1e5 for v in x}
    functions: list[Callable[[Any], Any]] = [
        mp.sin,
        lambda v: mp.cos(mp.mpf(scaled[float(v)])),
        mp.exp,
        lambda v: mp.log(mp.mpf(abs(float(v)) + 1e-3)),
        lambda v: mp.power(abs(v), mp.mpf(1.7)),
        lambda v: mp.sqrt(abs(v)),
        lambda v: 1 / v,
        mp.tanh,
        mp.erf,
        lambda v: mp.atan2(v, mp.mpf(0.3)),
        lambda v: mp.sign(v) * mp.cbrt(abs(v)),
        lambda v: mp.gamma(abs(v) + 0.5),
        lambda v: v * v - 1,
        lambda v: float(
            np.rint(float(v) * 10) + np.floor(float(v)) + np.trunc(float(v))
        ),
        lambda v: mp.hypot(v, 2),
        lambda v: float(np.fmod(float(v) * 100, 7.0)),
    ]
    result = np.zeros((_N, 16))
    # CUDA C++ Programming Guide, "Mathematical Functions": at most 10 units in the
    # last place (tgamma) among these; a unit is at most 2^-52 of the value.
    return Problem(
        [x, result], [(result, _exact(functions, x))], tolerance=10 * 2.0**-52
    )


def _singles(rng: np.random.Generator) -> Problem:
    x = rng.uniform(-8, 8, _N).astype(np.float32)
    mp = mpmath
    scaled = {float(v): float(v * np.float32(1e5)) for v in x}
    functions: list[Callable[[Any], Any]] = [
        mp.sin,
        lambda v: mp.cos(mp.mpf(scaled[float(v)])),
        mp.exp,
        lambda v: mp.log(mp.mpf(float(abs(np.float32(float(v))) + np.float32(1e-3)))),
        lambda v: mp.power(abs(v), mp.mpf(float(np.float32(1.7)))),
        lambda v: mp.sqrt(abs(v)),
        lambda v: 1 / v,
        mp.tanh,
        mp.erf,
        lambda v: v / 3,
        mp.exp,
        lambda v: 1 / mp.sqrt(abs(v)),
    ]
    result = np.zeros((_N, 12), np.float32)
    wanted = _exact(functions, x).astype(np.float32)
    # As above: powf has 4 units, __expf 2 + |1.173 x| = 11, each at most 2^-23.
    return Problem([x, result], [(result, wanted)], tolerance=12 * 2.0**-23)


def _half_kernel(rng: np.random.Generator) -> Problem:
    x, y = rng.uniform(-8, 8, (2, _N)).astype(np.float32)
    a, b = x.astype(np.float16), y.astype(np.float16)
    c, d = x.astype(ml_dtypes.bfloat16), y.astype(ml_dtypes.bfloat16)
    columns = [
        a + b,
        a * b,
        a / b,
        (a.astype(np.float64) * b + a).astype(np.float16),
        np.maximum(a, b),
        a < b,
        c + d,
        c * d,
        np.minimum(c, d),
        a + np.float16(2),
        b + np.float16(2),
        x.astype(ml_dtypes.float8_e4m3fn),
        y.astype(ml_dtypes.float8_e5m2),
        np.rint(a).astype(np.float32) + np.trunc(d.astype(np.float32)),
    ]
    result = np.zeros((_N, 14), np.float32)
    wanted = np.stack([column.astype(np.float32) for column in columns], axis=1)
    return Problem([x, y, result], [(result, wanted)])


KERNELS = (
    Kernel("numbers", "divisions", _divisions),
    Kernel("numbers", "wide", _wide),
    Kernel("numbers", "bits", _bits),
    Kernel("numbers", "doubles", _doubles),
    Kernel("numbers", "singles", _singles),
    Kernel("numbers", "halves", _half_kernel),
)
