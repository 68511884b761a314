# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/backward.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def rmsnorm_grad(x, w, dy, dx, dw, rows, n, eps, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    at, ok = row * n + j, j < n
    tile = tl.load(x + at, ok, other=0.0).to(tl.float32)
    grad = tl.load(dy + at, ok, other=0.0).to(tl.float32)
    weight = tl.load(w + j, ok, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(tile * tile, 0) / n + eps)
    hat, scaled = tile * factor, grad * weight
    inner = tl.sum(scaled * hat, 0) / n
    tl.store(dx + at, ((scaled - hat * inner) * factor).to(dx.dtype.element_ty), ok)
    tl.store(dw + at, grad * hat, ok)


@triton.jit
def layernorm_grad(x, w, dy, means, factors, dx, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    at, ok = row * n + j, j < n
    tile = tl.load(x + at, ok, other=0.0).to(tl.float32)
    grad = tl.load(dy + at, ok, other=0.0).to(tl.float32)
    weight = tl.load(w + j, ok, other=0.0).to(tl.float32)
    factor = tl.load(factors + row)
    hat, scaled = (tile - tl.load(means + row)) * factor, grad * weight
    first, second = tl.sum(scaled, 0) / n, tl.sum(scaled * hat, 0) / n
    out = (scaled - first - hat * second) * factor
    tl.store(dx + at, out.to(dx.dtype.element_ty), ok)


@triton.jit
def softmax_grad(y, dy, dx, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    at, ok = row * n + j, j < n
    p = tl.load(y + at, ok, other=0.0).to(tl.float32)
    g = tl.load(dy + at, ok, other=0.0).to(tl.float32)
    tl.store(dx + at, (p * (g - tl.sum(p * g, 0))).to(dx.dtype.element_ty), ok)


@triton.jit
def cross_entropy_grad(x, labels, dx, rows, n, scale, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    at, ok = row * n + j, j < n
    tile = tl.load(x + at, ok, other=float("-inf")).to(tl.float32)
    powers = tl.exp(tile - tl.max(tile, 0))
    p = powers / tl.sum(powers, 0)
    out = tl.where(j == tl.load(labels + row), p - 1.0, p) * scale
    tl.store(dx + at, out.to(dx.dtype.element_ty), ok)


@triton.jit
def swiglu_grad(gate, up, dy, dgate, dup, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    g = tl.load(gate + i, i < n).to(tl.float32)
    u = tl.load(up + i, i < n).to(tl.float32)
    d = tl.load(dy + i, i < n).to(tl.float32)
    s = 1.0 / (1.0 + tl.exp(-g))
    tl.store(dup + i, (d * g * s).to(dup.dtype.element_ty), i < n)
    out = d * u * s * (1.0 + g * (1.0 - s))
    tl.store(dgate + i, out.to(dgate.dtype.element_ty), i < n)


@triton.jit
def embedding_grad(
    dy, tokens, table, height, width, n, ROWS: tl.constexpr, D: tl.constexpr
):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * D + tl.arange(0, D)
    token = tl.load(tokens + i, i < n, other=-1)
    inside = (i < n)[:, None] & (j < width)[None, :]
    tile = tl.load(dy + i[:, None] * width + j[None, :], inside, other=0.0)
    ok = ((token >= 0) & (token < height))[:, None] & (j < width)[None, :]
    tl.atomic_add(table + token[:, None] * width + j[None, :], tile, ok, sem="relaxed")


@triton.jit
def bias_grad(dy, out, height, width, ROWS: tl.constexpr, SIZE: tl.constexpr):
    j = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    acc = tl.zeros((SIZE,), tl.float32)
    for start in range(0, height, ROWS):
        i = start + tl.arange(0, ROWS)
        ok = (i < height)[:, None] & (j < width)[None, :]
        tile = tl.load(dy + i[:, None] * width + j[None, :], ok, other=0.0)
        acc += tl.sum(tile.to(tl.float32), 0)
    tl.store(out + j, acc, j < width)


@triton.jit
def weight_grad(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    c = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for p in range(tl.cdiv(k, K)):
        d = p * K + tl.arange(0, K)
        x = tl.load(
            a + d[None, :] * m + r[:, None],
            (r < m)[:, None] & (d < k)[None, :],
            other=0.0,
        )
        y = tl.load(
            b + d[:, None] * n + c[None, :],
            (d < k)[:, None] & (c < n)[None, :],
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    tl.store(
        out + r[:, None] * n + c[None, :], acc, (r < m)[:, None] & (c < n)[None, :]
    )


@triton.jit
def attention_delta(o, do, delta, n, d, ROWS: tl.constexpr, D: tl.constexpr):
    i, j = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    at = i[:, None] * d + j[None, :]
    ok = (i < n)[:, None] & (j < d)[None, :]
    a = tl.load(o + at, ok, other=0.0).to(tl.float32)
    b = tl.load(do + at, ok, other=0.0).to(tl.float32)
    tl.store(delta + i, tl.sum(a * b, 1), i < n)
