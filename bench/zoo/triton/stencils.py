# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/stencils.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def at2(x, r, c, rows, columns):
    ok = (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
    return tl.load(x + r * columns + c, ok, other=0.0)


@triton.jit
def jacobi(x, y, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    r = (tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT))[:, None]
    c = (tl.program_id(1) * WIDTH + tl.arange(0, WIDTH))[None, :]
    middle = at2(x, r, c, rows, columns)
    total = at2(x, r - 1, c, rows, columns) + at2(x, r + 1, c, rows, columns)
    total += at2(x, r, c - 1, rows, columns) + at2(x, r, c + 1, rows, columns)
    inside = (r > 0) & (r < rows - 1) & (c > 0) & (c < columns - 1)
    out = tl.where(inside, total * 0.25, middle)
    tl.store(y + r * columns + c, out, (r < rows) & (c < columns))


@triton.jit
def at3(x, p, q, r, m, n, k):
    ok = (p >= 0) & (p < m) & (q >= 0) & (q < n) & (r >= 0) & (r < k)
    return tl.load(x + (p * n + q) * k + r, ok, other=0.0)


@triton.jit
def heat(x, y, m, n, k, factor, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    p = (tl.program_id(0) * A + tl.arange(0, A))[:, None, None]
    q = (tl.program_id(1) * B + tl.arange(0, B))[None, :, None]
    r = (tl.program_id(2) * C + tl.arange(0, C))[None, None, :]
    middle = at3(x, p, q, r, m, n, k)
    around = at3(x, p - 1, q, r, m, n, k) + at3(x, p + 1, q, r, m, n, k)
    around += at3(x, p, q - 1, r, m, n, k) + at3(x, p, q + 1, r, m, n, k)
    around += at3(x, p, q, r - 1, m, n, k) + at3(x, p, q, r + 1, m, n, k)
    ok = (p < m) & (q < n) & (r < k)
    tl.store(y + (p * n + q) * k + r, middle + factor * (around - 6.0 * middle), ok)


@triton.jit
def wave(u, before, speed, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    ok = i < n
    middle = tl.load(u + i, ok)
    left, right = tl.load(u + (i + n - 1) % n), tl.load(u + (i + 1) % n)
    c = tl.load(speed + i, ok)
    out = 2.0 * middle - tl.load(before + i, ok)
    tl.store(y + i, out + c * c * (left - 2.0 * middle + right), ok)


@triton.jit
def bodies(x, y, z, mass, ax, ay, az, n, SIZE: tl.constexpr, STEP: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    px, py = tl.load(x + i, i < n)[:, None], tl.load(y + i, i < n)[:, None]
    pz = tl.load(z + i, i < n)[:, None]
    fx = tl.zeros((SIZE,), tl.float32)
    fy = tl.zeros((SIZE,), tl.float32)
    fz = tl.zeros((SIZE,), tl.float32)
    for start in range(0, n, STEP):
        j = start + tl.arange(0, STEP)
        dx = tl.load(x + j, j < n, other=0.0)[None, :] - px
        dy = tl.load(y + j, j < n, other=0.0)[None, :] - py
        dz = tl.load(z + j, j < n, other=0.0)[None, :] - pz
        r = tl.rsqrt(dx * dx + dy * dy + dz * dz + 0.01)
        pull = tl.load(mass + j, j < n, other=0.0)[None, :] * r * r * r
        fx += tl.sum(pull * dx, 1)
        fy += tl.sum(pull * dy, 1)
        fz += tl.sum(pull * dz, 1)
    tl.store(ax + i, fx, i < n)
    tl.store(ay + i, fy, i < n)
    tl.store(az + i, fz, i < n)


@triton.jit
def normal_share(x):
    k = 1.0 / (1.0 + 0.2316419 * tl.abs(x))
    poly = k * (
        0.319381530
        + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804 * tl.exp(-0.5 * x * x) * poly
    return tl.where(x > 0.0, 1.0 - tail, tail)


@triton.jit
def options(price, strike, time, call, n, rate, spread, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    s, k = tl.load(price + i, i < n, other=1.0), tl.load(strike + i, i < n, other=1.0)
    t = tl.load(time + i, i < n, other=1.0)
    root = spread * tl.sqrt(t)
    d1 = (tl.log(s / k) + (rate + 0.5 * spread * spread) * t) / root
    out = s * normal_share(d1) - k * tl.exp(-rate * t) * normal_share(d1 - root)
    tl.store(call + i, out, i < n)


@triton.jit
def life(x, y, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    r = (tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT))[:, None]
    c = (tl.program_id(1) * WIDTH + tl.arange(0, WIDTH))[None, :]
    around = tl.zeros((HEIGHT, WIDTH), tl.int32)
    for s in tl.static_range(3):
        for t in tl.static_range(3):
            row, column = (r + rows + s - 1) % rows, (c + columns + t - 1) % columns
            around += tl.load(x + row * columns + column).to(tl.int32)
    ok = (r < rows) & (c < columns)
    alive = tl.load(x + r * columns + c, ok, other=0) != 0
    after = (around == 3) | (alive & (around == 4))
    tl.store(y + r * columns + c, after.to(y.dtype.element_ty), ok)


@triton.jit
def mandelbrot(
    y,
    rows,
    columns,
    left,
    top,
    step,
    ROUNDS: tl.constexpr,
    H: tl.constexpr,
    W: tl.constexpr,
):
    i = (tl.program_id(0) * H + tl.arange(0, H))[:, None]
    j = (tl.program_id(1) * W + tl.arange(0, W))[None, :]
    zero = tl.zeros((H, W), tl.float32)
    cr, ci = left + j.to(tl.float32) * step + zero, top + i.to(tl.float32) * step + zero
    zr, zi, count = zero, zero, tl.zeros((H, W), tl.int32)
    for _ in range(ROUNDS):
        inside = zr * zr + zi * zi <= 4.0
        count += inside.to(tl.int32)
        new = zr * zr - zi * zi + cr
        zi = tl.where(inside, 2.0 * zr * zi + ci, zi)
        zr = tl.where(inside, new, zr)
    tl.store(y + i * columns + j, count, (i < rows) & (j < columns))
