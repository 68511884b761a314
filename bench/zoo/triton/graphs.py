# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/graphs.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def ell_vector(
    columns, values, x, y, n, width, length, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, WIDTH)
    at = i[:, None] * width + j[None, :]
    ok = (i < n)[:, None] & (j < width)[None, :]
    where = tl.load(columns + at, ok, other=0)
    found = tl.load(x + where, (where >= 0) & (where < length), other=0.0)
    tl.store(y + i, tl.sum(tl.load(values + at, ok, other=0.0) * found, 1), i < n)


@triton.jit
def ell_matrix(
    columns, values, x, y, n, height, d, WIDTH: tl.constexpr, D: tl.constexpr
):
    i, k = tl.program_id(0), tl.arange(0, WIDTH)
    j = tl.program_id(1) * D + tl.arange(0, D)
    at = tl.load(columns + i * WIDTH + k)
    weight = tl.load(values + i * WIDTH + k)
    ok = ((at >= 0) & (at < height))[:, None] & (j < d)[None, :]
    tile = tl.load(x + at[:, None] * d + j[None, :], ok, other=0.0).to(tl.float32)
    out = tl.sum(tile * weight[:, None], 0)
    tl.store(y + i * d + j, out.to(y.dtype.element_ty), j < d)


@triton.jit
def messages(
    x, source, target, y, nodes, width, n, EDGES: tl.constexpr, D: tl.constexpr
):
    i = tl.program_id(0) * EDGES + tl.arange(0, EDGES)
    k = tl.arange(0, D)
    a = tl.load(source + i, i < n, other=-1)
    b = tl.load(target + i, i < n, other=-1)
    known = ((a >= 0) & (a < nodes))[:, None] & (k < width)[None, :]
    tile = tl.load(x + a[:, None] * width + k[None, :], known, other=0.0)
    ok = ((b >= 0) & (b < nodes))[:, None] & (k < width)[None, :]
    tl.atomic_add(y + b[:, None] * width + k[None, :], tile, ok, sem="relaxed")


@triton.jit
def sampled_products(
    a, b, rows, columns, out, height, width, d, n, PAIRS: tl.constexpr, D: tl.constexpr
):
    i = tl.program_id(0) * PAIRS + tl.arange(0, PAIRS)
    k = tl.arange(0, D)
    r = tl.load(rows + i, i < n, other=0)
    c = tl.load(columns + i, i < n, other=0)
    known = ((r >= 0) & (r < height))[:, None] & (k < d)[None, :]
    left = tl.load(a + r[:, None] * d + k[None, :], known, other=0.0).to(tl.float32)
    known = ((c >= 0) & (c < width))[:, None] & (k < d)[None, :]
    right = tl.load(b + c[:, None] * d + k[None, :], known, other=0.0).to(tl.float32)
    tl.store(out + i, tl.sum(left * right, 1), i < n)


@triton.jit
def degrees(target, counts, n, nodes, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    node = tl.load(target + i, i < n, other=-1)
    tl.atomic_add(counts + node, 1, (node >= 0) & (node < nodes), sem="relaxed")


@triton.jit
def edge_softmax(scores, mask, y, n, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, WIDTH)[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    tile = tl.load(scores + at, ok, other=0.0)
    tile = tl.where(tile > 0.0, tile, tile * 0.2)
    tile = tl.where(tl.load(mask + at, ok, other=0) != 0, tile, -1e30)
    powers = tl.exp(tile - tl.max(tile, 1)[:, None])
    tl.store(y + at, powers / tl.sum(powers, 1)[:, None], ok)


@triton.jit
def block_sparse(
    blocks,
    columns,
    x,
    y,
    height,
    n,
    COUNT: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    i = tl.program_id(0)
    r, k = tl.arange(0, M), tl.arange(0, M)
    c = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for p in range(COUNT):
        column = tl.load(columns + i * COUNT + p)
        a = tl.load(blocks + (i * COUNT + p) * M * M + r[:, None] * M + k[None, :])
        b = tl.load(
            x + (column * M + k)[:, None] * n + c[None, :], (c < n)[None, :], other=0.0
        )
        acc = tl.dot(a, b, acc)
    row = i * M + r
    ok = (row < height)[:, None] & (c < n)[None, :]
    tl.store(y + row[:, None] * n + c[None, :], acc.to(y.dtype.element_ty), ok)
