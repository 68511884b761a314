# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numerical methods and integer arithmetic: loops that end when they may."""

import math

import cuda.tile as ct
from registry import ZERO, ConstInt, add


@ct.kernel
def mandelbrot(y, left: float, top: float, step: float, h: ConstInt, w: ConstInt):
    """Counts of rounds until escape; ends when all points have escaped."""
    i, j = ct.bid(0), ct.bid(1)
    row = ct.astype(i * h + ct.arange(h, dtype=ct.int32), ct.float32)[:, None]
    column = ct.astype(j * w + ct.arange(w, dtype=ct.int32), ct.float32)[None, :]
    cr, ci = left + column * step, top + row * step
    cr, ci = ct.broadcast_to(cr, (h, w)), ct.broadcast_to(ci, (h, w))
    zr, zi = ct.zeros((h, w), dtype=ct.float32), ct.zeros((h, w), dtype=ct.float32)
    count = ct.zeros((h, w), dtype=ct.int32)
    rounds = 0
    while rounds < 24:
        inside = zr * zr + zi * zi <= 4.0
        if ct.max(ct.astype(inside, ct.int32)) == 0:
            break
        count += ct.astype(inside, ct.int32)
        zr, zi = (
            ct.where(inside, zr * zr - zi * zi + cr, zr),
            ct.where(inside, 2.0 * zr * zi + ci, zi),
        )
        rounds += 1
    ct.store(y, (i, j), count)


add("mandelbrot_i32", mandelbrot, "i32*2", "f32", "f32", "f32", 8, 8)


@ct.kernel
def newton_root(x, y, size: ConstInt):
    """Cube roots by Newton's iteration, until nothing moves much."""
    i = ct.bid(0)
    a = ct.load(x, (i,), (size,))
    r = ct.maximum(a, 1.0)
    change = ct.max(r)
    while change > 1e-12:
        new = r - (r * r * r - a) / (3.0 * r * r)
        change = ct.max(ct.abs(new - r) / ct.abs(new))
        r = new
    ct.store(y, (i,), r)


add("newton_root_f64", newton_root, "f64*1", "f64*1", 16)


@ct.kernel
def fast_inverse_root(x, y, size: ConstInt):
    """By the bits of the number, and two steps of Newton's iteration."""
    i = ct.bid(0)
    a = ct.load(x, (i,), (size,))
    r = ct.bitcast(0x5F3759DF - (ct.bitcast(a, ct.int32) >> 1), ct.float32)
    for _ in range(2):
        r = r * (1.5 - 0.5 * a * r * r)
    ct.store(y, (i,), r)


add("fast_inverse_root_f32", fast_inverse_root, "f32*1", "f32*1", 64)


@ct.kernel
def polynomial(x, coefficients, y, degree: int, size: ConstInt):
    """By Horner's rule; the degree is an argument."""
    i = ct.bid(0)
    a = ct.load(x, (i,), (size,))
    total = ct.zeros((size,), dtype=ct.float32)
    for j in range(degree + 1):
        total = total * a + ct.load(coefficients, (degree - j,), (1,))
    ct.store(y, (i,), total)


add("polynomial_f32", polynomial, "f32*1", "f32*1", "f32*1", "i32", 32)


@ct.kernel
def fft_stage(xr, xi, yr, yi, m: ConstInt):
    """One stage of radix 2 (Stockham): m butterflies of stride `stride`."""
    stride = xr.shape[1]
    column = ct.arange(16, dtype=ct.int32)[None, :]
    row = ct.arange(m, dtype=ct.int32)[:, None]
    angle = ct.astype(row, ct.float32) * (-math.pi / m)
    c, s = ct.cos(angle), ct.sin(angle)
    mask = column < stride
    ar = ct.gather(xr, (row, column), mask=mask)
    ai = ct.gather(xi, (row, column), mask=mask)
    br = ct.gather(xr, (row + m, column), mask=mask)
    bi = ct.gather(xi, (row + m, column), mask=mask)
    dr, di = ar - br, ai - bi
    out = row * 2
    ct.scatter(yr, (out, column), ar + br, mask=mask)
    ct.scatter(yi, (out, column), ai + bi, mask=mask)
    ct.scatter(yr, (out + 1, column), dr * c - di * s, mask=mask)
    ct.scatter(yi, (out + 1, column), dr * s + di * c, mask=mask)


add("fft_stage_f32", fft_stage, *["f32*2"] * 4, 8)


@ct.kernel
def fft_16(xr, xi, yr, yi, rows: ConstInt):
    """16 points in registers: four stages of reshapes, extracts and concatenations."""
    i = ct.bid(0)
    real, imaginary = ct.load(xr, (i, 0), (rows, 16)), ct.load(xi, (i, 0), (rows, 16))
    for stage in ct.static_iter(range(4)):
        n, s = 8 >> stage, 1 << stage
        ar = ct.reshape(real, (rows, 2, n, s))
        ai = ct.reshape(imaginary, (rows, 2, n, s))
        pr, qr = (
            ct.extract(ar, (0, 0, 0, 0), (rows, 1, n, s)),
            ct.extract(ar, (0, 1, 0, 0), (rows, 1, n, s)),
        )
        pi, qi = (
            ct.extract(ai, (0, 0, 0, 0), (rows, 1, n, s)),
            ct.extract(ai, (0, 1, 0, 0), (rows, 1, n, s)),
        )
        k = ct.astype(ct.arange(n, dtype=ct.int32), ct.float32) * (-math.pi / n)
        c, d = ct.cos(k)[None, None, :, None], ct.sin(k)[None, None, :, None]
        dr, di = pr - qr, pi - qi
        shape = (rows, n, 1, s)
        tr, ti = ct.reshape(pr + qr, shape), ct.reshape(pi + qi, shape)
        br = ct.reshape(dr * c - di * d, shape)
        bi = ct.reshape(dr * d + di * c, shape)
        real = ct.reshape(ct.cat((tr, br), 2), (rows, 16))
        imaginary = ct.reshape(ct.cat((ti, bi), 2), (rows, 16))
    ct.store(yr, (i, 0), real)
    ct.store(yi, (i, 0), imaginary)


add("fft_16_f32", fft_16, *["f32*2"] * 4, 4)


@ct.kernel
def fourier_product(x, yr, yi, n: ConstInt):
    """The transform as a product with cosines and sines, in tf32's place f64."""
    a = ct.load(x, (0, 0), (n, n))
    row = ct.arange(n, dtype=ct.int32)
    angle = ct.astype((row[:, None] * row[None, :]) % n, ct.float64) * (2 * math.pi / n)
    zero = ct.zeros((n, n), dtype=ct.float64)
    ct.store(yr, (0, 0), ct.mma(a, ct.cos(angle), zero))
    ct.store(yi, (0, 0), ct.mma(a, -ct.sin(angle), zero))


add("fourier_product_f64", fourier_product, "f64*2", "f64*2", "f64*2", 16)


@ct.kernel
def bodies(x, mass, force, n: ConstInt, size: ConstInt):
    """Forces between all pairs in three dimensions."""
    i = ct.bid(0)
    px = ct.load(x, (0, i), (1, size)).reshape((size, 1))
    py = ct.load(x, (1, i), (1, size)).reshape((size, 1))
    pz = ct.load(x, (2, i), (1, size)).reshape((size, 1))
    fx = ct.zeros((size,), dtype=ct.float32)
    fy, fz = fx, fx
    for j in range(ct.num_tiles(x, axis=1, shape=(1, n))):
        dx = ct.load(x, (0, j), (1, n), padding_mode=ZERO) - px
        dy = ct.load(x, (1, j), (1, n), padding_mode=ZERO) - py
        dz = ct.load(x, (2, j), (1, n), padding_mode=ZERO) - pz
        near = ct.rsqrt(dx * dx + dy * dy + dz * dz + 0.01)
        weight = ct.load(mass, (j,), (n,), padding_mode=ZERO)[None, :]
        pull = weight * near * near * near
        fx += ct.sum(dx * pull, axis=1)
        fy += ct.sum(dy * pull, axis=1)
        fz += ct.sum(dz * pull, axis=1)
    ct.store(force, (0, i), fx[None, :])
    ct.store(force, (1, i), fy[None, :])
    ct.store(force, (2, i), fz[None, :])


add("bodies_f32", bodies, "f32*2", "f32*1", "f32*2", 16, 8)


@ct.kernel
def triangular(a, b, x, n: ConstInt):
    """Solves a lower triangular system, column by column."""
    matrix = ct.load(a, (0, 0), (n, n))
    row = ct.arange(n, dtype=ct.int32)
    rest = ct.load(b, (0,), (n,))
    out = ct.zeros((n,), dtype=ct.float64)
    for j in range(n):
        column = ct.sum(ct.where(row[None, :] == j, matrix, 0.0), axis=1)
        pivot = ct.sum(ct.where(row == j, column, 0.0))
        value = ct.sum(ct.where(row == j, rest, 0.0)) / pivot
        out = ct.where(row == j, value, out)
        rest = rest - column * value
    ct.store(x, (0,), out)


add("triangular_f64", triangular, "f64*2", "f64*1", "f64*1", 8)


@ct.kernel
def conjugate_gradient(a, b, x, n: ConstInt):
    """Solves a symmetric positive system until the residual is small."""
    matrix = ct.load(a, (0, 0), (n, n))
    r = ct.load(b, (0,), (n,))
    out, p = ct.zeros((n,), dtype=ct.float32), r
    old = ct.sum(r * r)
    rounds = 0
    while (old > 1e-10) & (rounds < 2 * n):
        ap = ct.sum(matrix * p[None, :], axis=1)
        alpha = old / ct.sum(p * ap)
        out = out + alpha * p
        r = r - alpha * ap
        new = ct.sum(r * r)
        p = r + (new / old) * p
        old = new
        rounds += 1
    ct.store(x, (0,), out)


add("conjugate_gradient_f32", conjugate_gradient, "f32*2", "f32*1", "f32*1", 8)


@ct.kernel
def shortest_paths(d, out, n: ConstInt):
    """All pairs, by Floyd and Warshall: a row and a column at a time."""
    tile = ct.load(d, (0, 0), (n, n))
    place = ct.arange(n, dtype=ct.int32)
    for k in range(n):
        row = ct.min(ct.where(place[:, None] == k, tile, 1000000), axis=0)
        column = ct.min(ct.where(place[None, :] == k, tile, 1000000), axis=1)
        tile = ct.minimum(tile, column[:, None] + row[None, :])
    ct.store(out, (0, 0), tile)


add("shortest_paths_i32", shortest_paths, "i32*2", "i32*2", 16)


@ct.kernel
def divisor(x, y, out, size: ConstInt):
    """Greatest common divisors by Euclid; the tile is done when all lanes are."""
    i = ct.bid(0)
    a, b = ct.load(x, (i,), (size,)), ct.load(y, (i,), (size,))
    while ct.max(b) != 0:
        safe = ct.where(b == 0, 1, b)
        a, b = ct.where(b == 0, a, b), ct.where(b == 0, 0, a % safe)
    ct.store(out, (i,), a)


add("divisor_i32", divisor, "i32*1", "i32*1", "i32*1", 32)
add("divisor_u64", divisor, "u64*1", "u64*1", "u64*1", 16)


@ct.kernel
def power_modulo(x, y, exponent: int, size: ConstInt):
    """x to a power modulo a prime, by squaring; the products have 64 bits."""
    i = ct.bid(0)
    base = ct.load(x, (i,), (size,)) % 1000000007
    total = ct.ones((size,), dtype=ct.int64)
    e = exponent
    while e > 0:
        if e & 1:
            total = total * base % 1000000007
        base = base * base % 1000000007
        e = e >> 1
    ct.store(y, (i,), total)


add("power_modulo_i64", power_modulo, "i64*1", "i64*1", "i32", 16)


@ct.kernel
def checksum(x, y, size: ConstInt):
    """CRC-32 of the bytes of each row, bit by bit, rows in lanes."""
    i = ct.bid(0)
    crc = ct.full((size,), 0xFFFFFFFF, dtype=ct.uint32)
    for j in range(x.shape[1]):
        byte = ct.reshape(ct.load(x, (i, j), (size, 1)), (size,))
        crc = crc ^ ct.astype(byte, ct.uint32)
        for _ in range(8):
            mask = ct.where((crc & 1) != 0, ct.astype(0xEDB88320, ct.uint32), 0)
            crc = (crc >> 1) ^ mask
    ct.store(y, (i,), ~crc)


add("checksum_u8", checksum, "u8*2", "u32*1", 16)


@ct.kernel
def interleave(x, y, out, size: ConstInt):
    """Bits of two numbers in turn (a Morton code), then their order reversed."""
    i = ct.bid(0)
    a = ct.astype(ct.load(x, (i,), (size,)), ct.uint32)
    b = ct.astype(ct.load(y, (i,), (size,)), ct.uint32)
    for shift, mask in ct.static_iter(
        ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))
    ):
        a, b = (a | (a << shift)) & mask, (b | (b << shift)) & mask
    both = a | (b << 1)
    ct.store(out, (0, i), both[None, :])
    for shift, mask in ct.static_iter(
        (
            (1, 0x55555555),
            (2, 0x33333333),
            (4, 0x0F0F0F0F),
            (8, 0x00FF00FF),
            (16, 0x0000FFFF),
        )
    ):
        both = ((both >> shift) & mask) | ((both & mask) << shift)
    ct.store(out, (1, i), both[None, :])


add("interleave_u16", interleave, "u16*1", "u16*1", "u32*2", 32)


@ct.kernel
def black_scholes(s, k, t, call, put, r: float, sigma: float, size: ConstInt):
    """Prices of options; the normal distribution by a polynomial."""
    i = ct.bid(0)
    spot, strike = ct.load(s, (i,), (size,)), ct.load(k, (i,), (size,))
    years = ct.load(t, (i,), (size,))
    root = sigma * ct.sqrt(years)
    d1 = (ct.log(spot / strike) + (r + 0.5 * sigma * sigma) * years) / root
    d2 = d1 - root
    discount = strike * ct.exp(-r * years)
    price = spot * cumulative(d1) - discount * cumulative(d2)
    ct.store(call, (i,), price)
    ct.store(put, (i,), price - spot + discount)


def cumulative(d):
    z = 1.0 / (1.0 + 0.2316419 * ct.abs(d))
    poly = z * (
        0.31938153
        + z * (-0.356563782 + z * (1.781477937 + z * (-1.821255978 + z * 1.330274429)))
    )
    tail = poly * ct.exp(-0.5 * d * d) * 0.39894228
    return ct.where(d > 0.0, 1.0 - tail, tail)


add("black_scholes_f32", black_scholes, *["f32*1"] * 5, "f32", "f32", 64)


@ct.kernel
def runge_kutta(x, y, steps: int, size: ConstInt):
    """A pendulum, by the classical method of fourth order, in f64."""
    i = ct.bid(0)
    a, v = ct.load(x, (0, i), (1, size)), ct.load(x, (1, i), (1, size))
    h = 0.05
    for _ in range(steps):
        k1, l1 = v, -ct.sin(a)
        k2, l2 = v + 0.5 * h * l1, -ct.sin(a + 0.5 * h * k1)
        k3, l3 = v + 0.5 * h * l2, -ct.sin(a + 0.5 * h * k2)
        k4, l4 = v + h * l3, -ct.sin(a + h * k3)
        a = a + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        v = v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
    ct.store(y, (0, i), a)
    ct.store(y, (1, i), v)


add("runge_kutta_f64", runge_kutta, "f64*2", "f64*2", "i32", 8)


@ct.kernel
def knapsack(weights, values, best, capacity: ConstInt, scratch):
    """The table of best values, row by row through memory."""
    place = ct.arange(capacity, dtype=ct.int32)
    row = ct.zeros((capacity,), dtype=ct.int32)
    for i in range(weights.shape[0]):
        weight = ct.load(weights, (i,), (1,)).item()
        value = ct.load(values, (i,), (1,)).item()
        ct.store(scratch, (0,), row)
        less = ct.gather(scratch, place - weight, padding_value=-1000000)
        row = ct.maximum(row, less + value)
    ct.store(best, (0,), row)


add("knapsack_i32", knapsack, "i32*1", "i32*1", "i32*1", 64, "i32*1")


@ct.kernel
def angles(x, y, out, size: ConstInt):
    """Polar coordinates and back; the remainder of floats."""
    i = ct.bid(0)
    a, b = ct.load(x, (i,), (size,)), ct.load(y, (i,), (size,))
    radius, angle = ct.sqrt(a * a + b * b), ct.atan2(b, a)
    ct.store(out, (0, i), angle[None, :])
    ct.store(out, (1, i), (radius * ct.cos(angle))[None, :])
    ct.store(out, (2, i), (a % 0.75)[None, :])
    ct.store(out, (3, i), ct.pow(radius, 1.5)[None, :])


add("angles_f32", angles, "f32*1", "f32*1", "f32*2", 32)
