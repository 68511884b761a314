# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisation: of rows, groups, batches; forward and backward."""

import cuda.tile as ct
from registry import NEG_INF, ZERO, ConstInt, add


def masked_row(x, row, size, width):
    """A row as f32, the valid columns, and how many there are."""
    tile = ct.load(x, index=(row, 0), shape=(1, size), padding_mode=ZERO)
    inside = ct.arange(size, dtype=ct.int32)[None, :] < width
    return ct.astype(tile, ct.float32), inside


@ct.kernel
def layernorm(x, w, b, y, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile, inside = masked_row(x, row, size, n)
    mean = ct.sum(tile, axis=1, keepdims=True) / n
    centred = ct.where(inside, tile - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / n
    scaled = centred * ct.rsqrt(variance + eps)
    weight = ct.load(w, index=(0,), shape=(size,), padding_mode=ZERO)
    bias = ct.load(b, index=(0,), shape=(size,), padding_mode=ZERO)
    out = scaled * ct.astype(weight, ct.float32) + ct.astype(bias, ct.float32)
    ct.store(y, index=(row, 0), tile=ct.astype(out, y.dtype))


add("layernorm_f32", layernorm, "f32*2", "f32*1", "f32*1", "f32*2", "f32", 128)
add("layernorm_bf16", layernorm, "bf16*2", "bf16*1", "bf16*1", "bf16*2", "f32", 64)


@ct.kernel
def layernorm_backward(x, w, dy, dx, dw, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile, inside = masked_row(x, row, size, n)
    mean = ct.sum(tile, axis=1, keepdims=True) / n
    centred = ct.where(inside, tile - mean, 0.0)
    rstd = ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / n + eps)
    hat = centred * rstd
    grad = ct.load(dy, index=(row, 0), shape=(1, size), padding_mode=ZERO)
    weight = ct.load(w, index=(0,), shape=(size,), padding_mode=ZERO)
    scaled = grad * weight
    first = ct.sum(scaled, axis=1, keepdims=True) / n
    second = ct.sum(scaled * hat, axis=1, keepdims=True) / n
    out = (scaled - first - hat * second) * rstd
    ct.store(dx, index=(row, 0), tile=out)
    columns = ct.arange(size, dtype=ct.int32)
    ct.atomic_add(dw, columns, ct.reshape(grad * hat, (size,)))


add(
    "layernorm_backward_f32",
    layernorm_backward,
    *["f32*2", "f32*1", "f32*2", "f32*2", "f32*1", "f32"],
    64,
)


@ct.kernel
def rmsnorm(x, w, y, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.load(x, index=(row, 0), shape=(1, size), padding_mode=ZERO)
    wide = ct.astype(tile, ct.float32)
    mean = ct.sum(wide * wide, axis=1, keepdims=True) / n
    weight = ct.load(w, index=(0,), shape=(size,), padding_mode=ZERO)
    out = wide * ct.rsqrt(mean + eps) * ct.astype(weight, ct.float32)
    ct.store(y, index=(row, 0), tile=ct.astype(out, y.dtype))


add("rmsnorm_f16", rmsnorm, "f16*2/16", "f16*1/16", "f16*2/16", "f32", 128)
add("rmsnorm_f32", rmsnorm, "f32*2?", "f32*1?", "f32*2?", "f32", 64)


@ct.kernel
def rmsnorm_residual(x, residual, w, y, eps: float, size: ConstInt, step: ConstInt):
    """Adds to the residual, in place, and normalises it; long rows in steps."""
    row, n = ct.bid(0), x.shape[1]
    total = ct.zeros((1, step), dtype=ct.float32)
    for i in range(ct.cdiv(n, step)):
        a = ct.load(x, index=(row, i), shape=(1, step), padding_mode=ZERO)
        b = ct.load(residual, index=(row, i), shape=(1, step), padding_mode=ZERO)
        both = a + b
        ct.store(residual, index=(row, i), tile=both)
        total += ct.astype(both, ct.float32) * ct.astype(both, ct.float32)
    scale = ct.rsqrt(ct.sum(total, axis=1, keepdims=True) / n + eps)
    for i in range(ct.cdiv(n, step)):
        both = ct.load(residual, index=(row, i), shape=(1, step), padding_mode=ZERO)
        weight = ct.load(w, index=(i,), shape=(step,), padding_mode=ZERO)
        out = ct.astype(both, ct.float32) * scale * ct.astype(weight, ct.float32)
        ct.store(y, index=(row, i), tile=ct.astype(out, y.dtype))


add(
    "rmsnorm_residual_f16",
    rmsnorm_residual,
    *["f16*2", "f16*2", "f16*1", "f16*2", "f32"],
    128,
    32,
)


@ct.kernel
def groupnorm(x, w, b, y, eps: float, per: ConstInt, size: ConstInt):
    """Batch x channels x positions, `per` channels to a group."""
    image, group = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(image, group, 0), shape=(1, per, size), padding_mode=ZERO)
    n = x.shape[2]
    inside = ct.arange(size, dtype=ct.int32)[None, None, :] < n
    count = per * n
    mean = ct.sum(ct.sum(tile, axis=2, keepdims=True), axis=1, keepdims=True) / count
    centred = ct.where(inside, tile - mean, 0.0)
    squares = ct.sum(centred * centred, axis=2, keepdims=True)
    scale = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / count + eps)
    weight = ct.load(w, index=(group,), shape=(per,))[None, :, None]
    bias = ct.load(b, index=(group,), shape=(per,))[None, :, None]
    ct.store(y, index=(image, group, 0), tile=centred * scale * weight + bias)


add(
    "groupnorm_f32",
    groupnorm,
    *["f32*3", "f32*1", "f32*1", "f32*3", "f32"],
    4,
    32,
)


@ct.kernel
def batchnorm_statistics(x, mean, variance, rows: ConstInt, columns: ConstInt):
    """Mean and variance per channel: channels are the last dimension."""
    channel, n = ct.bid(0), x.shape[0]
    total = ct.zeros((rows, columns), dtype=ct.float32)
    squares = ct.zeros((rows, columns), dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(rows, columns))):
        tile = ct.load(x, index=(i, channel), shape=(rows, columns), padding_mode=ZERO)
        total += tile
        squares += tile * tile
    m = ct.sum(total, axis=0) / n
    ct.store(mean, index=(channel,), tile=m)
    ct.store(variance, index=(channel,), tile=ct.sum(squares, axis=0) / n - m * m)


add(
    "batchnorm_statistics_f32",
    batchnorm_statistics,
    "f32*2",
    "f32*1",
    "f32*1",
    8,
    16,
)


@ct.kernel
def batchnorm_apply(x, mean, variance, w, b, y, rows: ConstInt, columns: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(i, j), shape=(rows, columns))
    m = ct.load(mean, index=(j,), shape=(columns,))
    scale = ct.rsqrt(ct.load(variance, index=(j,), shape=(columns,)) + 1e-5)
    weight = ct.load(w, index=(j,), shape=(columns,))
    bias = ct.load(b, index=(j,), shape=(columns,))
    out = (ct.astype(tile, ct.float32) - m) * (scale * weight) + bias
    ct.store(y, index=(i, j), tile=ct.astype(ct.maximum(out, 0.0), y.dtype))


add(
    "batchnorm_relu_f16",
    batchnorm_apply,
    *["f16*2", "f32*1", "f32*1", "f32*1", "f32*1", "f16*2"],
    8,
    32,
)


@ct.kernel
def welford(x, mean, m2, rows: ConstInt, size: ConstInt):
    """Mean and sum of squared differences by a reduction of three operands."""
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(rows, size))
    ones = ct.ones((rows, size), dtype=ct.float32)
    zeros = ct.zeros((rows, size), dtype=ct.float32)

    def merge(ma, sa, na, mb, sb, nb):
        n = na + nb
        delta = mb - ma
        part = ct.where(n > 0.0, nb / ct.maximum(n, 1.0), 0.0)
        return ma + delta * part, sa + sb + delta * delta * na * part, n

    m, s, _ = ct.reduce((tile, zeros, ones), 1, merge, (0.0, 0.0, 0.0))
    ct.store(mean, index=(i,), tile=m)
    ct.store(m2, index=(i,), tile=s)


add("welford_f32", welford, "f32*2", "f32*1", "f32*1", 4, 32)


@ct.kernel
def unit_rows(x, y, rows: ConstInt, size: ConstInt):
    """Rows divided by their length."""
    i = ct.bid(0)
    tile = ct.astype(ct.load(x, index=(i, 0), shape=(rows, size)), ct.float32)
    length = ct.sqrt(ct.sum(tile * tile, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=ct.astype(tile / ct.maximum(length, 1e-6), y.dtype))


add("unit_rows_bf16", unit_rows, "bf16*2/16", "bf16*2/16", 8, 64)


@ct.kernel
def softmax_online(x, y, step: ConstInt):
    """Softmax of long rows: one pass for maximum and sum, one for the result."""
    row, n = ct.bid(0), x.shape[1]
    m = ct.full((1, 1), -1e30, dtype=ct.float32)
    total = ct.zeros((1, 1), dtype=ct.float32)
    for i in range(ct.cdiv(n, step)):
        tile = ct.load(x, index=(row, i), shape=(1, step), padding_mode=NEG_INF)
        now = ct.maximum(m, ct.max(tile, axis=1, keepdims=True))
        total = total * ct.exp(m - now) + ct.sum(
            ct.exp(tile - now), axis=1, keepdims=True
        )
        m = now
    for i in range(ct.cdiv(n, step)):
        tile = ct.load(x, index=(row, i), shape=(1, step), padding_mode=NEG_INF)
        ct.store(y, index=(row, i), tile=ct.exp(tile - m) / total)


add("softmax_online_f32", softmax_online, "f32*2", "f32*2", 32)


@ct.kernel
def log_softmax(x, y, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, index=(row, 0), shape=(1, size), padding_mode=NEG_INF)
    wide = ct.astype(tile, ct.float32)
    shifted = wide - ct.max(wide, axis=1, keepdims=True)
    out = shifted - ct.log(ct.sum(ct.exp(shifted), axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=ct.astype(out, y.dtype))


add("log_softmax_f16", log_softmax, "f16*2", "f16*2", 128)


@ct.kernel
def softmax_backward(y, dy, dx, size: ConstInt):
    row = ct.bid(0)
    p = ct.load(y, index=(row, 0), shape=(1, size), padding_mode=ZERO)
    g = ct.load(dy, index=(row, 0), shape=(1, size), padding_mode=ZERO)
    ct.store(dx, index=(row, 0), tile=p * (g - ct.sum(p * g, axis=1, keepdims=True)))


add("softmax_backward_f32", softmax_backward, "f32*2", "f32*2", "f32*2", 64)


@ct.kernel
def softmax_columns(x, y, rows: ConstInt, columns: ConstInt):
    """Softmax along the first dimension, in f64."""
    j = ct.bid(0)
    tile = ct.load(x, index=(0, j), shape=(rows, columns))
    powers = ct.exp(tile - ct.max(tile, axis=0, keepdims=True))
    ct.store(y, index=(0, j), tile=powers / ct.sum(powers, axis=0, keepdims=True))


add("softmax_columns_f64", softmax_columns, "f64*2", "f64*2", 16, 8)
