# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scientific computing: stencils, particles, formulas."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Field, Launch, integers, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
FIELD = Field("stencils")


@ct.kernel
def jacobi(x, y, height: ConstInt, width: ConstInt):
    """The mean of four neighbours inside, the border as it is."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * height + ct.arange(height, dtype=ct.int32))[:, None]
    column = (j * width + ct.arange(width, dtype=ct.int32))[None, :]
    middle = ct.gather(x, (row, column))
    total = ct.gather(x, (row - 1, column)) + ct.gather(x, (row + 1, column))
    total += ct.gather(x, (row, column - 1)) + ct.gather(x, (row, column + 1))
    inside = (row > 0) & (row < x.shape[0] - 1)
    inside = inside & (column > 0) & (column < x.shape[1] - 1)
    ct.store(y, (i, j), ct.where(inside, total * 0.25, middle))


def _jacobi() -> Launch:
    x, y = normal("f32", 64, 128), zeros("f32", 64, 128)
    exact, full = wide(x).copy(), wide(x)
    around = full[:-2, 1:-1] + full[2:, 1:-1] + full[1:-1, :-2] + full[1:-1, 2:]
    exact[1:-1, 1:-1] = around / 4
    return Launch((4, 2), [x, y], {1: near(exact, "f32", 4.0)})


FIELD.add("jacobi_f32", jacobi, _jacobi, HEIGHT=16, WIDTH=64)


@ct.kernel
def heat(x, y, factor: float, a: ConstInt, b: ConstInt, c: ConstInt):
    """Seven points in three dimensions; nothing outside."""
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    p = (i * a + ct.arange(a, dtype=ct.int32))[:, None, None]
    q = (j * b + ct.arange(b, dtype=ct.int32))[None, :, None]
    r = (k * c + ct.arange(c, dtype=ct.int32))[None, None, :]
    middle = ct.load(x, (i, j, k), (a, b, c))
    around = ct.gather(x, (p - 1, q, r)) + ct.gather(x, (p + 1, q, r))
    around += ct.gather(x, (p, q - 1, r)) + ct.gather(x, (p, q + 1, r))
    around += ct.gather(x, (p, q, r - 1)) + ct.gather(x, (p, q, r + 1))
    ct.store(y, (i, j, k), middle + factor * (around - 6.0 * middle))


def _heat() -> Launch:
    x, y = normal("f32", 8, 16, 64), zeros("f32", 8, 16, 64)
    full = np.pad(wide(x), 1)
    around = full[:-2, 1:-1, 1:-1] + full[2:, 1:-1, 1:-1] + full[1:-1, :-2, 1:-1]
    around = (
        around + full[1:-1, 2:, 1:-1] + full[1:-1, 1:-1, :-2] + full[1:-1, 1:-1, 2:]
    )
    exact = wide(x) + 0.125 * (around - 6 * wide(x))
    return Launch((2, 2, 1), [x, y, np.float32(0.125)], {1: near(exact, "f32", 4.0)})


FIELD.add("heat_f32", heat, _heat, A=4, B=8, C=64)


@ct.kernel
def wave(u, before, speed, y, size: ConstInt):
    """A step of the wave equation in one dimension, periodic."""
    i, n = ct.bid(0), u.shape[0]
    place = i * size + ct.arange(size, dtype=ct.int32)
    middle = ct.load(u, (i,), (size,))
    left, right = ct.gather(u, (place + n - 1) % n), ct.gather(u, (place + 1) % n)
    c = ct.load(speed, (i,), (size,))
    out = 2.0 * middle - ct.load(before, (i,), (size,))
    ct.store(y, (i,), out + c * c * (left - 2.0 * middle + right))


def _wave() -> Launch:
    u, before = normal("f32", 4096), normal("f32", 4096, seed=1)
    speed, full = uniform("f32", 0.1, 0.9, 4096), wide(u)
    change = np.roll(full, 1) - 2 * full + np.roll(full, -1)
    exact = 2 * full - wide(before) + wide(speed) ** 2 * change
    return Launch(
        (4,), [u, before, speed, zeros("f32", 4096)], {3: near(exact, "f32", 9.0)}
    )


FIELD.add("wave_f32", wave, _wave, lambda u, *_: [u.size], SIZE=1024)


@ct.kernel
def bodies(x, y, z, mass, ax, ay, az, size: ConstInt, step: ConstInt):
    """Accelerations of gravity, softened, of all on each."""
    i = ct.bid(0)
    px = ct.load(x, (i,), (size,))[:, None]
    py = ct.load(y, (i,), (size,))[:, None]
    pz = ct.load(z, (i,), (size,))[:, None]
    fx = ct.zeros((size,), dtype=ct.float32)
    fy = ct.zeros((size,), dtype=ct.float32)
    fz = ct.zeros((size,), dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=0, shape=(step,))):
        dx = ct.load(x, (j,), (step,))[None, :] - px
        dy = ct.load(y, (j,), (step,))[None, :] - py
        dz = ct.load(z, (j,), (step,))[None, :] - pz
        r = ct.rsqrt(dx * dx + dy * dy + dz * dz + 0.01)
        pull = ct.load(mass, (j,), (step,))[None, :] * r * r * r
        fx += ct.sum(pull * dx, axis=1)
        fy += ct.sum(pull * dy, axis=1)
        fz += ct.sum(pull * dz, axis=1)
    ct.store(ax, (i,), fx)
    ct.store(ay, (i,), fy)
    ct.store(az, (i,), fz)


def _bodies() -> Launch:
    places = [normal("f32", 256, seed=seed) for seed in range(3)]
    mass = uniform("f32", 0.1, 1, 256)
    at = np.stack([wide(each) for each in places], 1)
    gap = at[None] - at[:, None]
    pull = wide(mass) * ((gap**2).sum(2) + 0.01) ** -1.5
    terms = pull[:, :, None] * gap
    wanted = {
        4 + axis: near(terms[..., axis].sum(1), "f32", np.abs(terms[..., axis]).sum(1))
        for axis in range(3)
    }
    values = [*places, mass, *(zeros("f32", 256) for _ in range(3))]
    return Launch((2,), values, wanted)


FIELD.add("bodies_f32", bodies, _bodies, lambda x, *_: [x.size], SIZE=128, STEP=32)


@ct.kernel
def options(price, strike, time, call, rate: float, spread: float, size: ConstInt):
    """Prices of call options by Black and Scholes."""
    i = ct.bid(0)
    s, k = ct.load(price, (i,), (size,)), ct.load(strike, (i,), (size,))
    t = ct.load(time, (i,), (size,))
    root = spread * ct.sqrt(t)
    d1 = (ct.log(s / k) + (rate + 0.5 * spread * spread) * t) / root
    first, second = normal_share(d1), normal_share(d1 - root)
    ct.store(call, (i,), s * first - k * ct.exp(-rate * t) * second)


def normal_share(x):
    """The polynomial 26.2.17 of Abramowitz and Stegun; its error is below 7.5e-8."""
    k = 1.0 / (1.0 + 0.2316419 * ct.abs(x))
    poly = k * (
        0.319381530
        + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804 * ct.exp(-0.5 * x * x) * poly
    return ct.where(x > 0.0, 1.0 - tail, tail)


def _options() -> Launch:
    from math import erf

    s, k = uniform("f32", 20, 40, 4096), uniform("f32", 20, 40, 4096, seed=1)
    t, call = uniform("f32", 0.5, 2, 4096), zeros("f32", 4096)
    share = np.vectorize(lambda x: 0.5 * (1 + erf(x / 2**0.5)))
    root = 0.25 * np.sqrt(wide(t))
    d1 = (np.log(wide(s) / wide(k)) + (0.0625 + 0.03125) * wide(t)) / root
    exact = wide(s) * share(d1) - wide(k) * np.exp(-0.0625 * wide(t)) * share(d1 - root)
    values = [s, k, t, call, np.float32(0.0625), np.float32(0.25)]
    return Launch((4,), values, {3: (exact, 1e-4)})


FIELD.add("options_f32", options, _options, lambda s, *_: [s.size], SIZE=1024)


@ct.kernel
def life(x, y, height: ConstInt, width: ConstInt):
    """A generation of the game of life on a torus."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * height + ct.arange(height, dtype=ct.int32))[:, None]
    column = (j * width + ct.arange(width, dtype=ct.int32))[None, :]
    rows, columns = x.shape[0], x.shape[1]
    around = ct.zeros((height, width), dtype=ct.int32)
    for s in ct.static_iter(range(3)):
        for t in ct.static_iter(range(3)):
            where = (row + rows + s - 1) % rows, (column + columns + t - 1) % columns
            around += ct.astype(ct.gather(x, where), ct.int32)
    alive = ct.load(x, (i, j), (height, width)) != 0
    after = (around == 3) | (alive & (around == 4))
    ct.store(y, (i, j), ct.astype(after, y.dtype))


def _life() -> Launch:
    x, y = integers("u8", 0, 2, 64, 128), zeros("u8", 64, 128)
    turns = [(s, t) for s in (-1, 0, 1) for t in (-1, 0, 1)]
    around = sum(np.roll(x.astype(int), turn, (0, 1)) for turn in turns)
    exact = (around == 3) | ((x != 0) & (around == 4))
    return Launch((4, 2), [x, y], {1: (exact, 0)})


FIELD.add("life_u8", life, _life, HEIGHT=16, WIDTH=64)


@ct.kernel
def mandelbrot(y, left: float, top: float, step: float, rounds: ConstInt,
               h: ConstInt, w: ConstInt):  # fmt: skip
    i, j = ct.bid(0), ct.bid(1)
    row = ct.astype(i * h + ct.arange(h, dtype=ct.int32), ct.float32)[:, None]
    column = ct.astype(j * w + ct.arange(w, dtype=ct.int32), ct.float32)[None, :]
    cr = ct.broadcast_to(left + column * step, (h, w))
    ci = ct.broadcast_to(top + row * step, (h, w))
    zr, zi = ct.zeros((h, w), dtype=ct.float32), ct.zeros((h, w), dtype=ct.float32)
    count = ct.zeros((h, w), dtype=ct.int32)
    for _ in range(rounds):
        inside = zr * zr + zi * zi <= 4.0
        count += ct.astype(inside, ct.int32)
        new = zr * zr - zi * zi + cr
        zi = ct.where(inside, 2.0 * zr * zi + ci, zi)
        zr = ct.where(inside, new, zr)
    ct.store(y, (i, j), count)


def _mandelbrot() -> Launch:
    step = 1 / 64
    c = (-1.9375 + np.arange(128) * step) + 1j * (
        -0.515625 + np.arange(32)[:, None] * step
    )
    z, exact = np.zeros(c.shape, complex), np.zeros(c.shape)
    for _ in range(8):
        inside = np.abs(z) <= 2
        assert np.abs(np.abs(z) - 2).min() > 1e-6
        exact, z = exact + inside, np.where(inside, z * z + c, z)
    numbers = [np.float32(-1.9375), np.float32(-0.515625), np.float32(step)]
    return Launch((2, 2), [zeros("i32", 32, 128), *numbers], {0: (exact, 0)})


FIELD.add("mandelbrot_i32", mandelbrot, _mandelbrot, ROUNDS=8, H=16, W=64)
