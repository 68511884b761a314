# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/language.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def softmax_causal(x, y, rows, n, scale, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=0.0).to(tl.float32)
    tile = tl.where(j <= row % n, tile * scale, float("-inf"))
    powers = tl.exp(tile - tl.max(tile, 0))
    out = powers / tl.sum(powers, 0)
    tl.store(y + row * n + j, out.to(y.dtype.element_ty), j < n)


@triton.jit
def rmsnorm(x, w, y, rows, n, eps, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=0.0).to(tl.float32)
    weight = tl.load(w + j, j < n, other=0.0).to(tl.float32)
    mean = tl.sum(tile * tile, 0) / n
    out = tile * tl.rsqrt(mean + eps) * weight
    tl.store(y + row * n + j, out.to(y.dtype.element_ty), j < n)


@triton.jit
def layernorm(x, w, c, y, rows, n, eps, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=0.0).to(tl.float32)
    mean = tl.sum(tile, 0) / n
    centred = tl.where(j < n, tile - mean, 0.0)
    factor = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    weight = tl.load(w + j, j < n, other=0.0).to(tl.float32)
    bias = tl.load(c + j, j < n, other=0.0).to(tl.float32)
    out = centred * factor * weight + bias
    tl.store(y + row * n + j, out.to(y.dtype.element_ty), j < n)


@triton.jit
def rope_halves(x, c, s, y, n, width, ROWS: tl.constexpr, HALF: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, HALF)[None, :]
    ok = (i < n) & (j < width // 2)
    a = tl.load(x + i * width + j, ok).to(tl.float32)
    b = tl.load(x + i * width + HALF + j, ok).to(tl.float32)
    cos = tl.load(c + i * (width // 2) + j, ok)
    sin = tl.load(s + i * (width // 2) + j, ok)
    tl.store(y + i * width + j, (a * cos - b * sin).to(y.dtype.element_ty), ok)
    tl.store(y + i * width + HALF + j, (b * cos + a * sin).to(y.dtype.element_ty), ok)


@triton.jit
def rope_pairs(x, c, s, y, n, half, two, ROWS: tl.constexpr, HALF: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, HALF)[None, :]
    k = tl.arange(0, 2 * HALF)[None, :]
    ok = (i < n) & (j < half)
    both = (i < n) & (k < 2 * half)
    pairs = tl.load(x + i * (2 * half) + k, both).to(tl.float32)
    a, b = tl.split(tl.reshape(pairs, (ROWS, HALF, 2)))
    cos = tl.load(c + i * half + j, ok)
    sin = tl.load(s + i * half + j, ok)
    out = tl.interleave(a * cos - b * sin, b * cos + a * sin)
    tl.store(y + i * (2 * half) + k, out.to(y.dtype.element_ty), both)


@triton.jit
def swiglu(x, y, rows, width, SIZE: tl.constexpr):
    row = tl.program_id(0)
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    half = width // 2
    gate = tl.load(x + row * width + j, j < half).to(tl.float32)
    up = tl.load(x + row * width + half + j, j < half).to(tl.float32)
    out = gate / (1.0 + tl.exp(-gate)) * up
    tl.store(y + row * half + j, out.to(y.dtype.element_ty), j < half)


@triton.jit
def gelu(x):
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1.0 + (2.0 / (1.0 + tl.exp(-2.0 * inner)) - 1.0))


@triton.jit
def geglu(gate, up, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    g = tl.load(gate + i, i < n).to(tl.float32)
    u = tl.load(up + i, i < n).to(tl.float32)
    tl.store(y + i, (gelu(g) * u).to(y.dtype.element_ty), i < n)


@triton.jit
def add_rmsnorm(x, residual, w, y, total, rows, n, eps, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    ok = j < n
    both = tl.load(x + row * n + j, ok, other=0.0).to(tl.float32)
    both += tl.load(residual + row * n + j, ok, other=0.0).to(tl.float32)
    tl.store(total + row * n + j, both.to(total.dtype.element_ty), ok)
    mean = tl.sum(both * both, 0) / n
    weight = tl.load(w + j, ok, other=0.0).to(tl.float32)
    out = both * tl.rsqrt(mean + eps) * weight
    tl.store(y + row * n + j, out.to(y.dtype.element_ty), ok)


@triton.jit
def embedding(table, tokens, y, height, width, n, ROWS: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * D + tl.arange(0, D)
    token = tl.load(tokens + i, i < n, other=0)
    known = (token >= 0) & (token < height)
    ok = known[:, None] & (j < width)[None, :]
    tile = tl.load(table + token[:, None] * width + j[None, :], ok, other=0.0)
    tl.store(
        y + i[:, None] * width + j[None, :],
        tile,
        (i < n)[:, None] & (j < width)[None, :],
    )


@triton.jit
def product(
    a, b, i, j, m, n, k, first, step, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    r, c = i * M + tl.arange(0, M), j * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for p in range(first, tl.cdiv(k, K), step):
        d = p * K + tl.arange(0, K)
        x = tl.load(
            a + r[:, None] * k + d[None, :],
            (r < m)[:, None] & (d < k)[None, :],
            other=0.0,
        )
        y = tl.load(
            b + d[:, None] * n + c[None, :],
            (d < k)[:, None] & (c < n)[None, :],
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    return acc, r[:, None] * n + c[None, :], (r < m)[:, None] & (c < n)[None, :]


@triton.jit
def linear_gelu(
    a, b, bias, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    j = tl.program_id(1)
    acc, at, ok = product(a, b, tl.program_id(0), j, m, n, k, 0, 1, M, N, K)
    col = j * N + tl.arange(0, N)
    acc += tl.load(bias + col, col < n).to(tl.float32)[None, :]
    tl.store(c + at, gelu(acc).to(c.dtype.element_ty), ok)


@triton.jit
def experts(a, w, which, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0)
    b = w + tl.load(which + i) * k * n
    acc, at, ok = product(a, b, i, tl.program_id(1), m, n, k, 0, 1, M, N, K)
    tl.store(c + at, acc.to(c.dtype.element_ty), ok)


@triton.jit
def split_k(
    a,
    b,
    c,
    m,
    n,
    k,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    PARTS: tl.constexpr,
):
    i, j, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    acc, at, ok = product(a, b, i, j, m, n, k, part, PARTS, M, N, K)
    tl.atomic_add(c + at, acc, ok, sem="relaxed")


@triton.jit
def attention_window(
    q,
    k,
    v,
    out,
    lse,
    length,
    scale,
    WINDOW: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
):
    i, head = tl.program_id(0), tl.program_id(1)
    base = head * length * D
    mine, d = i * M + tl.arange(0, M), tl.arange(0, D)
    at = base + mine[:, None] * D + d[None, :]
    query = tl.load(q + at, (mine < length)[:, None], other=0.0)
    top = tl.full((M,), -1e30, tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for j in range(tl.maximum(i * M - WINDOW, 0) // N, tl.cdiv((i + 1) * M, N)):
        other = j * N + tl.arange(0, N)
        kt = tl.load(
            k + base + other[None, :] * D + d[:, None],
            (other < length)[None, :],
            other=0.0,
        )
        gap = mine[:, None] - other[None, :]
        scores = tl.where(
            (gap >= 0) & (gap <= WINDOW), tl.dot(query, kt) * scale, -1e30
        )
        now = tl.maximum(top, tl.max(scores, 1))
        p, old = tl.exp2(scores - now[:, None]), tl.exp2(top - now)
        total = total * old + tl.sum(p, 1)
        vt = tl.load(
            v + base + other[:, None] * D + d[None, :],
            (other < length)[:, None],
            other=0.0,
        )
        acc = tl.dot(p.to(vt.dtype), vt, acc * old[:, None])
        top = now
    tl.store(
        out + at,
        (acc / total[:, None]).to(out.dtype.element_ty),
        (mine < length)[:, None],
    )
    tl.store(lse + head * length + mine, top + tl.log2(total), mine < length)


@triton.jit
def decode_paged(
    q,
    keys,
    vals,
    table,
    lengths,
    out,
    pages,
    scale,
    HEADS: tl.constexpr,
    PAGE: tl.constexpr,
    D: tl.constexpr,
):
    sequence = tl.program_id(0)
    length = tl.load(lengths + sequence)
    h, d, t = tl.arange(0, HEADS), tl.arange(0, D), tl.arange(0, PAGE)
    at = sequence * HEADS * D + h[:, None] * D + d[None, :]
    query = tl.load(q + at)
    top = tl.full((HEADS,), -1e30, tl.float32)
    total = tl.zeros((HEADS,), tl.float32)
    acc = tl.zeros((HEADS, D), tl.float32)
    for j in range(tl.cdiv(length, PAGE)):
        base = tl.load(table + sequence * pages + j) * PAGE * D
        kt = tl.load(keys + base + t[None, :] * D + d[:, None])
        scores = tl.dot(query, kt) * scale
        scores = tl.where((j * PAGE + t < length)[None, :], scores, -1e30)
        now = tl.maximum(top, tl.max(scores, 1))
        p, old = tl.exp2(scores - now[:, None]), tl.exp2(top - now)
        total = total * old + tl.sum(p, 1)
        vt = tl.load(vals + base + t[:, None] * D + d[None, :])
        acc = tl.dot(p.to(vt.dtype), vt, acc * old[:, None])
        top = now
    tl.store(out + at, (acc / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def cross_entropy(x, labels, loss, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf")).to(tl.float32)
    top = tl.max(tile, 0)
    total = tl.sum(tl.exp(tile - top), 0)
    picked = tl.sum(tl.where(j == tl.load(labels + row), tile, 0.0), 0)
    tl.store(loss + row, tl.log(total) + top - picked)


@triton.jit
def selective_scan(
    x, decay, gain, y, steps, channels, SIZE: tl.constexpr, STATES: tl.constexpr
):
    c = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    s = tl.arange(0, STATES)
    ok = c < channels
    state = tl.zeros((SIZE, STATES), tl.float32)
    for t in range(steps):
        value = tl.load(x + t * channels + c, ok, other=0.0)
        a = tl.load(
            decay + (t * channels + c)[:, None] * STATES + s[None, :],
            ok[:, None],
            other=0.0,
        )
        state = a * state + tl.load(gain + t * STATES + s)[None, :] * value[:, None]
        tl.store(y + t * channels + c, tl.sum(state, 1), ok)
