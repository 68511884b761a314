# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models, backward."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, wide, zeros

ConstInt = ct.Constant[int]
ZERO, LOWEST = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
RELAXED = ct.MemoryOrder.RELAXED
FIELD = Field("backward")


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@ct.kernel
def rmsnorm_grad(x, w, dy, dx, dw, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    grad = ct.astype(ct.load(dy, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    weight = ct.astype(ct.load(w, (0,), (size,), padding_mode=ZERO), ct.float32)
    factor = ct.rsqrt(ct.sum(tile * tile, axis=1, keepdims=True) / n + eps)
    hat, scaled = tile * factor, grad * weight[None, :]
    inner = ct.sum(scaled * hat, axis=1, keepdims=True) / n
    ct.store(dx, (row, 0), ct.astype((scaled - hat * inner) * factor, dx.dtype))
    ct.store(dw, (row, 0), grad * hat)


def _rmsnorm_grad() -> Launch:
    x, dy = normal("bf16", 4, 2048), normal("bf16", 4, 2048, seed=1)
    w, dx, dw = normal("bf16", 2048), zeros("bf16", 4, 2048), zeros("f32", 4, 2048)
    factor = 1 / np.sqrt((wide(x) ** 2).mean(1, keepdims=True) + 1e-5)
    hat, scaled = wide(x) * factor, wide(dy) * wide(w)
    exact = (scaled - hat * (scaled * hat).mean(1, keepdims=True)) * factor
    found = near(exact, "bf16", np.abs(scaled) + np.abs(hat))
    wanted = {3: found, 4: near(wide(dy) * hat, "f32")}
    return Launch((4,), [x, w, dy, dx, dw, np.float32(1e-5)], wanted)


FIELD.add("rmsnorm_grad_bf16", rmsnorm_grad, _rmsnorm_grad, SIZE=2048)


@ct.kernel
def layernorm_grad(x, w, dy, means, factors, dx, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    grad = ct.astype(ct.load(dy, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    weight = ct.astype(ct.load(w, (0,), (size,), padding_mode=ZERO), ct.float32)
    factor = ct.load(factors, (row,), (1,))[:, None]
    hat = (tile - ct.load(means, (row,), (1,))[:, None]) * factor
    scaled = grad * weight[None, :]
    first = ct.sum(scaled, axis=1, keepdims=True) / n
    second = ct.sum(scaled * hat, axis=1, keepdims=True) / n
    out = (scaled - first - hat * second) * factor
    ct.store(dx, (row, 0), ct.astype(out, dx.dtype))


def _layernorm_grad() -> Launch:
    x, dy = normal("f16", 4, 1024), normal("f16", 4, 1024, seed=1)
    w, dx = normal("f16", 1024), zeros("f16", 4, 1024)
    means, factors = zeros("f32", 4), zeros("f32", 4)
    means[...], factors[...] = wide(x).mean(1), 1 / wide(x).std(1)
    hat = (wide(x) - wide(means)[:, None]) * wide(factors)[:, None]
    scaled = wide(dy) * wide(w)
    exact = scaled - scaled.mean(1, keepdims=True)
    exact = exact - hat * (scaled * hat).mean(1, keepdims=True)
    exact = exact * wide(factors)[:, None]
    found = near(exact, "f16", np.abs(scaled) + np.abs(hat) + 1)
    return Launch((4,), [x, w, dy, means, factors, dx], {5: found})


FIELD.add("layernorm_grad_f16", layernorm_grad, _layernorm_grad, SIZE=1024)


@ct.kernel
def softmax_grad(y, dy, dx, size: ConstInt):
    row = ct.bid(0)
    p = ct.astype(ct.load(y, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    g = ct.astype(ct.load(dy, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    out = p * (g - ct.sum(p * g, axis=1, keepdims=True))
    ct.store(dx, (row, 0), ct.astype(out, dx.dtype))


def _softmax_grad() -> Launch:
    y, dy, dx = zeros("f16", 8, 1000), normal("f16", 8, 1000), zeros("f16", 8, 1000)
    y[...] = _softmax(wide(normal("f32", 8, 1000)))
    inner = (wide(y) * wide(dy)).sum(1, keepdims=True)
    found = near(wide(y) * (wide(dy) - inner), "f16", wide(y) * 4)
    return Launch((8,), [y, dy, dx], {2: found})


FIELD.add("softmax_grad_f16_1000", softmax_grad, _softmax_grad, SIZE=1024)


@ct.kernel
def cross_entropy_grad(x, labels, dx, scale: float, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    powers = ct.astype(tile, ct.float32)
    powers = ct.exp(powers - ct.max(powers, axis=1, keepdims=True))
    p = powers / ct.sum(powers, axis=1, keepdims=True)
    column = ct.arange(size, dtype=ct.int32)[None, :]
    hit = column == ct.load(labels, (row,), (1,))[:, None]
    out = ct.where(hit, p - 1.0, p) * scale
    ct.store(dx, (row, 0), ct.astype(out, dx.dtype))


def _cross_entropy_grad() -> Launch:
    x, labels = normal("bf16", 4, 4096), integers("i32", 0, 4096, 4)
    exact = _softmax(wide(x))
    exact[np.arange(4), labels] -= 1
    values = [x, labels, zeros("bf16", 4, 4096), np.float32(0.25)]
    return Launch((4,), values, {2: near(exact / 4, "bf16", None, 128)})


FIELD.add(
    "cross_entropy_grad_bf16",
    cross_entropy_grad,
    _cross_entropy_grad,
    warps=8,
    SIZE=4096,
)


@ct.kernel
def swiglu_grad(gate, up, dy, dgate, dup, size: ConstInt):
    i = ct.bid(0)
    g = ct.astype(ct.load(gate, (i,), (size,)), ct.float32)
    u = ct.astype(ct.load(up, (i,), (size,)), ct.float32)
    d = ct.astype(ct.load(dy, (i,), (size,)), ct.float32)
    s = 1.0 / (1.0 + ct.exp(-g))
    ct.store(dup, (i,), ct.astype(d * g * s, dup.dtype))
    ct.store(dgate, (i,), ct.astype(d * u * s * (1.0 + g * (1.0 - s)), dgate.dtype))


def _swiglu_grad() -> Launch:
    g, u, d = (normal("bf16", 8192, seed=seed) for seed in range(3))
    s = 1 / (1 + np.exp(-wide(g)))
    dgate, sizes = wide(d) * wide(u) * s * (1 + wide(g) * (1 - s)), wide(d) * wide(u)
    wanted = {3: near(dgate, "bf16", sizes), 4: near(wide(d) * wide(g) * s, "bf16")}
    return Launch((8,), [g, u, d, zeros("bf16", 8192), zeros("bf16", 8192)], wanted)


FIELD.add("swiglu_grad_bf16", swiglu_grad, _swiglu_grad, SIZE=1024)


@ct.kernel
def embedding_grad(dy, tokens, table, rows: ConstInt, d: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    token = ct.load(tokens, (i,), (rows,))
    column = j * d + ct.arange(d, dtype=ct.int32)
    tile = ct.load(dy, (i, j), (rows, d))
    where = (token[:, None], column[None, :])
    ct.atomic_add(table, where, tile, memory_order=RELAXED)


def _embedding_grad() -> Launch:
    dy, tokens = normal("f32", 64, 256), integers("i32", 0, 100, 64)
    table = zeros("f32", 100, 256)
    exact = np.zeros(table.shape)
    np.add.at(exact, tokens, wide(dy))
    return Launch((4, 2), [dy, tokens, table], {2: (exact, 1e-5)})


FIELD.add(
    "embedding_grad_f32",
    embedding_grad,
    _embedding_grad,
    lambda dy, tokens, table: [*table.shape, tokens.size],
    ROWS=16,
    D=128,
)


@ct.kernel
def bias_grad(dy, out, rows: ConstInt, size: ConstInt):
    j = ct.bid(0)
    acc = ct.zeros((size,), dtype=ct.float32)
    for i in range(ct.num_tiles(dy, axis=0, shape=(rows, size))):
        tile = ct.load(dy, (i, j), (rows, size), padding_mode=ZERO)
        acc += ct.sum(ct.astype(tile, ct.float32), axis=0)
    ct.store(out, (j,), acc)


def _bias_grad() -> Launch:
    dy, out = normal("f16", 256, 256), zeros("f32", 256)
    found = near(wide(dy).sum(0), "f32", np.abs(wide(dy)).sum(0), 256)
    return Launch((4,), [dy, out], {1: found})


FIELD.add("bias_grad_f16", bias_grad, _bias_grad, ROWS=32, SIZE=64)


@ct.kernel
def weight_grad(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """The product of a transposed and b."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=0, shape=(k, m))):
        x = ct.load(a, (i, p), (m, k), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    ct.store(c, (i, j), acc)


def _weight_grad() -> Launch:
    a, b = normal("bf16", 256, 128), normal("bf16", 256, 256, seed=1)
    sizes = np.abs(wide(a)).T @ np.abs(wide(b))
    found = near(wide(a).T @ wide(b), "f32", sizes, 256)
    return Launch((1, 2), [a, b, zeros("f32", 128, 256)], {2: found})


FIELD.add(
    "weight_grad_bf16",
    weight_grad,
    _weight_grad,
    lambda a, b, c: [a.shape[1], b.shape[1], a.shape[0]],
    M=128,
    N=128,
    K=64,
)


@ct.kernel
def attention_delta(o, do, delta, rows: ConstInt, d: ConstInt):
    """Sums of products of rows, before the gradient of attention."""
    i = ct.bid(0)
    a = ct.astype(ct.load(o, (i, 0), (rows, d)), ct.float32)
    b = ct.astype(ct.load(do, (i, 0), (rows, d)), ct.float32)
    ct.store(delta, (i,), ct.sum(a * b, axis=1))


def _attention_delta() -> Launch:
    o, do = normal("f16", 512, 64), normal("f16", 512, 64, seed=1)
    terms = wide(o) * wide(do)
    found = near(terms.sum(1), "f32", np.abs(terms).sum(1))
    return Launch((4,), [o, do, zeros("f32", 512)], {2: found})


FIELD.add("attention_delta_f16", attention_delta, _attention_delta, ROWS=128, D=64)
