# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions: of several operands, losses, distances, histograms."""

import cuda.tile as ct
from registry import NEG_INF, ZERO, ConstInt, add


@ct.kernel
def dot(x, y, out, size: ConstInt):
    """Each block adds its part to one number."""
    i = ct.bid(0)
    a = ct.load(x, (i,), (size,), padding_mode=ZERO)
    b = ct.load(y, (i,), (size,), padding_mode=ZERO)
    ct.atomic_add(out, 0, ct.sum(ct.astype(a, ct.float32) * ct.astype(b, ct.float32)))


add("dot_f16", dot, "f16*1", "f16*1", "f32*1", 128)


@ct.kernel
def extremes(x, low, low_at, high, high_at, rows: ConstInt, size: ConstInt):
    """Minimum and maximum with their places, in one reduction of four operands."""
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (rows, size))
    place = ct.arange(size, dtype=ct.int32)[None, :]

    def combine(a, ai, b, bi, c, ci, d, di):
        is_low = (c < a) | ((c == a) & (ci < ai))
        is_high = (d > b) | ((d == b) & (di < bi))
        return (
            ct.where(is_low, c, a),
            ct.where(is_low, ci, ai),
            ct.where(is_high, d, b),
            ct.where(is_high, di, bi),
        )

    big = 2147483647
    a, ai, b, bi = ct.reduce(
        (tile, place, tile, place), 1, combine, (big, big, -big - 1, big)
    )
    ct.store(low, (i,), a)
    ct.store(low_at, (i,), ai)
    ct.store(high, (i,), b)
    ct.store(high_at, (i,), bi)


add("extremes_i32", extremes, "i32*2", *["i32*1"] * 4, 4, 32)


@ct.kernel
def nearest(x, y, size: ConstInt):
    """The place of the smallest absolute value of f16 columns; NaN wins."""
    j = ct.bid(0)
    tile = ct.abs(ct.load(x, (0, j), (size, 8)))
    ct.store(y, (j,), ct.argmin(tile, axis=0, propagate_nan=True))


add("nearest_f16", nearest, "f16*2", "i32*1", 16)


@ct.kernel
def logsumexp(x, y, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=NEG_INF)
    m = ct.max(tile, axis=1, keepdims=True)
    ct.store(y, (row, 0), m + ct.log(ct.sum(ct.exp(tile - m), axis=1, keepdims=True)))


add("logsumexp_f64", logsumexp, "f64*2", "f64*2", 32)


@ct.kernel
def cross_entropy(x, labels, loss, grad, smooth: float, size: ConstInt):
    """Loss with smoothed labels, and its gradient in place of the logits' type."""
    row, n = ct.bid(0), x.shape[1]
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=NEG_INF), ct.float32)
    label = ct.load(labels, (row,), (1,)).item()
    column = ct.arange(size, dtype=ct.int32)[None, :]
    m = ct.max(tile, axis=1, keepdims=True)
    powers = ct.exp(tile - m)
    total = ct.sum(powers, axis=1, keepdims=True)
    inside = column < n
    target = ct.where(column == label, 1.0 - smooth, 0.0) + smooth / n
    log_p = ct.where(inside, tile - m - ct.log(total), 0.0)
    part = ct.where(inside, -target * log_p, 0.0)
    ct.store(loss, (row, 0), ct.sum(part, axis=1, keepdims=True))
    ct.store(grad, (row, 0), ct.astype(powers / total - target, grad.dtype))


add(
    "cross_entropy_bf16",
    cross_entropy,
    *["bf16*2", "i32*1", "f32*2", "bf16*2", "f32"],
    128,
)
add(
    "cross_entropy_f32",
    cross_entropy,
    *["f32*2", "i32*1", "f32*2", "f32*2", "f32"],
    64,
)


@ct.kernel
def divergence(p, q, out, size: ConstInt):
    """Sum of p log2(p / q) of each row."""
    row = ct.bid(0)
    a = ct.load(p, (row, 0), (1, size))
    b = ct.load(q, (row, 0), (1, size))
    terms = ct.where(a > 0.0, a * (ct.log2(a) - ct.log2(b)), 0.0)
    ct.store(out, (row, 0), ct.sum(terms, axis=1, keepdims=True))


add("divergence_f32", divergence, "f32*2", "f32*2", "f32*2", 32)


@ct.kernel
def count_bits(x, y, rows: ConstInt, size: ConstInt):
    """How many bits of each row are set, the parity of the row, and all ones."""
    i = ct.bid(0)
    bits = ct.load(x, (i, 0), (rows, size))
    folded = bits - ((bits >> 1) & 0x55555555)
    folded = (folded & 0x33333333) + ((folded >> 2) & 0x33333333)
    folded = (folded + (folded >> 4)) & 0x0F0F0F0F
    count = (folded * 0x01010101) >> 24
    total = ct.sum(count, axis=1)
    every = ct.reduce(bits, 1, ct.bitwise_and, 0xFFFFFFFF)
    odd = ct.reduce(bits, 1, ct.bitwise_xor, 0)
    ct.store(y, (0, i), total[None, :])
    ct.store(y, (1, i), every[None, :])
    ct.store(y, (2, i), odd[None, :])


add("count_bits_u32", count_bits, "u32*2", "u32*2", 4, 16)


@ct.kernel
def any_all(x, y, rows: ConstInt, size: ConstInt):
    """Whether some and whether all elements of a row are true."""
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (rows, size))
    some = ct.max(ct.astype(tile, ct.int32), axis=1) != 0
    every = ct.min(ct.astype(tile, ct.int32), axis=1) != 0
    ct.store(y, (i, 0), some[:, None])
    ct.store(y, (i, 1), every[:, None])


add("any_all_b1", any_all, "b1*2", "b1*2", 8, 16)


@ct.kernel
def distances(x, y, out, m: ConstInt, n: ConstInt, k: ConstInt):
    """Squared distances of all pairs of rows, by a tile of rank 3."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(x, (i, 0), (m, k), padding_mode=ZERO)[:, None, :]
    b = ct.load(y, (j, 0), (n, k), padding_mode=ZERO)[None, :, :]
    ct.store(out, (i, j), ct.sum((a - b) * (a - b), axis=2))


add("distances_f32", distances, "f32*2", "f32*2", "f32*2", 8, 8, 8)


@ct.kernel
def cosine(x, y, out, size: ConstInt):
    row = ct.bid(0)
    a = ct.astype(ct.load(x, (row, 0), (1, size)), ct.float32)
    b = ct.astype(ct.load(y, (row, 0), (1, size)), ct.float32)

    def combine(p, q, r, s, t, u):
        return p + s, q + t, r + u

    ab, aa, bb = ct.reduce((a * b, a * a, b * b), 1, combine, (0.0, 0.0, 0.0))
    ct.store(out, (row,), ab * ct.rsqrt(aa * bb))


add("cosine_bf16", cosine, "bf16*2", "bf16*2", "f32*1", 64)


@ct.kernel
def histogram_weighted(x, weights, bins, low: float, width: float, size: ConstInt):
    """Sums of weights by the bin that a value falls in; others are left out."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    weight = ct.load(weights, (i,), (size,), padding_mode=ZERO)
    place = ct.astype(ct.floor((tile - low) / width), ct.int32)
    ct.atomic_add(bins, place, weight)


add(
    "histogram_weighted_f32",
    histogram_weighted,
    *["f32*1", "f32*1", "f32*1", "f32", "f32"],
    64,
)


@ct.kernel
def histogram_joint(x, y, bins, size: ConstInt):
    """Counts of pairs, by comparing with all bins: no atomics within a block."""
    i = ct.bid(0)
    a = ct.load(x, (i,), (size,))
    b = ct.load(y, (i,), (size,))
    index = ct.astype(a, ct.int32) * 8 + ct.astype(b, ct.int32)
    hits = index[:, None] == ct.arange(64, dtype=ct.int32)[None, :]
    count = ct.sum(ct.astype(hits, ct.int32), axis=0)
    view = bins.tiled_view((64,))
    view.atomic_store_add((0,), count)


add("histogram_joint_u8", histogram_joint, "u8*1", "u8*1", "i32*1", 32)


@ct.kernel
def matrix_norms(x, out, size: ConstInt):
    """The largest sum of absolute values of a column and of a row, in one tile."""
    tile = ct.abs(ct.load(x, (0, 0), (size, size), padding_mode=ZERO))
    ct.store(out, (0,), ct.max(ct.sum(tile, axis=0), axis=0, keepdims=True))
    ct.store(out, (1,), ct.max(ct.sum(tile, axis=1), axis=0, keepdims=True))


add("matrix_norms_f64", matrix_norms, "f64*2", "f64*1", 16)
