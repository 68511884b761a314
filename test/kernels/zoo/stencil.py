# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pooling, stencils and resampling."""

import cuda.tile as ct
from registry import NEG_INF, ZERO, ConstInt, add


@ct.kernel
def conv1d(x, w, y, size: ConstInt, taps: ConstInt):
    """Each tap is a view shifted by one element."""
    i = ct.bid(0)
    view = x.tiled_view((size,), padding_mode=ZERO, traversal_steps=(1,))
    acc = ct.zeros((size,), dtype=ct.float32)
    for t in range(taps):
        acc += view.load((i * size + t,)) * ct.load(w, (t,), (1,))
    ct.store(y, (i,), acc)


add("conv1d_f32", conv1d, "f32*1", "f32*1", "f32*1", 32, 5)


@ct.kernel
def conv1d_causal(x, w, y, rows: ConstInt, size: ConstInt, taps: ConstInt):
    """Depthwise and causal, positions x channels, then SiLU; by masked pointers."""
    i, j = ct.bid(0), ct.bid(1)
    position = (i * rows + ct.arange(rows, dtype=ct.int32))[:, None]
    channel = (j * size + ct.arange(size, dtype=ct.int32))[None, :]
    acc = ct.zeros((rows, size), dtype=ct.float32)
    for t in range(taps):
        tile = ct.gather(x, (position - t, channel), mask=position >= t)
        tap = ct.load(w, (taps - 1 - t, j), (1, size), padding_mode=ZERO)
        acc += ct.astype(tile, ct.float32) * ct.astype(tap, ct.float32)
    out = acc / (1.0 + ct.exp(-acc))
    ct.store(y, (i, j), ct.astype(out, y.dtype))


add("conv1d_causal_bf16", conv1d_causal, "bf16*2", "bf16*2", "bf16*2", 16, 16, 4)


@ct.kernel
def conv2d(x, w, y, height: ConstInt, width: ConstInt, taps: ConstInt):
    """One channel, direct, without padding."""
    i, j = ct.bid(0), ct.bid(1)
    view = x.tiled_view((height, width), padding_mode=ZERO, traversal_steps=(1, 1))
    acc = ct.zeros((height, width), dtype=ct.float32)
    for s in range(taps):
        for t in range(taps):
            tap = ct.load(w, (s, t), (1, 1))
            acc += view.load((i * height + s, j * width + t)) * tap
    ct.store(y, (i, j), acc)


add("conv2d_f32", conv2d, "f32*2", "f32*2", "f32*2", 8, 16, 3)


@ct.kernel
def conv2d_product(
    x, w, y, width: ConstInt, pixels: ConstInt, c: ConstInt, k: ConstInt
):
    """Channels last; patches are gathered and multiplied (im2col), borders are zero."""
    i = ct.bid(0)
    place = i * pixels + ct.arange(pixels, dtype=ct.int32)
    row, column = place // width, place % width
    channel = ct.arange(c, dtype=ct.int32)[None, :]
    acc = ct.zeros((pixels, k), dtype=ct.float32)
    for s in range(3):
        for t in range(3):
            r, q = (row + s - 1)[:, None], (column + t - 1)[:, None]
            patch = ct.gather(x, (r, q, channel), padding_value=0.0)
            tap = ct.reshape(ct.load(w, (s * 3 + t, 0, 0), (1, c, k)), (c, k))
            acc = ct.mma(patch, tap, acc)
    ct.store(y, (i, 0), ct.astype(acc, y.dtype))


add("conv2d_product_f16", conv2d_product, "f16*3", "f16*3", "f16*2", 12, 32, 16, 16)


@ct.kernel
def conv2d_depthwise(x, w, y, height: ConstInt, width: ConstInt):
    """A filter of 3 x 3 per channel, channels first, stride 2."""
    c, i = ct.bid(0), ct.bid(1)
    acc = ct.zeros((1, height, width), dtype=ct.float32)
    row = (2 * (i * height + ct.arange(height, dtype=ct.int32)))[:, None]
    column = (2 * ct.arange(width, dtype=ct.int32))[None, :]
    for s in range(3):
        for t in range(3):
            tile = ct.gather(x, (c, row + s, column + t))
            tap = ct.load(w, (c, s, t), (1, 1, 1))
            acc += ct.astype(tile, ct.float32)[None, :, :] * ct.astype(tap, ct.float32)
    ct.store(y, (c, i, 0), ct.astype(acc, y.dtype))


add("conv2d_depthwise_f16", conv2d_depthwise, "f16*3", "f16*3", "f16*3", 4, 16)


@ct.kernel
def pool_maximum(x, y, place, height: ConstInt, width: ConstInt):
    """Maximum of 2 x 2 and which of the four it was, by reshaping."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (i, j), (2 * height, 2 * width), padding_mode=NEG_INF)
    tile = ct.permute(ct.reshape(tile, (height, 2, width, 2)), (0, 2, 1, 3))
    tile = ct.reshape(tile, (height, width, 4))
    ct.store(y, (i, j), ct.max(tile, axis=2))
    ct.store(place, (i, j), ct.astype(ct.argmax(tile, axis=2), ct.int8))


add("pool_maximum_f16", pool_maximum, "f16*2", "f16*2", "i8*2", 8, 8)


@ct.kernel
def pool_mean(x, y, size: ConstInt):
    """Means of all positions per channel, positions last."""
    i = ct.bid(0)
    tile = ct.load(x, (i, 0, 0), (4, size, size), padding_mode=ZERO)
    wide = ct.astype(tile, ct.float32)
    total = ct.sum(ct.sum(wide, axis=2), axis=1)
    ct.store(y, (i,), total / (x.shape[1] * x.shape[2]))


add("pool_mean_bf16", pool_mean, "bf16*3", "f32*1", 16)


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
    ct.scatter(y, (row, column), ct.where(inside, total * 0.25, middle))


add("jacobi_f64", jacobi, "f64*2", "f64*2", 8, 16)


@ct.kernel
def heat_3d(x, y, factor: float, size: ConstInt):
    """Seven points in three dimensions; nothing outside."""
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    a = (i * size + ct.arange(size, dtype=ct.int32))[:, None, None]
    b = (j * size + ct.arange(size, dtype=ct.int32))[None, :, None]
    c = (k * 2 * size + ct.arange(2 * size, dtype=ct.int32))[None, None, :]
    middle = ct.gather(x, (a, b, c))
    around = ct.gather(x, (a - 1, b, c)) + ct.gather(x, (a + 1, b, c))
    around += ct.gather(x, (a, b - 1, c)) + ct.gather(x, (a, b + 1, c))
    around += ct.gather(x, (a, b, c - 1)) + ct.gather(x, (a, b, c + 1))
    ct.scatter(y, (a, b, c), middle + factor * (around - 6.0 * middle))


add("heat_3d_f32", heat_3d, "f32*3", "f32*3", "f32", 4)


@ct.kernel
def life(x, y, height: ConstInt, width: ConstInt):
    """A generation of the game of life on a torus."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * height + ct.arange(height, dtype=ct.int32))[:, None]
    column = (j * width + ct.arange(width, dtype=ct.int32))[None, :]
    rows, columns = x.shape[0], x.shape[1]
    around = ct.zeros((height, width), dtype=ct.int8)
    for s in range(3):
        for t in range(3):
            where = (row + s - 1) % rows, (column + t - 1) % columns
            around += ct.gather(x, where, check_bounds=False)
    alive = ct.gather(x, (row, column)) != 0
    next_alive = (around == 3) | (alive & (around == 4))
    ct.scatter(y, (row, column), ct.astype(next_alive, ct.int8))


add("life_i8", life, "i8*2", "i8*2", 8, 16)


@ct.kernel
def edges(x, y, height: ConstInt, width: ConstInt):
    """Sobel's gradient of bytes, saturated."""
    i, j = ct.bid(0), ct.bid(1)
    view = x.tiled_view((height, width), padding_mode=ZERO, traversal_steps=(1, 1))
    gx = ct.zeros((height, width), dtype=ct.int32)
    gy = ct.zeros((height, width), dtype=ct.int32)
    for s in range(3):
        for t in range(3):
            tile = ct.astype(view.load((i * height + s, j * width + t)), ct.int32)
            gx += tile * ((t - 1) * (2 - abs(s - 1)))
            gy += tile * ((s - 1) * (2 - abs(t - 1)))
    size = ct.minimum(ct.abs(gx) + ct.abs(gy), 255)
    ct.store(y, (i, j), ct.astype(size, ct.uint8))


add("edges_u8", edges, "u8*2", "u8*2", 8, 16)


@ct.kernel
def enlarge(x, y, scale: float, height: ConstInt, width: ConstInt):
    """Bilinear resampling, corners aligned."""
    i, j = ct.bid(0), ct.bid(1)
    row = ct.astype(i * height + ct.arange(height, dtype=ct.int32), ct.float32) * scale
    column = ct.astype(j * width + ct.arange(width, dtype=ct.int32), ct.float32) * scale
    r, c = ct.floor(row), ct.floor(column)
    fr, fc = (row - r)[:, None], (column - c)[None, :]
    r0, c0 = ct.astype(r, ct.int32)[:, None], ct.astype(c, ct.int32)[None, :]
    r1, c1 = ct.minimum(r0 + 1, x.shape[0] - 1), ct.minimum(c0 + 1, x.shape[1] - 1)
    top = ct.gather(x, (r0, c0)) * (1.0 - fc) + ct.gather(x, (r0, c1)) * fc
    low = ct.gather(x, (r1, c0)) * (1.0 - fc) + ct.gather(x, (r1, c1)) * fc
    ct.store(y, (i, j), top * (1.0 - fr) + low * fr)


add("enlarge_f32", enlarge, "f32*2", "f32*2", "f32", 8, 16)


@ct.kernel
def turned(x, y, a: ConstInt, b: ConstInt, c: ConstInt):
    """Permutes three dimensions to the order 2, 0, 1."""
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    tile = ct.load(x, (i, j, k), (a, b, c))
    ct.store(y, (k, i, j), ct.permute(tile, (2, 0, 1)))


add("turned_i16", turned, "i16*3", "i16*3", 4, 8, 8)
add("turned_f8", turned, "f8e4m3*3?", "f8e4m3*3?", 2, 16, 8)
