# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/signals.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def fir(x, w, y, length, n, SIZE: tl.constexpr, TAPS: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    acc = tl.zeros((SIZE,), tl.float32)
    for t in tl.static_range(TAPS):
        acc += tl.load(x + i + t, i + t < length, other=0.0) * tl.load(w + t)
    tl.store(y + i, acc, i < n)


@triton.jit
def hadamard(x, y, n, width, ROWS: tl.constexpr, LOG_SIZE: tl.constexpr):
    SIZE: tl.constexpr = 1 << LOG_SIZE
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, SIZE)[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    tile = tl.load(x + at, ok, other=0.0).to(tl.float32)
    for step in tl.static_range(LOG_SIZE):
        pairs = tl.reshape(tile, (ROWS, SIZE >> (step + 1), 2, 1 << step))
        a, b = tl.split(tl.permute(pairs, (0, 1, 3, 2)))
        both = tl.permute(tl.join(a + b, a - b), (0, 1, 3, 2))
        tile = tl.reshape(both, (ROWS, SIZE))
    tl.store(y + at, (tile * (1.0 / SIZE)).to(y.dtype.element_ty), ok)


@triton.jit
def power_spectrum(re, im, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    a, b = tl.load(re + i, i < n), tl.load(im + i, i < n)
    tl.store(y + i, 10.0 * tl.log(a * a + b * b + 1e-10), i < n)


@triton.jit
def haar(x, low, high, n, width, ROWS: tl.constexpr, HALF: tl.constexpr):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, 2 * HALF)[None, :]
    tile = tl.load(x + i * width + j, (i < n) & (j < width))
    a, b = tl.split(tl.reshape(tile, (ROWS, HALF, 2)))
    k = tl.arange(0, HALF)[None, :]
    at, ok = i * (width // 2) + k, (i < n) & (k < width // 2)
    tl.store(low + at, (a + b) * 0.70710678, ok)
    tl.store(high + at, (a - b) * 0.70710678, ok)


@triton.jit
def complex_filter(
    xr, xi, hr, hi, yr, yi, n, width, ROWS: tl.constexpr, SIZE: tl.constexpr
):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = (tl.program_id(1) * SIZE + tl.arange(0, SIZE))[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    a, b = tl.load(xr + at, ok), tl.load(xi + at, ok)
    c, d = tl.load(hr + j, j < width), tl.load(hi + j, j < width)
    tl.store(yr + at, a * c - b * d, ok)
    tl.store(yi + at, a * d + b * c, ok)


@triton.jit
def follow(a, b, c, d):
    return a * c, c * b + d


@triton.jit
def smooth(x, decay, y, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=0.0)
    factor = tl.load(decay + row * n + j, j < n, other=0.0)
    _, value = tl.associative_scan((factor, tile), 0, follow)
    tl.store(y + row * n + j, value, j < n)


@triton.jit
def fourier(xr, xi, wr, wi, yr, yi, rows, width, M: tl.constexpr, N: tl.constexpr):
    i = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    j, k = tl.arange(0, N)[None, :], tl.arange(0, N)[:, None]
    at, ok = i * width + j, i < rows
    a, b = tl.load(xr + at, ok, other=0.0), tl.load(xi + at, ok, other=0.0)
    c, d = tl.load(wr + k * width + j), tl.load(wi + k * width + j)
    tl.store(yr + at, tl.dot(a, c) - tl.dot(b, d), ok)
    tl.store(yi + at, tl.dot(b, c, tl.dot(a, d)), ok)
