# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vision: convolution, pooling, normalisation, resampling, layouts."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
ZERO, LOWEST = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
FIELD = Field("vision")


def _extents(x: Array, *_: Array) -> list[int]:
    return list(x.shape)


@ct.kernel
def conv3x3(x, w, y, pixels: ConstInt, c: ConstInt, k: ConstInt):
    """Channels last; patches are gathered and multiplied, outside is zero."""
    i = ct.bid(0)
    place = i * pixels + ct.arange(pixels, dtype=ct.int32)
    row, column = place // x.shape[1], place % x.shape[1]
    channel = ct.arange(c, dtype=ct.int32)[None, :]
    acc = ct.zeros((pixels, k), dtype=ct.float32)
    for s in range(3):
        for t in range(3):
            r, q = (row + s - 1)[:, None], (column + t - 1)[:, None]
            patch = ct.gather(x, (r, q, channel), padding_value=0.0)
            tap = ct.reshape(ct.load(w, (s * 3 + t, 0, 0), (1, c, k)), (c, k))
            acc = ct.mma(patch, tap, acc)
    ct.store(y, (i, 0), ct.astype(acc, y.dtype))


def _conv3x3() -> Launch:
    x, w = normal("f16", 16, 16, 64), normal("f16", 9, 64, 64, seed=1)
    y, exact, sizes = zeros("f16", 256, 64), 0, 0
    padded = np.pad(wide(x), ((1, 1), (1, 1), (0, 0)))
    for s in range(3):
        for t in range(3):
            patch = padded[s : s + 16, t : t + 16].reshape(256, 64)
            exact = exact + patch @ wide(w)[s * 3 + t]
            sizes = sizes + np.abs(patch) @ np.abs(wide(w)[s * 3 + t])
    return Launch((4,), [x, w, y], {2: near(np.asarray(exact), "f16", sizes, 576)})


FIELD.add("conv3x3_f16", conv3x3, _conv3x3, _extents, PIXELS=64, C=64, K=64)


@ct.kernel
def depthwise(x, w, y, height: ConstInt, width: ConstInt):
    """A filter of 3 x 3 for each channel, channels first, without padding."""
    c, i = ct.bid(0), ct.bid(1)
    row = (i * height + ct.arange(height, dtype=ct.int32))[:, None]
    column = ct.arange(width, dtype=ct.int32)[None, :]
    acc = ct.zeros((height, width), dtype=ct.float32)
    for s in ct.static_iter(range(3)):
        for t in ct.static_iter(range(3)):
            tile = ct.gather(x, (c, row + s, column + t), padding_value=0.0)
            tap = ct.load(w, (c, s * 3 + t), (1, 1)).item()
            acc += ct.astype(tile, ct.float32) * ct.astype(tap, ct.float32)
    ct.store(y, (c, i, 0), ct.astype(acc, y.dtype)[None, :, :])


def _depthwise() -> Launch:
    x, w, y = normal("f16", 4, 34, 66), normal("f16", 4, 9), zeros("f16", 4, 32, 64)
    exact, sizes = np.zeros(y.shape), np.zeros(y.shape)
    for s in range(3):
        for t in range(3):
            part = (
                wide(x)[:, s : s + 32, t : t + 64] * wide(w)[:, s * 3 + t, None, None]
            )
            exact, sizes = exact + part, sizes + np.abs(part)
    return Launch((4, 2), [x, w, y], {2: near(exact, "f16", sizes)})


FIELD.add("depthwise_f16", depthwise, _depthwise, _extents, HEIGHT=16, WIDTH=64)


@ct.kernel
def pool2x2(x, y, height: ConstInt, width: ConstInt):
    c, i = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (c, i, 0), (1, 2 * height, 2 * width), padding_mode=LOWEST)
    tile = ct.reshape(tile, (height, 2, width, 2))
    ct.store(y, (c, i, 0), ct.max(ct.max(tile, axis=3), axis=1)[None, :, :])


def _pool2x2() -> Launch:
    x, y = normal("f16", 4, 32, 128), zeros("f16", 4, 16, 64)
    exact = wide(x).reshape(4, 16, 2, 64, 2).max((2, 4))
    return Launch((4, 2), [x, y], {1: (exact, 0)})


FIELD.add("pool2x2_f16", pool2x2, _pool2x2, _extents, HEIGHT=8, WIDTH=64)


@ct.kernel
def batchnorm_relu(x, scale, shift, y, rows: ConstInt, columns: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (rows, columns)), ct.float32)
    a = ct.load(scale, (j,), (columns,))[None, :]
    b = ct.load(shift, (j,), (columns,))[None, :]
    ct.store(y, (i, j), ct.astype(ct.maximum(tile * a + b, 0.0), y.dtype))


def _batchnorm_relu() -> Launch:
    x, y = normal("bf16", 128, 256), zeros("bf16", 128, 256)
    a, b = normal("f32", 256, seed=1), normal("f32", 256, seed=2)
    sizes = np.abs(wide(x) * wide(a)) + np.abs(wide(b))
    found = near(np.maximum(wide(x) * wide(a) + wide(b), 0), "bf16", sizes)
    return Launch((4, 2), [x, a, b, y], {3: found})


FIELD.add("batchnorm_relu_bf16", batchnorm_relu, _batchnorm_relu, ROWS=32, COLUMNS=128)


@ct.kernel
def groupnorm(x, w, b, y, eps: float, per: ConstInt, size: ConstInt):
    """Images x channels x positions, `per` channels to a group."""
    image, group = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (image, group, 0), (1, per, size), padding_mode=ZERO)
    tile = ct.reshape(ct.astype(tile, ct.float32), (per, size))
    count = per * size
    mean = ct.sum(tile) / count
    centred = tile - mean
    factor = ct.rsqrt(ct.sum(centred * centred) / count + eps)
    weight = ct.load(w, (group,), (per,))[:, None]
    bias = ct.load(b, (group,), (per,))[:, None]
    out = centred * factor * weight + bias
    ct.store(y, (image, group, 0), ct.astype(out, y.dtype)[None, :, :])


def _groupnorm() -> Launch:
    x, y = normal("f16", 2, 32, 256), zeros("f16", 2, 32, 256)
    w, b = normal("f32", 32, seed=1), normal("f32", 32, seed=2)
    groups = wide(x).reshape(2, 4, -1)
    hat = groups - groups.mean(2, keepdims=True)
    hat = (hat / np.sqrt(hat.var(2, keepdims=True) + 1e-5)).reshape(x.shape)
    scaled, shift = hat * wide(w)[:, None], wide(b)[:, None]
    sizes = np.abs(scaled) + np.abs(shift) + np.abs(wide(w))[:, None]
    found = near(scaled + shift, "f16", sizes)
    return Launch((2, 4), [x, w, b, y, np.float32(1e-5)], {3: found})


FIELD.add("groupnorm_f16", groupnorm, _groupnorm, _extents, PER=8, SIZE=256)


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


def _enlarge() -> Launch:
    x, y, scale = normal("f32", 32, 64), zeros("f32", 64, 128), np.float32(0.4375)
    row, column = np.arange(64) * 0.4375, np.arange(128) * 0.4375
    r, c = row.astype(int), column.astype(int)
    fr, fc = (row - r)[:, None], column - c
    r1, c1, full = np.minimum(r + 1, 31), np.minimum(c + 1, 63), wide(x)
    top = full[r][:, c] * (1 - fc) + full[r][:, c1] * fc
    low = full[r1][:, c] * (1 - fc) + full[r1][:, c1] * fc
    found = near(top * (1 - fr) + low * fr, "f32", 8.0)
    return Launch((4, 2), [x, y, scale], {1: found})


FIELD.add(
    "enlarge_f32",
    enlarge,
    _enlarge,
    lambda x, y: [*x.shape, *y.shape],
    HEIGHT=16,
    WIDTH=64,
)


@ct.kernel
def channels_last(x, y, c: ConstInt, size: ConstInt):
    """Images x channels x positions to images x positions x channels."""
    image, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    tile = ct.load(x, (image, i, j), (1, c, size))
    ct.store(y, (image, j, i), ct.permute(tile, (0, 2, 1)))


def _channels_last() -> Launch:
    x, y = normal("f16", 2, 64, 256), zeros("f16", 2, 256, 64)
    return Launch((2, 1, 4), [x, y], {1: (wide(x).transpose(0, 2, 1), 0)})


FIELD.add("channels_last_f16", channels_last, _channels_last, _extents, C=64, SIZE=64)


@ct.kernel
def patches(x, y, rows: ConstInt, p: ConstInt):
    """Images in squares of p x p pixels, a row for each, as transformers take them."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (i, j), (p, rows * p))
    tile = ct.permute(ct.reshape(tile, (p, rows, p)), (1, 0, 2))
    ct.store(y, (i, j, 0), ct.reshape(tile, (1, rows, p * p)))


def _patches() -> Launch:
    x, y = normal("bf16", 64, 256), zeros("bf16", 4, 16, 256)
    exact = wide(x).reshape(4, 16, 16, 16).transpose(0, 2, 1, 3).reshape(4, 16, 256)
    return Launch((4, 2), [x, y], {1: (exact, 0)})


FIELD.add("patches_bf16", patches, _patches, _extents, ROWS=8, P=16)


@ct.kernel
def normalise_bytes(x, mean, scale, y, c: ConstInt, size: ConstInt):
    """Pixels of bytes to f16, with mean and scale of each channel."""
    i = ct.bid(0)
    tile = ct.astype(ct.load(x, (0, i), (c, size)), ct.float32)
    m, s = ct.load(mean, (0,), (c,))[:, None], ct.load(scale, (0,), (c,))[:, None]
    ct.store(y, (0, i), ct.astype((tile - m) * s, y.dtype))


def _normalise_bytes() -> Launch:
    x, y = integers("u8", 0, 256, 4, 4096), zeros("f16", 4, 4096)
    m, s = uniform("f32", 100, 150, 4), uniform("f32", 0.01, 0.02, 4)
    exact = (wide(x) - wide(m)[:, None]) * wide(s)[:, None]
    return Launch((4,), [x, m, s, y], {3: near(exact, "f16", 4.0)})


FIELD.add("normalise_bytes", normalise_bytes, _normalise_bytes, C=4, SIZE=1024)
