# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/numeric.py`."""

from __future__ import annotations

import math
import zlib

import numpy as np
from zoo_launch import (
    CLOSE,
    Array,
    Launch,
    integers,
    launch,
    normal,
    uniform,
    wide,
    zeros,
)


@launch("mandelbrot_i32")
def mandelbrot() -> Launch:
    left, top, step = np.float32(-2), np.float32(-1.25), np.float32(0.171875)
    row, column = np.arange(16, dtype=np.float32), np.arange(16, dtype=np.float32)
    c = (left + column * step)[None, :] + 1j * (top + row * step)[:, None]
    z, count = np.zeros_like(c), np.zeros((16, 16), np.int32)
    for _ in range(24):
        inside = np.abs(z) <= 2
        count += inside
        z = np.where(inside, z * z + c, z)
    args = [zeros("i32", 16, 16), left, top, step]
    return Launch(args, (2, 2), {0: count})


@launch("newton_root_f64")
def newton_root() -> Launch:
    x = uniform("f64", 0.1, 100.0, 48)
    return Launch([x, zeros("f64", 48)], (3,), {1: np.cbrt(x)}, CLOSE["f64"])


@launch("fast_inverse_root_f32")
def fast_inverse_root() -> Launch:
    x = uniform("f32", 0.1, 100.0, 150)
    return Launch([x, zeros("f32", 150)], (3,), {1: 1 / np.sqrt(wide(x))}, 1e-5)


@launch("polynomial_f32")
def polynomial() -> Launch:
    x, coefficients = uniform("f32", -1.0, 1.0, 70), normal("f32", 6)
    exact = np.polyval(wide(coefficients)[::-1], wide(x))
    args = [x, coefficients, zeros("f32", 70), np.int32(5)]
    return Launch(args, (3,), {2: exact}, CLOSE["f32"])


@launch("fft_stage_f32")
def fft_stage() -> Launch:
    xr, xi = normal("f32", 16, 10), normal("f32", 16, 10, seed=1)
    x = wide(xr) + 1j * wide(xi)
    factor = np.exp(-1j * math.pi * np.arange(8) / 8)[:, None]
    pairs = np.stack((x[:8] + x[8:], (x[:8] - x[8:]) * factor), axis=1)
    y = pairs.reshape(16, 10)
    args = [xr, xi, zeros("f32", 16, 10), zeros("f32", 16, 10)]
    return Launch(args, (1,), {2: y.real, 3: y.imag}, CLOSE["f32"])


@launch("fft_16_f32")
def fft_16() -> Launch:
    xr, xi = normal("f32", 8, 16), normal("f32", 8, 16, seed=1)
    y = np.fft.fft(wide(xr) + 1j * wide(xi), axis=1)
    args = [xr, xi, zeros("f32", 8, 16), zeros("f32", 8, 16)]
    return Launch(args, (2,), {2: y.real, 3: y.imag}, CLOSE["f32"])


@launch("fourier_product_f64")
def fourier_product() -> Launch:
    x = normal("f64", 16, 16)
    y = np.fft.fft(x, axis=1)
    args = [x, zeros("f64", 16, 16), zeros("f64", 16, 16)]
    # cuTile makes the constant 2 pi / n an f32, whatever it is multiplied with.
    return Launch(args, (1,), {1: y.real, 2: y.imag}, 2e-6)


@launch("bodies_f32")
def bodies() -> Launch:
    x, mass = normal("f32", 3, 24), uniform("f32", 0.1, 1.0, 24)
    d = wide(x)[:, None, :] - wide(x)[:, :, None]
    near = ((d**2).sum(axis=0) + 0.01) ** -1.5
    force = (d * (near * mass)).sum(axis=2)
    return Launch([x, mass, zeros("f32", 3, 24)], (3,), {2: force}, 3e-5)


@launch("triangular_f64")
def triangular() -> Launch:
    a = np.tril(normal("f64", 8, 8)) + 4 * np.eye(8)
    b = normal("f64", 8)
    exact = np.linalg.solve(a, b)
    return Launch([a, b, zeros("f64", 8)], (1,), {2: exact}, CLOSE["f64"])


@launch("conjugate_gradient_f32")
def conjugate_gradient() -> Launch:
    a = normal("f32", 8, 8)
    a = (a @ a.T / 8 + np.eye(8)).astype(np.float32)
    b = normal("f32", 8)
    exact = np.linalg.solve(wide(a), wide(b))
    return Launch([a, b, zeros("f32", 8)], (1,), {2: exact}, 2e-5)


@launch("shortest_paths_i32")
def shortest_paths() -> Launch:
    d = integers("i32", 1, 100, 16, 16)
    d[integers("i32", 0, 3, 16, 16) > 0] = 1000000
    np.fill_diagonal(d, 0)
    exact = d.copy()
    for k in range(16):
        exact = np.minimum(exact, exact[:, k : k + 1] + exact[k : k + 1])
    return Launch([d, zeros("i32", 16, 16)], (1,), {1: exact})


@launch("divisor_i32", "i32", 2**20, 64)
@launch("divisor_u64", "u64", 2**40, 32)
def divisor(kind: str, limit: int, size: int) -> Launch:
    x, y = (integers(kind, 0, limit, size, seed=seed) * 6 for seed in (0, 1))
    y[3] = 0
    return Launch([x, y, np.zeros_like(x)], (2,), {2: np.gcd(x, y)})


@launch("power_modulo_i64")
def power_modulo() -> Launch:
    x = integers("i64", 0, 2**40, 32)
    exact = np.array([pow(int(n), 12345, 1000000007) for n in x])
    return Launch([x, zeros("i64", 32), np.int32(12345)], (2,), {1: exact})


@launch("checksum_u8")
def checksum() -> Launch:
    x = integers("u8", 0, 256, 16, 5)
    exact = np.array([zlib.crc32(row.tobytes()) for row in x], np.uint32)
    return Launch([x, zeros("u32", 16)], (1,), {1: exact})


def bits_of(x: Array, count: int) -> Array:
    return (
        x.astype(np.uint64)[:, None] >> np.arange(count, dtype=np.uint64)
    ) & np.uint64(1)


def from_bits(bits: Array) -> Array:
    place = np.arange(bits.shape[1], dtype=np.uint64)
    return (bits << place).sum(axis=1).astype(np.uint32)


@launch("interleave_u16")
def interleave() -> Launch:
    x, y = integers("u16", 0, 2**16, 64), integers("u16", 0, 2**16, 64, seed=1)
    bits = np.stack((bits_of(x, 16), bits_of(y, 16)), axis=2).reshape(64, 32)
    exact = np.stack((from_bits(bits), from_bits(bits[:, ::-1])))
    return Launch([x, y, zeros("u32", 2, 64)], (2,), {2: exact})


@launch("black_scholes_f32")
def black_scholes() -> Launch:
    s, k = (uniform("f32", 20.0, 40.0, 100, seed=seed) for seed in (0, 1))
    t = uniform("f32", 0.25, 2.0, 100)
    r, sigma = float(np.float32(0.02)), float(np.float32(0.3))
    root = sigma * np.sqrt(wide(t))
    d1 = (np.log(wide(s) / wide(k)) + (r + 0.5 * sigma**2) * t) / root
    erf = np.vectorize(math.erf)
    n1, n2 = (0.5 * (1 + erf(d / math.sqrt(2))) for d in (d1, d1 - root))
    discount = wide(k) * np.exp(-r * wide(t))
    price = s * n1 - discount * n2
    outs = [zeros("f32", 100), zeros("f32", 100)]
    args = [s, k, t, *outs, np.float32(0.02), np.float32(0.3)]
    return Launch(args, (2,), {3: price, 4: price - s + discount}, 5e-5)


@launch("runge_kutta_f64")
def runge_kutta() -> Launch:
    x = normal("f64", 2, 16)
    a, v = x[0].copy(), x[1].copy()
    h = float(np.float32(0.05))
    for _ in range(6):
        k1, l1 = v, -np.sin(a)
        k2, l2 = v + 0.5 * h * l1, -np.sin(a + 0.5 * h * k1)
        k3, l3 = v + 0.5 * h * l2, -np.sin(a + 0.5 * h * k2)
        k4, l4 = v + h * l3, -np.sin(a + h * k3)
        a = a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        v = v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    args = [x, zeros("f64", 2, 16), np.int32(6)]
    return Launch(args, (2,), {1: np.stack((a, v))}, 1e-6)


@launch("knapsack_i32")
def knapsack() -> Launch:
    weights, values = integers("i32", 1, 20, 7), integers("i32", 1, 50, 7)
    row = np.zeros(64, np.int32)
    for weight, value in zip(weights, values, strict=True):
        moved = row.copy()
        moved[weight:] = np.maximum(row[weight:], row[:-weight] + value)
        row = moved
    args = [weights, values, zeros("i32", 64), zeros("i32", 64)]
    return Launch(args, (1,), {2: row})


@launch("angles_f32")
def angles() -> Launch:
    x, y = normal("f32", 64), normal("f32", 64, seed=1)
    radius, angle = np.hypot(wide(x), wide(y)), np.arctan2(wide(y), wide(x))
    exact = np.stack((angle, radius * np.cos(angle), wide(x) % 0.75, radius**1.5))
    return Launch([x, y, zeros("f32", 4, 64)], (2,), {2: exact}, CLOSE["f32"])
