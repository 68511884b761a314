# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs and sparse matrices."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, wide, zeros

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
RELAXED = ct.MemoryOrder.RELAXED
FIELD = Field("graphs")


@ct.kernel
def ell_vector(columns, values, x, y, rows: ConstInt, width: ConstInt):
    """A matrix with `width` elements in each row, by a vector."""
    i = ct.bid(0)
    at = ct.load(columns, (i, 0), (rows, width))
    terms = ct.load(values, (i, 0), (rows, width)) * ct.gather(x, at)
    ct.store(y, (i,), ct.sum(terms, axis=1))


def _ell_vector() -> Launch:
    at, values = integers("i32", 0, 1000, 512, 16), normal("f32", 512, 16)
    x, y = normal("f32", 1000), zeros("f32", 512)
    terms = wide(values) * wide(x)[at]
    found = near(terms.sum(1), "f32", np.abs(terms).sum(1))
    return Launch((4,), [at, values, x, y], {3: found})


FIELD.add(
    "ell_vector_f32",
    ell_vector,
    _ell_vector,
    lambda at, values, x, y: [*at.shape, x.size],
    ROWS=128,
    WIDTH=16,
)


@ct.kernel
def ell_matrix(columns, values, x, y, width: ConstInt, d: ConstInt):
    """The same by a matrix: the mean of neighbours' features in a graph."""
    i, j = ct.bid(0), ct.bid(1)
    feature = j * d + ct.arange(d, dtype=ct.int32)[None, :]
    at = ct.reshape(ct.load(columns, (i, 0), (1, width)), (width, 1))
    weight = ct.reshape(ct.load(values, (i, 0), (1, width)), (width, 1))
    tile = ct.astype(ct.gather(x, (at, feature)), ct.float32)
    out = ct.sum(tile * weight, axis=0, keepdims=True)
    ct.store(y, (i, j), ct.astype(out, y.dtype))


def _ell_matrix() -> Launch:
    at, values = integers("i32", 0, 256, 16, 16), normal("f32", 16, 16)
    x, y = normal("f16", 256, 256), zeros("f16", 16, 256)
    terms = wide(values)[:, :, None] * wide(x)[at]
    found = near(terms.sum(1), "f16", np.abs(terms).sum(1))
    return Launch((16, 2), [at, values, x, y], {3: found})


FIELD.add(
    "ell_matrix_f16",
    ell_matrix,
    _ell_matrix,
    lambda at, values, x, y: [at.shape[0], *x.shape],
    WIDTH=16,
    D=128,
)


@ct.kernel
def messages(x, source, target, y, edges: ConstInt, d: ConstInt):
    """Adds to each node what its edges bring."""
    i = ct.bid(0)
    a = ct.load(source, (i,), (edges,))[:, None]
    b = ct.load(target, (i,), (edges,))[:, None]
    feature = ct.arange(d, dtype=ct.int32)[None, :]
    tile = ct.gather(x, (a, feature))
    ct.atomic_add(y, (b, feature), tile, memory_order=RELAXED)


def _messages() -> Launch:
    x, y = normal("f32", 200, 64), zeros("f32", 200, 64)
    a, b = integers("i32", 0, 200, 256), integers("i32", 0, 200, 256, seed=1)
    exact = np.zeros(y.shape)
    np.add.at(exact, b, wide(x)[a])
    return Launch((8,), [x, a, b, y], {3: (exact, 1e-5)})


FIELD.add(
    "messages_f32",
    messages,
    _messages,
    lambda x, a, b, y: [*x.shape, a.size],
    EDGES=32,
    D=64,
)


@ct.kernel
def sampled_products(a, b, rows, columns, out, pairs: ConstInt, d: ConstInt):
    """Products of rows of two matrices, for listed pairs."""
    i = ct.bid(0)
    r = ct.load(rows, (i,), (pairs,))[:, None]
    c = ct.load(columns, (i,), (pairs,))[:, None]
    k = ct.arange(d, dtype=ct.int32)[None, :]
    left, right = ct.gather(a, (r, k)), ct.gather(b, (c, k))
    terms = ct.astype(left, ct.float32) * ct.astype(right, ct.float32)
    ct.store(out, (i,), ct.sum(terms, axis=1))


def _sampled_products() -> Launch:
    a, b = normal("f16", 200, 128), normal("f16", 300, 128, seed=1)
    r, c = integers("i32", 0, 200, 256), integers("i32", 0, 300, 256, seed=1)
    terms = wide(a)[r] * wide(b)[c]
    found = near(terms.sum(1), "f32", np.abs(terms).sum(1))
    return Launch((8,), [a, b, r, c, zeros("f32", 256)], {4: found})


FIELD.add(
    "sampled_products_f16",
    sampled_products,
    _sampled_products,
    lambda a, b, r, c, out: [a.shape[0], b.shape[0], a.shape[1], r.size],
    PAIRS=32,
    D=128,
)


@ct.kernel
def degrees(target, counts, size: ConstInt):
    i = ct.bid(0)
    node = ct.load(target, (i,), (size,))
    ct.atomic_add(counts, node, 1, memory_order=RELAXED)


def _degrees() -> Launch:
    target, counts = integers("i32", 0, 600, 4096), zeros("i32", 600)
    exact = np.bincount(target, minlength=600)
    return Launch((4,), [target, counts], {1: (exact, 0)})


FIELD.add(
    "degrees_i32",
    degrees,
    _degrees,
    lambda target, counts: [target.size, counts.size],
    SIZE=1024,
)


@ct.kernel
def edge_softmax(scores, mask, y, rows: ConstInt, width: ConstInt):
    """The softmax of each node's edges, of which some are padding."""
    i = ct.bid(0)
    tile = ct.load(scores, (i, 0), (rows, width))
    tile = ct.where(tile > 0.0, tile, tile * 0.2)
    tile = ct.where(ct.load(mask, (i, 0), (rows, width)) != 0, tile, -1e30)
    powers = ct.exp(tile - ct.max(tile, axis=1, keepdims=True))
    ct.store(y, (i, 0), powers / ct.sum(powers, axis=1, keepdims=True))


def _edge_softmax() -> Launch:
    x, mask, y = (
        normal("f32", 256, 32),
        integers("u8", 0, 2, 256, 32),
        zeros("f32", 256, 32),
    )
    mask[:, 0] = 1
    tile = np.where(mask != 0, np.where(x > 0, wide(x), wide(x) * 0.2), -np.inf)
    powers = np.exp(tile - tile.max(1, keepdims=True))
    exact = powers / powers.sum(1, keepdims=True)
    return Launch((4,), [x, mask, y], {2: near(exact, "f32", None, 128)})


FIELD.add("edge_softmax_f32", edge_softmax, _edge_softmax, ROWS=64, WIDTH=32)


@ct.kernel
def block_sparse(blocks, columns, x, y, count: ConstInt, m: ConstInt, n: ConstInt):
    """A matrix of `count` blocks of m x m in each row of blocks, by a matrix."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(count):
        column = ct.load(columns, (i, p), (1, 1)).item()
        a = ct.reshape(ct.load(blocks, (i * count + p, 0, 0), (1, m, m)), (m, m))
        acc = ct.mma(a, ct.load(x, (column, j), (m, n)), acc)
    ct.store(y, (i, j), ct.astype(acc, y.dtype))


def _block_sparse() -> Launch:
    blocks, at = normal("f16", 16, 64, 64), zeros("i32", 4, 4)
    x, y, exact = normal("f16", 512, 128), zeros("f16", 256, 128), np.zeros((256, 128))
    at[...] = [np.random.default_rng(i).permutation(8)[:4] for i in range(4)]
    sizes = np.zeros(exact.shape)
    for i in range(4):
        for p, c in enumerate(at[i]):
            part = wide(blocks)[4 * i + p], wide(x)[64 * c : 64 * c + 64]
            exact[64 * i : 64 * i + 64] += part[0] @ part[1]
            sizes[64 * i : 64 * i + 64] += np.abs(part[0]) @ np.abs(part[1])
    found = near(exact, "f16", sizes, 256)
    return Launch((4, 2), [blocks, at, x, y], {3: found})


def _block_extents(blocks: Array, at: Array, x: Array, y: Array) -> list[int]:
    return [y.shape[0], x.shape[1]]


FIELD.add(
    "block_sparse_f16", block_sparse, _block_sparse, _block_extents, COUNT=4, M=64, N=64
)
