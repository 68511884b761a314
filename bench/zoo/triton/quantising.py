# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/quantising.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def int8_rows(x, y, scales, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=0.0).to(tl.float32)
    top = tl.maximum(tl.max(tl.abs(tile), 0), 1e-8)
    code = tl.floor(tile * (127.0 / top) + 0.5)
    tl.store(y + row * n + j, code.to(tl.int8), j < n)
    tl.store(scales + row, top / 127.0)


@triton.jit
def from_int8(
    x, scales, zeros, y, height, width, ROWS: tl.constexpr, SIZE: tl.constexpr
):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)[None, :]
    ok = (i < height) & (j < width)
    tile = tl.load(x + i * width + j, ok).to(tl.float32)
    z = tl.load(zeros + j, j < width).to(tl.float32)
    out = (tile - z) * tl.load(scales + j, j < width)
    tl.store(y + i * width + j, out.to(y.dtype.element_ty), ok)


@triton.jit
def f8_blocks(x, y, scales, height, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    ok = (i < height) & (j < width)
    tile = tl.load(x + i * width + j, ok, other=0.0).to(tl.float32)
    step = tl.maximum(tl.max(tl.abs(tile)), 1e-6) / 448.0
    small = tl.minimum(tl.maximum(tile / step, -448.0), 448.0)
    tl.store(y + i * width + j, small.to(y.dtype.element_ty), ok)
    tl.store(scales + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), step)


@triton.jit
def f8_tokens(x, y, scales, height, width, ROWS: tl.constexpr, GROUP: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = r[:, None]
    j = tl.program_id(1) * GROUP + tl.arange(0, GROUP)[None, :]
    ok = (i < height) & (j < width)
    tile = tl.load(x + i * width + j, ok, other=0.0).to(tl.float32)
    top = tl.maximum(tl.max(tl.abs(tile), 1), 1e-6)
    out = tile * (448.0 / top)[:, None]
    tl.store(y + i * width + j, out.to(y.dtype.element_ty), ok)
    tl.store(
        scales + r * tl.num_programs(1) + tl.program_id(1), top / 448.0, r < height
    )


@triton.jit
def int4_unpack(x, scales, y, height, half, ROWS: tl.constexpr, HALF: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i, j = r[:, None], tl.arange(0, HALF)[None, :]
    ok = (i < height) & (j < half)
    raw = tl.load(x + i * half + j, ok).to(tl.int32)
    s = tl.load(scales + r, r < height).to(tl.float32)[:, None]
    low = ((raw & 15) - 8).to(tl.float32) * s
    high = ((raw >> 4) - 8).to(tl.float32) * s
    tl.store(y + i * 2 * half + j, low.to(y.dtype.element_ty), ok)
    tl.store(y + i * 2 * half + half + j, high.to(y.dtype.element_ty), ok)


@triton.jit
def turned_product(
    a,
    b,
    i,
    j,
    m,
    n,
    k,
    kind: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    r, c = i * M + tl.arange(0, M), j * N + tl.arange(0, N)
    acc = tl.zeros((M, N), kind)
    for p in range(tl.cdiv(k, K)):
        d = p * K + tl.arange(0, K)
        x = tl.load(
            a + r[:, None] * k + d[None, :],
            (r < m)[:, None] & (d < k)[None, :],
            other=0.0,
        )
        y = tl.load(
            b + c[None, :] * k + d[:, None],
            (d < k)[:, None] & (c < n)[None, :],
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    return acc, r, c, (r < m)[:, None] & (c < n)[None, :]


@triton.jit
def int8_product(
    a, b, sa, sb, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    i, j = tl.program_id(0), tl.program_id(1)
    acc, r, c, ok = turned_product(a, b, i, j, m, n, k, tl.int32, M, N, K)
    left, right = tl.load(sa + r, r < m)[:, None], tl.load(sb + c, c < n)[None, :]
    tile = acc.to(tl.float32) * left * right
    tl.store(out + r[:, None] * n + c[None, :], tile.to(out.dtype.element_ty), ok)


@triton.jit
def f8_product(
    a, b, out, m, n, k, scale, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    i, j = tl.program_id(0), tl.program_id(1)
    acc, r, c, ok = turned_product(a, b, i, j, m, n, k, tl.float32, M, N, K)
    tl.store(
        out + r[:, None] * n + c[None, :], (acc * scale).to(out.dtype.element_ty), ok
    )


@triton.jit
def int8_weights(
    a, w, scales, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    r = tl.program_id(0) * M + tl.arange(0, M)
    c = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for p in range(tl.cdiv(k, K)):
        d = p * K + tl.arange(0, K)
        x = tl.load(
            a + r[:, None] * k + d[None, :],
            (r < m)[:, None] & (d < k)[None, :],
            other=0.0,
        )
        y = tl.load(
            w + d[:, None] * n + c[None, :],
            (d < k)[:, None] & (c < n)[None, :],
            other=0,
        )
        acc = tl.dot(x, y.to(x.dtype), acc)
    tile = acc * tl.load(scales + c, c < n)[None, :]
    ok = (r < m)[:, None] & (c < n)[None, :]
    tl.store(out + r[:, None] * n + c[None, :], tile.to(out.dtype.element_ty), ok)


@triton.jit
def mx_scales(
    x, y, scales, height, width, block, ROWS: tl.constexpr, BLOCKS: tl.constexpr
):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * BLOCKS + tl.arange(0, BLOCKS)
    c = tl.arange(0, 32)
    known = (i < height)[:, None] & (j < width)[None, :]
    where = i[:, None] * width + j[None, :]
    at, ok = where[:, :, None] * 32 + c[None, None, :], known[:, :, None]
    tile = tl.load(x + at, ok, other=0.0)
    top = tl.max(tl.abs(tile), 2)
    exponent = tl.maximum((top.to(tl.int32, bitcast=True) >> 23) - 8, 1)
    power = ((254 - exponent) << 23).to(tl.float32, bitcast=True)
    tl.store(y + at, (tile * power[:, :, None]).to(y.dtype.element_ty), ok)
    tl.store(scales + where, exponent.to(tl.uint8), known)
