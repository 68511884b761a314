# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/vision.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def conv3x3(
    x,
    w,
    y,
    height,
    width,
    channels,
    PIXELS: tl.constexpr,
    C: tl.constexpr,
    K: tl.constexpr,
):
    place = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    row, column = place // width, place % width
    c, k = tl.arange(0, C), tl.arange(0, K)
    acc = tl.zeros((PIXELS, K), tl.float32)
    for s in range(3):
        for t in range(3):
            r, q = row + s - 1, column + t - 1
            ok = (r >= 0) & (r < height) & (q >= 0) & (q < width)
            patch = tl.load(
                x + ((r * width + q) * C)[:, None] + c[None, :], ok[:, None], other=0.0
            )
            tap = tl.load(w + (s * 3 + t) * C * K + c[:, None] * K + k[None, :])
            acc = tl.dot(patch, tap, acc)
    tl.store(
        y + place[:, None] * K + k[None, :],
        acc.to(y.dtype.element_ty),
        (place < height * width)[:, None],
    )


@triton.jit
def depthwise(
    x, w, y, channels, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr
):
    c = tl.program_id(0)
    row = (tl.program_id(1) * HEIGHT + tl.arange(0, HEIGHT))[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    acc = tl.zeros((HEIGHT, WIDTH), tl.float32)
    for s in tl.static_range(3):
        for t in tl.static_range(3):
            ok = (row + s < rows) & (column + t < columns)
            tile = tl.load(
                x + (c * rows + row + s) * columns + column + t, ok, other=0.0
            )
            acc += tile.to(tl.float32) * tl.load(w + c * 9 + s * 3 + t).to(tl.float32)
    inside = (row < rows - 2) & (column < columns - 2)
    at = (c * (rows - 2) + row) * (columns - 2) + column
    tl.store(y + at, acc.to(y.dtype.element_ty), inside)


@triton.jit
def pool2x2(x, y, channels, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    c, i = tl.program_id(0), tl.program_id(1)
    r = (i * 2 * HEIGHT + tl.arange(0, 2 * HEIGHT))[:, None]
    q = tl.arange(0, 2 * WIDTH)[None, :]
    tile = tl.load(
        x + (c * rows + r) * columns + q,
        (r < rows) & (q < columns),
        other=float("-inf"),
    )
    best = tl.max(tl.max(tl.reshape(tile, (HEIGHT, 2, WIDTH, 2)), 3), 1)
    row = (i * HEIGHT + tl.arange(0, HEIGHT))[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    at = (c * (rows // 2) + row) * (columns // 2) + column
    tl.store(y + at, best, (row < rows // 2) & (column < columns // 2))


@triton.jit
def batchnorm_relu(
    x, scale, shift, y, n, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    ok = (i < n) & (j < width)
    tile = tl.load(x + i * width + j, ok).to(tl.float32)
    out = tile * tl.load(scale + j, j < width) + tl.load(shift + j, j < width)
    tl.store(y + i * width + j, tl.maximum(out, 0.0).to(y.dtype.element_ty), ok)


@triton.jit
def groupnorm(
    x, w, b, y, images, channels, n, eps, PER: tl.constexpr, SIZE: tl.constexpr
):
    c = tl.program_id(1) * PER + tl.arange(0, PER)
    j = tl.arange(0, SIZE)[None, :]
    at = (tl.program_id(0) * channels + c[:, None]) * n + j
    ok = (c < channels)[:, None] & (j < n)
    tile = tl.load(x + at, ok, other=0.0).to(tl.float32)
    centred = tile - tl.sum(tile) / (PER * SIZE)
    factor = tl.rsqrt(tl.sum(centred * centred) / (PER * SIZE) + eps)
    weight = tl.load(w + c, c < channels)[:, None]
    bias = tl.load(b + c, c < channels)[:, None]
    tl.store(y + at, (centred * factor * weight + bias).to(y.dtype.element_ty), ok)


@triton.jit
def enlarge(
    x, y, rows, columns, height, width, scale, HEIGHT: tl.constexpr, WIDTH: tl.constexpr
):
    i = tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT)
    j = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    row, column = i.to(tl.float32) * scale, j.to(tl.float32) * scale
    r, c = tl.floor(row), tl.floor(column)
    fr, fc = (row - r)[:, None], (column - c)[None, :]
    r0, c0 = r.to(tl.int32)[:, None], c.to(tl.int32)[None, :]
    r1, c1 = tl.minimum(r0 + 1, rows - 1), tl.minimum(c0 + 1, columns - 1)
    ok00, ok01 = (r0 < rows) & (c0 < columns), (r0 < rows) & (c1 < columns)
    ok10, ok11 = (r1 < rows) & (c0 < columns), (r1 < rows) & (c1 < columns)
    top = tl.load(x + r0 * columns + c0, ok00, other=0.0) * (1.0 - fc)
    top += tl.load(x + r0 * columns + c1, ok01, other=0.0) * fc
    low = tl.load(x + r1 * columns + c0, ok10, other=0.0) * (1.0 - fc)
    low += tl.load(x + r1 * columns + c1, ok11, other=0.0) * fc
    ok = (i < height)[:, None] & (j < width)[None, :]
    tl.store(y + i[:, None] * width + j[None, :], top * (1.0 - fr) + low * fr, ok)


@triton.jit
def channels_last(x, y, images, channels, n, C: tl.constexpr, SIZE: tl.constexpr):
    c = (tl.program_id(1) * C + tl.arange(0, C))[:, None]
    j = (tl.program_id(2) * SIZE + tl.arange(0, SIZE))[None, :]
    base, ok = tl.program_id(0) * channels * n, (c < channels) & (j < n)
    tile = tl.load(x + base + c * n + j, ok)
    tl.store(
        y + base + tl.trans(j) * channels + tl.trans(c), tl.trans(tile), tl.trans(ok)
    )


@triton.jit
def patches(x, y, height, width, ROWS: tl.constexpr, P: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    r = (i * P + tl.arange(0, P))[:, None]
    c = (j * ROWS * P + tl.arange(0, ROWS * P))[None, :]
    tile = tl.load(x + r * width + c, (r < height) & (c < width))
    tile = tl.permute(tl.reshape(tile, (P, ROWS, P)), (1, 0, 2))
    tile = tl.reshape(tile, (ROWS, P * P))
    row = (j * ROWS + tl.arange(0, ROWS))[:, None]
    k = tl.arange(0, P * P)[None, :]
    tl.store(y + (i * (width // P) + row) * (P * P) + k, tile, row < width // P)


@triton.jit
def normalise_bytes(
    x, mean, scale, y, channels, n, C: tl.constexpr, SIZE: tl.constexpr
):
    c = tl.arange(0, C)
    j = (tl.program_id(0) * SIZE + tl.arange(0, SIZE))[None, :]
    ok = (c < channels)[:, None] & (j < n)
    tile = tl.load(x + c[:, None] * n + j, ok).to(tl.float32)
    m, s = (
        tl.load(mean + c, c < channels)[:, None],
        tl.load(scale + c, c < channels)[:, None],
    )
    tl.store(y + c[:, None] * n + j, ((tile - m) * s).to(y.dtype.element_ty), ok)
