# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models, forward."""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import numpy as np

from zoo.case import Field, Launch, integers, near, normal, wide, zeros
from zoo.case import uniform as evenly

ConstInt = ct.Constant[int]
ZERO, LOWEST = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
LOW = -1e30
FIELD = Field("language")


@ct.kernel
def softmax_causal(x, y, scale: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    column = ct.arange(size, dtype=ct.int32)[None, :]
    tile = ct.where(column <= row % n, tile * scale, float("-inf"))
    powers = ct.exp(tile - ct.max(tile, axis=1, keepdims=True))
    out = powers / ct.sum(powers, axis=1, keepdims=True)
    ct.store(y, (row, 0), ct.astype(out, y.dtype))


def _softmax_causal() -> Launch:
    x, y, scale = normal("f16", 1024, 1024), zeros("f16", 1024, 1024), np.float32(0.125)
    scores = np.where(np.tri(1024, dtype=bool), wide(x) * 0.125, -np.inf)[:8]
    powers = np.exp(scores - scores.max(1, keepdims=True))
    exact = np.zeros(y.shape)
    exact[:8] = powers / powers.sum(1, keepdims=True)
    return Launch((8,), [x, y, scale], {1: near(exact, "f16")})


FIELD.add("softmax_causal_f16", softmax_causal, _softmax_causal, SIZE=1024)


@ct.kernel
def rmsnorm(x, w, y, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    weight = ct.astype(ct.load(w, (0,), (size,), padding_mode=ZERO), ct.float32)
    mean = ct.sum(tile * tile, axis=1, keepdims=True) / n
    out = tile * ct.rsqrt(mean + eps) * weight[None, :]
    ct.store(y, (row, 0), ct.astype(out, y.dtype))


def _rmsnorm(kind: str, rows: int, n: int) -> Launch:
    x, w, y = normal(kind, rows, n), normal(kind, n, seed=1), zeros(kind, rows, n)
    factor = 1 / np.sqrt((wide(x) ** 2).mean(1, keepdims=True) + 1e-5)
    exact = wide(x) * factor * wide(w)
    return Launch((rows,), [x, w, y, np.float32(1e-5)], {2: near(exact, kind)})


FIELD.add(
    "rmsnorm_bf16", rmsnorm, lambda: _rmsnorm("bf16", 4, 4096), warps=8, SIZE=4096
)
FIELD.add("rmsnorm_f16_1000", rmsnorm, lambda: _rmsnorm("f16", 4, 1000), SIZE=1024)


@ct.kernel
def layernorm(x, w, c, y, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    inside = ct.arange(size, dtype=ct.int32)[None, :] < n
    mean = ct.sum(tile, axis=1, keepdims=True) / n
    centred = ct.where(inside, tile - mean, 0.0)
    factor = ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / n + eps)
    weight = ct.astype(ct.load(w, (0,), (size,), padding_mode=ZERO), ct.float32)
    bias = ct.astype(ct.load(c, (0,), (size,), padding_mode=ZERO), ct.float32)
    out = centred * factor * weight[None, :] + bias[None, :]
    ct.store(y, (row, 0), ct.astype(out, y.dtype))


def _layernorm() -> Launch:
    x, y = normal("bf16", 4, 2048), zeros("bf16", 4, 2048)
    w, c = normal("bf16", 2048, seed=1), normal("bf16", 2048, seed=2)
    centred = wide(x) - wide(x).mean(1, keepdims=True)
    factor = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    scaled = centred * factor * wide(w)
    sizes = np.abs(scaled) + np.abs(wide(c)) + np.abs(wide(w))
    found = near(scaled + wide(c), "bf16", sizes)
    return Launch((4,), [x, w, c, y, np.float32(1e-5)], {3: found})


FIELD.add("layernorm_bf16", layernorm, _layernorm, SIZE=2048)


@ct.kernel
def rope_halves(x, cosines, sines, y, rows: ConstInt, half: ConstInt):
    i = ct.bid(0)
    a = ct.astype(ct.load(x, (i, 0), (rows, half)), ct.float32)
    b = ct.astype(ct.load(x, (i, 1), (rows, half)), ct.float32)
    c, s = ct.load(cosines, (i, 0), (rows, half)), ct.load(sines, (i, 0), (rows, half))
    ct.store(y, (i, 0), ct.astype(a * c - b * s, y.dtype))
    ct.store(y, (i, 1), ct.astype(b * c + a * s, y.dtype))


def _angles(n: int, half: int) -> tuple[Any, Any]:
    angles = evenly("f32", 0, 6, n, half, seed=3)
    c, s = zeros("f32", n, half), zeros("f32", n, half)
    c[...], s[...] = np.cos(angles), np.sin(angles)
    return c, s


def _rope_halves() -> Launch:
    x, y = normal("f16", 128, 128), zeros("f16", 128, 128)
    c, s = _angles(128, 64)
    a, b = wide(x)[:, :64], wide(x)[:, 64:]
    exact = np.concatenate([a * c - b * s, b * c + a * s], 1)
    sizes = np.concatenate([np.abs(a) + np.abs(b)] * 2, 1)
    return Launch((4,), [x, c, s, y], {3: near(exact, "f16", sizes, 4)})


FIELD.add("rope_halves_f16", rope_halves, _rope_halves, ROWS=32, HALF=64)


@ct.kernel
def rope_pairs(x, cosines, sines, y, rows: ConstInt, half: ConstInt):
    i = ct.bid(0)
    a = ct.astype(ct.load(x, (i, 0, 0), (rows, half, 1)), ct.float32)
    b = ct.astype(ct.load(x, (i, 0, 1), (rows, half, 1)), ct.float32)
    c = ct.load(cosines, (i, 0), (rows, half))[:, :, None]
    s = ct.load(sines, (i, 0), (rows, half))[:, :, None]
    ct.store(y, (i, 0, 0), ct.astype(a * c - b * s, y.dtype))
    ct.store(y, (i, 0, 1), ct.astype(b * c + a * s, y.dtype))


def _rope_pairs() -> Launch:
    x, y = normal("bf16", 128, 64, 2), zeros("bf16", 128, 64, 2)
    c, s = _angles(128, 64)
    a, b = wide(x)[..., 0], wide(x)[..., 1]
    exact = np.stack([a * c - b * s, b * c + a * s], 2)
    sizes = (np.abs(a) + np.abs(b))[..., None]
    return Launch((4,), [x, c, s, y], {3: near(exact, "bf16", sizes, 4)})


FIELD.add("rope_pairs_bf16", rope_pairs, _rope_pairs, ROWS=32, HALF=64)


@ct.kernel
def swiglu(x, y, size: ConstInt):
    row, j = ct.bid(0), ct.bid(1)
    half = ct.num_tiles(y, axis=1, shape=(1, size))
    gate = ct.astype(ct.load(x, (row, j), (1, size)), ct.float32)
    up = ct.astype(ct.load(x, (row, j + half), (1, size)), ct.float32)
    ct.store(y, (row, j), ct.astype(gate / (1.0 + ct.exp(-gate)) * up, y.dtype))


def _swiglu() -> Launch:
    x, y = normal("bf16", 4, 4096), zeros("bf16", 4, 2048)
    gate, up = wide(x)[:, :2048], wide(x)[:, 2048:]
    exact = gate / (1 + np.exp(-gate)) * up
    return Launch((4, 2), [x, y], {1: near(exact, "bf16", None, 16)})


FIELD.add("swiglu_bf16", swiglu, _swiglu, SIZE=1024)


@ct.kernel
def geglu(gate, up, y, size: ConstInt):
    i = ct.bid(0)
    g = ct.astype(ct.load(gate, (i,), (size,)), ct.float32)
    u = ct.astype(ct.load(up, (i,), (size,)), ct.float32)
    inner = 0.7978845608 * (g + 0.044715 * g * g * g)
    ct.store(y, (i,), ct.astype(0.5 * g * (1.0 + ct.tanh(inner)) * u, y.dtype))


def gelu(x: Any) -> Any:
    """By tanh."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def _geglu() -> Launch:
    gate, up, y = normal("f16", 8192), normal("f16", 8192, seed=1), zeros("f16", 8192)
    exact = gelu(wide(gate)) * wide(up)
    sizes = np.abs(wide(gate) * wide(up))
    return Launch((8,), [gate, up, y], {2: near(exact, "f16", sizes, 16)})


FIELD.add("geglu_f16", geglu, _geglu, SIZE=1024)


@ct.kernel
def add_rmsnorm(x, residual, w, y, total, eps: float, size: ConstInt):
    row, n = ct.bid(0), x.shape[1]
    a = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    b = ct.load(residual, (row, 0), (1, size), padding_mode=ZERO)
    both = a + ct.astype(b, ct.float32)
    ct.store(total, (row, 0), ct.astype(both, total.dtype))
    mean = ct.sum(both * both, axis=1, keepdims=True) / n
    weight = ct.astype(ct.load(w, (0,), (size,), padding_mode=ZERO), ct.float32)
    out = both * ct.rsqrt(mean + eps) * weight[None, :]
    ct.store(y, (row, 0), ct.astype(out, y.dtype))


def _add_rmsnorm() -> Launch:
    x, r = normal("bf16", 4, 4096), normal("bf16", 4, 4096, seed=1)
    w, y, t = normal("bf16", 4096), zeros("bf16", 4, 4096), zeros("bf16", 4, 4096)
    both = wide(x) + wide(r)
    factor = 1 / np.sqrt((both**2).mean(1, keepdims=True) + 1e-5)
    wanted = {3: near(both * factor * wide(w), "bf16"), 4: near(both, "bf16")}
    return Launch((4,), [x, r, w, y, t, np.float32(1e-5)], wanted)


FIELD.add("add_rmsnorm_bf16", add_rmsnorm, _add_rmsnorm, warps=8, SIZE=4096)


@ct.kernel
def embedding(table, tokens, y, rows: ConstInt, d: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    token = ct.load(tokens, (i,), (rows,))
    column = j * d + ct.arange(d, dtype=ct.int32)
    ct.store(y, (i, j), ct.gather(table, (token[:, None], column[None, :])))


def _embedding() -> Launch:
    table, tokens = normal("bf16", 1024, 512), integers("i32", 0, 1024, 64)
    y = zeros("bf16", 64, 512)
    return Launch((4, 2), [table, tokens, y], {2: (wide(table)[tokens], 0.0)})


FIELD.add(
    "embedding_bf16",
    embedding,
    _embedding,
    lambda table, tokens, y: [*table.shape, tokens.size],
    ROWS=16,
    D=256,
)


@ct.kernel
def linear_gelu(a, b, bias, c, m: ConstInt, n: ConstInt, k: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    acc += ct.astype(ct.load(bias, (j,), (n,)), ct.float32)[None, :]
    inner = 0.7978845608 * (acc + 0.044715 * acc * acc * acc)
    ct.store(c, (i, j), ct.astype(0.5 * acc * (1.0 + ct.tanh(inner)), c.dtype))


def _linear_gelu() -> Launch:
    a, b = normal("f16", 256, 256), normal("f16", 256, 256, seed=1, scale=0.1)
    bias, c = normal("f16", 256, seed=2), zeros("f16", 256, 256)
    inner = wide(a) @ wide(b) + wide(bias)
    sizes = np.abs(wide(a)) @ np.abs(wide(b)) + 1
    found = near(gelu(inner), "f16", sizes, 300)
    return Launch((2, 2), [a, b, bias, c], {3: found})


def _product(a: Any, b: Any, *_: Any) -> list[int]:
    return [a.shape[0], b.shape[1], a.shape[1]]


FIELD.add("linear_gelu_f16", linear_gelu, _linear_gelu, _product, M=128, N=128, K=64)


@ct.kernel
def experts(a, w, which, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Rows are sorted by expert; a table names the expert of each block of rows."""
    i, j = ct.bid(0), ct.bid(1)
    expert = ct.load(which, (i,), (1,)).item()
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.load(w, (expert, p, j), (1, k, n), padding_mode=ZERO)
        acc = ct.mma(x, ct.reshape(y, (k, n)), acc)
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


def _experts() -> Launch:
    a, w = normal("bf16", 256, 256), normal("bf16", 4, 256, 256, seed=1)
    which, c = integers("i32", 0, 4, 4), zeros("bf16", 256, 256)
    parts = [wide(a)[64 * i : 64 * i + 64] @ wide(w)[e] for i, e in enumerate(which)]
    sizes = np.abs(wide(a)) @ np.abs(wide(w)).max(0)
    found = near(np.concatenate(parts), "bf16", sizes, 256)
    return Launch((4, 2), [a, w, which, c], {3: found})


FIELD.add(
    "experts_bf16",
    experts,
    _experts,
    lambda a, w, *_: [a.shape[0], w.shape[2], w.shape[1]],
    M=64,
    N=128,
    K=64,
)


@ct.kernel
def split_k(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt, parts: ConstInt):
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(part, ct.num_tiles(a, axis=1, shape=(m, k)), parts):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    rows = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    columns = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
    ct.atomic_add(c, (rows, columns), acc, memory_order=ct.MemoryOrder.RELAXED)


def _split_k() -> Launch:
    a, b = normal("f16", 32, 1024), normal("f16", 1024, 128, seed=1)
    sizes = np.abs(wide(a)) @ np.abs(wide(b))
    found = near(wide(a) @ wide(b), "f32", sizes, 1024)
    return Launch((1, 1, 4), [a, b, zeros("f32", 32, 128)], {2: found})


FIELD.add("split_k_f16", split_k, _split_k, _product, M=32, N=128, K=64, PARTS=4)


@ct.kernel
def attention_window(q, k, v, out, lse, scale: float, window: ConstInt, m: ConstInt,
                     n: ConstInt, d: ConstInt):  # fmt: skip
    """Causal, `window` positions back, with the logarithm of the sums."""
    i, head = ct.bid(0), ct.bid(1)
    query = ct.reshape(ct.load(q, (head, i, 0), (1, m, d)), (m, d))
    top = ct.full((m, 1), LOW, dtype=ct.float32)
    total = ct.zeros((m, 1), dtype=ct.float32)
    acc = ct.zeros((m, d), dtype=ct.float32)
    mine = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    first = max(i * m - window, 0) // n
    for j in range(first, ct.cdiv((i + 1) * m, n)):
        kt = ct.load(k, (head, 0, j), (1, d, n), order=(0, 2, 1), padding_mode=ZERO)
        scores = ct.mma(query, ct.reshape(kt, (d, n)), ct.zeros((m, n), ct.float32))
        other = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
        seen = (other <= mine) & (mine - other <= window)
        scores = ct.where(seen, scores * scale, LOW)
        now = ct.maximum(top, ct.max(scores, axis=1, keepdims=True))
        p, old = ct.exp2(scores - now), ct.exp2(top - now)
        total = total * old + ct.sum(p, axis=1, keepdims=True)
        vt = ct.reshape(ct.load(v, (head, j, 0), (1, n, d), padding_mode=ZERO), (n, d))
        acc = ct.mma(ct.astype(p, v.dtype), vt, acc * old)
        top = now
    result = ct.astype(acc / total, out.dtype)
    ct.store(out, (head, i, 0), ct.reshape(result, (1, m, d)))
    ct.store(lse, (head, i), ct.reshape(top + ct.log2(total), (1, m)))


LOG2_E = 1.4426950408889634


def _attention(kind: str, heads: int, n: int, d: int, window: int) -> Launch:
    q, k, v = (normal(kind, heads, n, d, seed=seed) for seed in range(3))
    out, lse, scale = zeros(kind, heads, n, d), zeros("f32", heads, n), d**-0.5
    place = np.arange(n)
    distance = place[:, None] - place[None, :]
    seen = (distance >= 0) & (distance <= window)
    scores = wide(q) @ wide(k).transpose(0, 2, 1) * scale
    scores = np.where(seen, scores, -np.inf)
    top = scores.max(2, keepdims=True)
    powers = np.exp(scores - top)
    sums = powers.sum(2, keepdims=True)
    exact, spread = powers / sums @ wide(v), powers / sums @ np.abs(wide(v))
    logs = (top + np.log(sums))[..., 0] * LOG2_E
    step = 2.0**24 * (2.0**-8 if kind == "bf16" else 2.0**-11)
    wanted = {3: near(exact, kind, spread, 2 * step), 4: (logs, 1e-4)}
    values = [q, k, v, out, lse, np.float32(scale * LOG2_E)]
    return Launch((n // 64, heads), values, wanted)


FIELD.add(
    "attention_window_f16",
    attention_window,
    lambda: _attention("f16", 2, 256, 64, 128),
    lambda q, *_: [q.shape[1]],
    WINDOW=128,
    M=64,
    N=64,
    D=64,
)
FIELD.add(
    "attention_causal_lse_bf16",
    attention_window,
    lambda: _attention("bf16", 1, 256, 128, 4096),
    lambda q, *_: [q.shape[1]],
    WINDOW=4096,
    M=64,
    N=64,
    D=128,
)


@ct.kernel
def decode_paged(q, keys, vals, table, lengths, out, scale: float, heads: ConstInt,
                 page: ConstInt, d: ConstInt):  # fmt: skip
    """`heads` heads of queries share the keys of a sequence, which lie in pages."""
    sequence = ct.bid(0)
    length = ct.load(lengths, (sequence,), (1,)).item()
    query = ct.reshape(ct.load(q, (sequence, 0, 0), (1, heads, d)), (heads, d))
    top = ct.full((heads, 1), LOW, dtype=ct.float32)
    total = ct.zeros((heads, 1), dtype=ct.float32)
    acc = ct.zeros((heads, d), dtype=ct.float32)
    for j in range(ct.cdiv(length, page)):
        where = ct.load(table, (sequence, j), (1, 1)).item()
        kt = ct.load(keys, (where, 0, 0), (1, d, page), order=(0, 2, 1))
        vt = ct.reshape(ct.load(vals, (where, 0, 0), (1, page, d)), (page, d))
        zero = ct.zeros((heads, page), dtype=ct.float32)
        scores = ct.mma(query, ct.reshape(kt, (d, page)), zero) * scale
        inside = j * page + ct.arange(page, dtype=ct.int32)[None, :] < length
        scores = ct.where(inside, scores, LOW)
        now = ct.maximum(top, ct.max(scores, axis=1, keepdims=True))
        p, old = ct.exp2(scores - now), ct.exp2(top - now)
        total = total * old + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(ct.astype(p, vals.dtype), vt, acc * old)
        top = now
    result = ct.reshape(ct.astype(acc / total, out.dtype), (1, heads, d))
    ct.store(out, (sequence, 0, 0), result)


def _decode_paged() -> Launch:
    count, d, page = 4, 128, 64
    q, out = normal("f16", count, 16, d), zeros("f16", count, 16, d)
    keys, vals = normal("f16", 32, page, d, seed=1), normal("f16", 32, page, d, seed=2)
    table, lengths = zeros("i32", count, 8), zeros("i32", count)
    table[...] = np.random.default_rng(1).permutation(32).reshape(count, 8)
    lengths[...] = [500, 300, 512, 77]
    exact, spread = np.zeros(out.shape), np.zeros(out.shape)
    for i, n in enumerate(lengths):
        x = wide(keys)[table[i]].reshape(-1, d)[:n]
        y = wide(vals)[table[i]].reshape(-1, d)[:n]
        scores = wide(q)[i] @ x.T * d**-0.5
        powers = np.exp(scores - scores.max(1, keepdims=True))
        powers /= powers.sum(1, keepdims=True)
        exact[i], spread[i] = powers @ y, powers @ np.abs(y)
    values = [q, keys, vals, table, lengths, out, np.float32(d**-0.5 * LOG2_E)]
    return Launch((count,), values, {5: near(exact, "f16", spread, 2.0**14)})


FIELD.add(
    "decode_paged_f16",
    decode_paged,
    _decode_paged,
    lambda q, keys, vals, table, *_: [table.shape[1]],
    HEADS=16,
    PAGE=64,
    D=128,
)


@ct.kernel
def cross_entropy(x, labels, loss, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    tile = ct.astype(tile, ct.float32)
    top = ct.max(tile, axis=1, keepdims=True)
    total = ct.sum(ct.exp(tile - top), axis=1, keepdims=True)
    label = ct.load(labels, (row,), (1,))
    column = ct.arange(size, dtype=ct.int32)[None, :]
    chosen = ct.where(column == label[:, None], tile, 0.0)
    picked = ct.sum(chosen, axis=1, keepdims=True)
    ct.store(loss, (row,), ct.reshape(ct.log(total) + top - picked, (1,)))


def _cross_entropy() -> Launch:
    x, labels, loss = (
        normal("bf16", 4, 8000),
        integers("i32", 0, 8000, 4),
        zeros("f32", 4),
    )
    exact = np.log(np.exp(wide(x)).sum(1)) - wide(x)[np.arange(4), labels]
    return Launch((4,), [x, labels, loss], {2: (exact, 2e-5)})


FIELD.add("cross_entropy_bf16", cross_entropy, _cross_entropy, warps=8, SIZE=8192)


@ct.kernel
def selective_scan(x, decay, gain, y, size: ConstInt, states: ConstInt):
    """h = decay h + gain x for each channel and state; y is the sum over states."""
    j = ct.bid(0)
    state = ct.zeros((size, states), dtype=ct.float32)
    for t in range(x.shape[0]):
        value = ct.reshape(ct.load(x, (t, j), (1, size)), (size, 1))
        a = ct.reshape(ct.load(decay, (t, j, 0), (1, size, states)), (size, states))
        state = a * state + ct.load(gain, (t, 0), (1, states)) * value
        ct.store(y, (t, j), ct.sum(state, axis=1)[None, :])


def _selective_scan() -> Launch:
    x, gain, y = (
        normal("f32", 16, 256),
        normal("f32", 16, 16, seed=1),
        zeros("f32", 16, 256),
    )
    decay = evenly("f32", 0.1, 0.9, 16, 256, 16)
    state, exact = np.zeros((256, 16)), np.zeros((16, 256))
    for t in range(16):
        state = wide(decay)[t] * state + wide(x)[t][:, None] * wide(gain)[t]
        exact[t] = state.sum(1)
    return Launch((256 // 64,), [x, decay, gain, y], {3: (exact, 1e-4)})


FIELD.add("selective_scan_f32", selective_scan, _selective_scan, SIZE=64, STATES=16)
