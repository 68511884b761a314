# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the Triton kernels, with NumPy references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from ptx_arrays import placed
from triton_kernels import Array, Problem

Make = Callable[[np.random.Generator], Problem]
f32 = np.float32


def zeros(*shape: int, dtype: Any = f32) -> Array:
    return placed(np.zeros(shape, dtype))


def normal(rng: np.random.Generator, *shape: int, dtype: Any = f32) -> Array:
    return placed(rng.standard_normal(shape).astype(dtype))


def whole(
    rng: np.random.Generator, *shape: int, most: int = 3, dtype: Any = f32
) -> Array:
    return placed(rng.integers(-most, most + 1, shape).astype(dtype))


# One tile each ---------------------------------------------------------------------


def add_rows(dtype: Any, block: int) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        n = 3 * block - 17
        x, y = normal(rng, n, dtype=dtype), normal(rng, n, dtype=dtype)
        z = zeros(n, dtype=dtype)
        return Problem([x, y, z, n], (3,), [(z, x + y, 0.0)])

    return make


def softmax_rows(rng: np.random.Generator) -> Problem:
    x, y = normal(rng, 3, 500), zeros(3, 500)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    # Arguments of exp2 of up to 16, rounded once; each step 2 ulp.
    return Problem([x, y, 500], (3,), [(y, wanted, 32 * 2**-23 * wanted)])


def layer_norm(rng: np.random.Generator) -> Problem:
    n = 700
    x = normal(rng, 3, n, dtype=np.float16)
    scale, shift, y = normal(rng, n), normal(rng, n), zeros(3, n, dtype=np.float16)
    v = x.astype(np.float64)
    centred = v - v.mean(1, keepdims=True)
    wanted = centred / np.sqrt(v.var(1, keepdims=True) + 1e-5) * scale + shift
    # Sums of 700 terms in single precision; then one rounding to half precision.
    most = 2**-11 * np.abs(wanted) + 2**-14 * (1 + np.abs(scale) * 4) * 2**-3
    return Problem([x, scale, shift, y, n, f32(1e-5)], (3,), [(y, wanted, most)])


def reduce_both_ways(rng: np.random.Generator) -> Problem:
    x = whole(rng, 64, 32, most=10000, dtype=np.int32)
    i32 = np.int32
    results = [zeros(n, dtype=i32) for n in (32, 64, 32, 64)]
    wanted = [x.sum(0), x.max(1), x.argmin(0), np.bitwise_xor.reduce(x, 1)]
    pairs = [(r, w, 0.0) for r, w in zip(results, wanted, strict=True)]
    return Problem([x, *results], (1,), pairs)


def recurrence(rng: np.random.Generator) -> Problem:
    # Powers of two and small whole numbers: no order of the steps rounds.
    a = placed(rng.choice([0.0, 1.0, 1.0, -1.0], (32, 64)).astype(f32))
    b = whole(rng, 32, 64)
    forward, backward = np.zeros((2, 32, 64), f32)
    forward, backward = placed(forward), placed(backward)
    right = b.copy()
    for j in range(1, 64):
        right[:, j] += a[:, j] * right[:, j - 1]
    up = b.copy()
    for i in range(30, -1, -1):
        up[i] += a[i] * up[i + 1]
    return Problem(
        [a, b, forward, backward], (1,), [(forward, right, 0.0), (backward, up, 0.0)]
    )


def sort_rows(rng: np.random.Generator) -> Problem:
    x = whole(rng, 4, 128, most=1000, dtype=np.int32)
    y, best = zeros(4, 128, dtype=np.int32), zeros(4, 8, dtype=np.int32)
    ordered = np.sort(x, 1)
    return Problem(
        [x, y, best], (1,), [(y, ordered, 0.0), (best, ordered[:, :-9:-1], 0.0)]
    )


def count_values(rng: np.random.Generator) -> Problem:
    n = 1400
    x = placed(rng.integers(0, 64, n).astype(np.int32))
    counts = zeros(64, dtype=np.int32)
    return Problem([x, counts, n], (3,), [(counts, np.bincount(x, minlength=64), 0.0)])


def shuffle_data(rng: np.random.Generator) -> Problem:
    x = normal(rng, 32, 32)
    places = placed(rng.integers(0, 32, (32, 32)).astype(np.int32))
    y, flipped, halves, pairs = (
        zeros(32, 32),
        zeros(32, 32),
        zeros(32, 16),
        zeros(32, 32, 2),
    )
    wanted = [
        (y, np.take_along_axis(x, places, 0).T, 0.0),
        (flipped, x[:, ::-1], 0.0),
        (halves, x[:, ::2] - x[:, 1::2], 0.0),
        (pairs, np.stack([x, x * 2], -1), 0.0),
    ]
    return Problem([x, places, y, flipped, halves, pairs], (1,), wanted)


def transpose_tile(dtype: Any, m: int, n: int) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        x = whole(rng, 100, 90, most=100, dtype=dtype)
        y = zeros(90, 100, dtype=dtype)
        return Problem([x, y, 100, 90], (-(-100 // m), -(-90 // n)), [(y, x.T, 0.0)])

    return make


def elementary(rng: np.random.Generator) -> Problem:
    import math

    x = placed(rng.uniform(-5, 5, 256).astype(f32))
    y = zeros(11, 256)
    v = x.astype(np.float64)
    each = [
        np.exp(v),
        np.log(np.abs(v) + 1),
        np.sin(v),
        np.sqrt(np.abs(v)),
        1 / (v + 20),
        np.vectorize(math.erf)(v),
        np.tanh(v),
        np.abs(v) ** 1.5,
        np.floor(v) + np.ceil(v * 0.5),
        np.vectorize(math.lgamma)(v),
        v * v + 0.1,
    ]
    wanted = np.array(each)
    # libdevice's single-precision functions stay within some units in the last place;
    # near the zeros of lgamma within as much of 1.
    return Problem([x, y], (1,), [(y, wanted, 2**-19 * np.maximum(np.abs(wanted), 1))])


def integers(rng: np.random.Generator) -> Problem:
    i32, i64 = np.int32, np.int64
    x = placed(rng.integers(-(2**31), 2**31, 256).astype(i32))
    y = placed(
        rng.integers(-(2**31), 2**31, 256).astype(i32)
        >> rng.integers(0, 30, 256).astype(i32)
    )
    y[y == 0] = 7
    result, wide = zeros(7, 256, dtype=i32), zeros(2, 256, dtype=i64)
    a, b = x.astype(i64), y.astype(i64)
    ua, ub = x.view(np.uint32).astype(np.uint64), y.view(np.uint32).astype(np.uint64)
    quotient = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
    ones = np.bitwise_count(x.view(np.uint32)).astype(i64)
    zeros_left = np.array([32 - int(v).bit_length() for v in y.view(np.uint32)])
    shift = (y & 31).astype(i32)
    tests = (x > y).astype(i64) + (x.astype(np.int16) < y.astype(np.int8))
    rows = [
        quotient,
        a - quotient * b,
        (ua * ub >> np.uint64(32)).astype(np.uint32).view(i32),
        ones + zeros_left,
        (x << shift) ^ (x >> shift),
        np.minimum(x, y) | np.abs(x),
        tests,
    ]
    long = a * b
    odd = b | 1
    rest = np.sign(long) * (np.abs(long) % np.abs(odd))
    thousands = np.sign(long) * (np.abs(long) // 12345)
    return Problem(
        [x, y, result, wide],
        (1,),
        [
            (result, np.array(rows).astype(i32), 0.0),
            (wide, np.array([thousands, rest]), 0.0),
        ],
    )


def _philox(seed: int, counter: Array) -> list[Array]:
    """Philox 4x32 with 10 rounds (Salmon et al., 2011), in 64-bit arithmetic."""
    low = np.uint64(0xFFFFFFFF)
    c = [
        counter.astype(np.uint64),
        *(np.zeros_like(counter, np.uint64) for _ in range(3)),
    ]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (q >> np.uint64(32)) ^ c[1] ^ key[0],
            q & low,
            (p >> np.uint64(32)) ^ c[3] ^ key[1],
            p & low,
        ]
        key = [
            (key[0] + np.uint64(0x9E3779B9)) & low,
            (key[1] + np.uint64(0xBB67AE85)) & low,
        ]
    return [x.astype(np.uint32) for x in c]


def random_numbers(rng: np.random.Generator) -> Problem:
    seed = int(rng.integers(0, 2**31))
    uniform, gauss, bits = zeros(256), zeros(256), zeros(256, dtype=np.int32)
    first, second, _, _ = _philox(seed, np.arange(256))

    def unit(values: Array) -> Array:
        signed = values.view(np.int32).astype(np.int64)
        return np.where(signed < 0, -signed - 1, signed) * 4.6566127342e-10

    radius = np.sqrt(-2 * np.log(np.maximum(unit(first), 1e-7)))
    wanted = radius * np.cos(2 * np.pi * unit(second))
    return Problem(
        [seed, uniform, gauss, bits],
        (1,),
        [
            (uniform, unit(first), 2**-23),
            (gauss, wanted, 2e-5),
            (bits, first.view(np.int32), 0.0),
        ],
    )


def narrow_floats(rng: np.random.Generator) -> Problem:
    x = placed((rng.standard_normal(512) * 2.0 ** rng.integers(-8, 8, 512)).astype(f32))
    e5, back, half = zeros(512, dtype=np.int8), zeros(512), zeros(512, dtype=np.float16)
    brain, cut = (
        zeros(512, dtype=ml_dtypes.bfloat16),
        zeros(512, dtype=ml_dtypes.bfloat16),
    )
    small = x.astype(ml_dtypes.float8_e5m2)
    chopped = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(f32)
    return Problem(
        [x, e5, back, half, brain, cut],
        (1,),
        [
            (e5, small.view(np.int8), 0.0),
            (back, small.astype(f32), 0.0),
            (half, x.astype(np.float16), 0.0),
            (brain, x.astype(ml_dtypes.bfloat16), 0.0),
            (cut, chopped, 0.0),
        ],
    )


def narrow_floats_e4m3(rng: np.random.Generator) -> Problem:
    x = placed((rng.standard_normal(512) * 2.0 ** rng.integers(-9, 6, 512)).astype(f32))
    e4, back = zeros(512, dtype=np.int8), zeros(512, dtype=np.float16)
    small = x.astype(ml_dtypes.float8_e4m3fn)
    return Problem(
        [x, e4, back],
        (1,),
        [(e4, small.view(np.int8), 0.0), (back, small.astype(np.float16), 0.0)],
    )


def inline_assembly(rng: np.random.Generator) -> Problem:
    x, y = (placed(rng.integers(0, 2**32, 256).astype(np.uint32)) for _ in range(2))
    low, high = zeros(256, dtype=np.uint32), zeros(256, dtype=np.uint32)
    return Problem(
        [x, y, low, high],
        (1,),
        [(low, np.minimum(x, y), 0.0), (high, np.maximum(x, y), 0.0)],
    )


def print_and_check(rng: np.random.Generator) -> Problem:
    x = placed(rng.integers(0, 100, 256).astype(np.int32))
    lines = [
        f"pid ({i // 128}, 0, 0) idx ({i % 128:>3}) value: {v}" for i, v in enumerate(x)
    ]
    return Problem([x], (2,), [(x, x + 1, 0.0)], stdout=lines)


# The grid --------------------------------------------------------------------------


def atomics(rng: np.random.Generator) -> Problem:
    x = placed(rng.integers(0, 1000, 1024).astype(np.int32))
    cell = np.arange(1024) % 32
    i32 = np.int32
    ints = zeros(6 * 32 + 1024, dtype=i32)
    table = ints[:192].reshape(6, 32)
    start = rng.integers(0, 1000, (6, 32)).astype(i32)
    table[...] = start
    later = rng.integers(0, 1000, 1024).astype(i32)
    ints[192:] = later
    later[::2] = x[::2]
    ints[192:] = later
    floats, halves, wide = (
        zeros(3, 32),
        zeros(32, dtype=np.float16),
        zeros(32, dtype=np.int64),
    )
    old = zeros(2048, dtype=i32)
    wanted = start.copy()
    for row, ufunc in enumerate(
        (np.add, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or)
    ):
        ufunc.at(wanted[row], cell, x)
    even = x % 2 == 0
    np.bitwise_xor.at(wanted[5], cell[even], x[even])
    sums, eights = np.zeros(32), np.zeros(32)
    np.add.at(sums, cell, x)
    np.add.at(eights, cell, x % 8)
    most = np.zeros(32, i32)
    np.maximum.at(most, cell, x)
    total = np.concatenate([wanted.ravel(), x + 1])
    return Problem(
        [x, ints, floats, halves, wide, old],
        (4,),
        [
            (ints, total, 0.0),
            (floats, np.array([sums, most, np.zeros(32)]), 0.0),
            (halves, eights, 0.0),
            (wide, sums, 0.0),
            (old, np.concatenate([later, x]), 0.0),
        ],
    )


def locked_sum(rng: np.random.Generator) -> Problem:
    x, lock, result = whole(rng, 6, 128), zeros(1, dtype=np.int32), zeros(128)
    return Problem(
        [x, lock, result, 6], (6,), [(result, x.sum(0), 0.0), (lock, np.zeros(1), 0.0)]
    )


def last_one_adds(rng: np.random.Generator) -> Problem:
    i32 = np.int32
    x = whole(rng, 8, 256, most=100, dtype=i32)
    parts, count, result = zeros(8, dtype=i32), zeros(1, dtype=i32), zeros(1, dtype=i32)
    return Problem(
        [x, parts, count, result],
        (8,),
        [(result, x.sum(keepdims=True).reshape(1), 0.0)],
    )


def wait_for_left(rng: np.random.Generator) -> Problem:
    i32 = np.int32
    x = whole(rng, 8, 256, most=100, dtype=i32)
    flags, sums = zeros(8, dtype=i32), zeros(8, dtype=i32)
    return Problem([x, flags, sums], (8,), [(sums, np.cumsum(x.sum(1)), 0.0)])


def split_k(rng: np.random.Generator) -> Problem:
    a, b = whole(rng, 64, 256, dtype=np.float16), whole(rng, 256, 64, dtype=np.float16)
    c, turn = zeros(64, 64), zeros(4, dtype=np.int32)
    wanted = a.astype(f32) @ b.astype(f32)
    return Problem([a, b, c, turn, 64, 256], (4, 3), [(c, wanted, 0.0)])


_bf16, _f16 = ml_dtypes.bfloat16, np.float16

PROBLEMS: dict[str, Make] = {
    "add_rows": add_rows(f32, 256),
    "add_rows_bf16": add_rows(_bf16, 1024),
    "softmax_rows": softmax_rows,
    "layer_norm": layer_norm,
    "reduce_both_ways": reduce_both_ways,
    "recurrence": recurrence,
    "sort_rows": sort_rows,
    "count_values": count_values,
    "shuffle_data": shuffle_data,
    "transpose_tile": transpose_tile(_f16, 64, 32),
    "transpose_tile_i8": transpose_tile(np.int8, 64, 64),
    "elementary": elementary,
    "integers": integers,
    "random_numbers": random_numbers,
    "narrow_floats": narrow_floats,
    "narrow_floats_e4m3": narrow_floats_e4m3,
    "inline_assembly": inline_assembly,
    "print_and_check": print_and_check,
    "atomics": atomics,
    "locked_sum": locked_sum,
    "last_one_adds": last_one_adds,
    "wait_for_left": wait_for_left,
    "poll_for_left": wait_for_left,
    "split_k": split_k,
}
