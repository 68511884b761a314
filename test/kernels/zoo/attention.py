# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in its variants, rotary positions, and the cache of keys and values."""

import cuda.tile as ct
from registry import ZERO, ConstInt, add

LOW = -1e30


def attend(q, k, v, bias, m, total, acc, scale):
    """One step of attention over a block of keys, in base e."""
    zero = ct.zeros((q.shape[0], k.shape[1]), dtype=ct.float32)
    scores = ct.mma(q, k, zero) * scale + bias
    now = ct.maximum(m, ct.max(scores, axis=1, keepdims=True))
    p = ct.exp(scores - now)
    old = ct.exp(m - now)
    total = total * old + ct.sum(p, axis=1, keepdims=True)
    acc = ct.mma(ct.astype(p, v.dtype), v, acc * old)
    return now, total, acc


def start(rows, depth):
    m = ct.full((rows, 1), LOW, dtype=ct.float32)
    total = ct.zeros((rows, 1), dtype=ct.float32)
    return m, total, ct.zeros((rows, depth), dtype=ct.float32)


def keys(array, head, j, n, d):
    tile = ct.load(array, (head, 0, j), (1, d, n), order=(0, 2, 1), padding_mode=ZERO)
    return ct.reshape(tile, (d, n))


def rows_of(array, head, i, n, d):
    tile = ct.load(array, (head, i, 0), (1, n, d), padding_mode=ZERO)
    return ct.reshape(tile, (n, d))


@ct.kernel
def attention_full(
    q, k, v, out, scale: float, m: ConstInt, n: ConstInt, d: ConstInt, group: ConstInt
):
    """All positions see all; `group` heads of queries share one of keys."""
    i, head = ct.bid(0), ct.bid(1)
    query = rows_of(q, head, i, m, d)
    top, total, acc = start(m, d)
    length = k.shape[1]
    for j in range(ct.cdiv(length, n)):
        inside = j * n + ct.arange(n, dtype=ct.int32)[None, :] < length
        bias = ct.where(inside, 0.0, LOW)
        kt, vt = keys(k, head // group, j, n, d), rows_of(v, head // group, j, n, d)
        top, total, acc = attend(query, kt, vt, bias, top, total, acc, scale)
    tile = ct.astype(acc / total, out.dtype)
    ct.store(out, (head, i, 0), ct.reshape(tile, (1, m, d)))


add("attention_full_f16", attention_full, *["f16*3"] * 4, "f32", 32, 32, 32, 1)
add("attention_grouped_bf16", attention_full, *["bf16*3"] * 4, "f32", 16, 32, 64, 2)


@ct.kernel
def attention_window(
    q, k, v, out, scale: float, window: int, m: ConstInt, n: ConstInt, d: ConstInt
):
    """Each position sees itself and `window` before it; blocks out of sight skipped."""
    i, head = ct.bid(0), ct.bid(1)
    query = rows_of(q, head, i, m, d)
    top, total, acc = start(m, d)
    mine = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    first = max(i * m - window, 0) // n
    last = ct.cdiv(min((i + 1) * m, k.shape[1]), n)
    for j in range(first, last):
        other = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
        seen = (other <= mine) & (mine - other <= window)
        bias = ct.where(seen, 0.0, LOW)
        kt, vt = keys(k, head, j, n, d), rows_of(v, head, j, n, d)
        top, total, acc = attend(query, kt, vt, bias, top, total, acc, scale)
    tile = ct.astype(acc / total, out.dtype)
    ct.store(out, (head, i, 0), ct.reshape(tile, (1, m, d)))


add("attention_window_f16", attention_window, *["f16*3"] * 4, "f32", "i32", 16, 16, 32)


@ct.kernel
def attention_slopes(
    q, k, v, slopes, out, scale: float, m: ConstInt, n: ConstInt, d: ConstInt
):
    """Causal, with a penalty per distance and head, and scores bent by tanh."""
    i, head = ct.bid(0), ct.bid(1)
    query = rows_of(q, head, i, m, d)
    slope = ct.load(slopes, (head,), (1,)).item()
    top, total, acc = start(m, d)
    mine = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    for j in range(ct.cdiv(min((i + 1) * m, k.shape[1]), n)):
        other = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
        distance = ct.astype(mine - other, ct.float32)
        kt, vt = keys(k, head, j, n, d), rows_of(v, head, j, n, d)
        raw = ct.mma(query, kt, ct.zeros((m, n), dtype=ct.float32)) * scale
        scores = 20.0 * ct.tanh(raw / 20.0) - slope * distance
        scores = ct.where(other <= mine, scores, LOW)
        now = ct.maximum(top, ct.max(scores, axis=1, keepdims=True))
        p, old = ct.exp(scores - now), ct.exp(top - now)
        total = total * old + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(ct.astype(p, v.dtype), vt, acc * old)
        top = now
    tile = ct.astype(acc / total, out.dtype)
    ct.store(out, (head, i, 0), ct.reshape(tile, (1, m, d)))


add(
    "attention_slopes_f16",
    attention_slopes,
    *["f16*3", "f16*3", "f16*3", "f32*1", "f16*3", "f32"],
    16,
    32,
    32,
)


@ct.kernel
def attention_paged(
    q, pages, pages_v, table, lengths, out, scale: float, page: ConstInt, d: ConstInt
):
    """One query per sequence; its keys lie in pages that a table names."""
    sequence = ct.bid(0)
    length = ct.load(lengths, (sequence,), (1,)).item()
    query = ct.astype(ct.load(q, (sequence, 0), (1, d)), ct.float32)
    m = ct.full((1, 1), LOW, dtype=ct.float32)
    total = ct.zeros((1, 1), dtype=ct.float32)
    acc = ct.zeros((1, d), dtype=ct.float32)
    for j in range(ct.cdiv(length, page)):
        where = ct.load(table, (sequence, j), (1, 1)).item()
        kt = ct.reshape(ct.load(pages, (where, 0, 0), (1, page, d)), (page, d))
        vt = ct.reshape(ct.load(pages_v, (where, 0, 0), (1, page, d)), (page, d))
        scores = ct.sum(query * ct.astype(kt, ct.float32), axis=1)[None, :] * scale
        inside = j * page + ct.arange(page, dtype=ct.int32)[None, :] < length
        scores = ct.where(inside, scores, LOW)
        now = ct.maximum(m, ct.max(scores, axis=1, keepdims=True))
        p, old = ct.exp(scores - now), ct.exp(m - now)
        total = total * old + ct.sum(p, axis=1, keepdims=True)
        weighted = ct.transpose(p) * ct.astype(vt, ct.float32)
        acc = acc * old + ct.sum(weighted, axis=0, keepdims=True)
        m = now
    ct.store(out, (sequence, 0), ct.astype(acc / total, out.dtype))


add(
    "attention_paged_f16",
    attention_paged,
    *["f16*2", "f16*3", "f16*3", "i32*2", "i32*1", "f16*2", "f32"],
    16,
    32,
)


@ct.kernel
def attention_split(q, k, v, part, tops, sums, scale: float, n: ConstInt, d: ConstInt):
    """One query; each block does a part of the keys and leaves its partial sums."""
    j = ct.bid(0)
    length = k.shape[1]
    query = ct.reshape(ct.load(q, (0, 0), (1, d)), (d, 1))
    kt = rows_of(k, 0, j, n, d)
    scores = ct.matmul(kt, query) * scale
    inside = (j * n + ct.arange(n, dtype=ct.int32))[:, None] < length
    scores = ct.where(inside, ct.astype(scores, ct.float32), LOW)
    m = ct.max(scores, axis=0, keepdims=True)
    p = ct.exp(scores - m)
    vt = ct.astype(rows_of(v, 0, j, n, d), ct.float32)
    ct.store(part, (j, 0), ct.sum(p * vt, axis=0, keepdims=True))
    ct.store(tops, (j, 0), m)
    ct.store(sums, (j, 0), ct.sum(p, axis=0, keepdims=True))


add(
    "attention_split_f32",
    attention_split,
    *["f32*2", "f32*3", "f32*3", "f32*2", "f32*2", "f32*2", "f32"],
    16,
    32,
)


@ct.kernel
def attention_merge(part, tops, sums, out, count: ConstInt, d: ConstInt):
    """What the blocks of `attention_split` left, put together."""
    n = part.shape[0]
    inside = ct.arange(count, dtype=ct.int32)[:, None] < n
    m = ct.load(tops, (0, 0), (count, 1), padding_mode=ZERO)
    m = ct.where(inside, m, LOW)
    weight = ct.exp(m - ct.max(m, axis=0, keepdims=True))
    total = ct.load(sums, (0, 0), (count, 1), padding_mode=ZERO) * weight
    tile = ct.load(part, (0, 0), (count, d), padding_mode=ZERO) * weight
    total = ct.sum(total, axis=0, keepdims=True)
    ct.store(out, (0, 0), ct.sum(tile, axis=0, keepdims=True) / total)


add("attention_merge_f32", attention_merge, *["f32*2"] * 4, 8, 32)


@ct.kernel
def attention_linear(q, k, v, out, n: ConstInt, d: ConstInt):
    """Causal linear attention in chunks: the state is a product of keys and values."""
    head = ct.bid(0)
    state = ct.zeros((d, d), dtype=ct.float32)
    mine = ct.arange(n, dtype=ct.int32)[:, None]
    causal = ct.arange(n, dtype=ct.int32)[None, :] <= mine
    for i in range(ct.cdiv(q.shape[1], n)):
        query, vt = rows_of(q, head, i, n, d), rows_of(v, head, i, n, d)
        kt = keys(k, head, i, n, d)
        scores = ct.mma(query, kt, ct.zeros((n, n), dtype=ct.float32))
        scores = ct.astype(ct.where(causal, scores, 0.0), q.dtype)
        acc = ct.mma(scores, vt, ct.zeros((n, d), dtype=ct.float32))
        acc = ct.mma(query, ct.astype(state, q.dtype), acc)
        ct.store(out, (head, i, 0), ct.reshape(ct.astype(acc, out.dtype), (1, n, d)))
        state = ct.mma(kt, vt, state)


add("attention_linear_bf16", attention_linear, *["bf16*3"] * 4, 16, 32)


@ct.kernel
def rope(x, cosines, sines, y, rows: ConstInt, half: ConstInt):
    """Rotates the halves of each row against each other."""
    i = ct.bid(0)
    a = ct.astype(ct.load(x, (i, 0), (rows, half)), ct.float32)
    b = ct.astype(ct.load(x, (i, 1), (rows, half)), ct.float32)
    c, s = ct.load(cosines, (i, 0), (rows, half)), ct.load(sines, (i, 0), (rows, half))
    ct.store(y, (i, 0), ct.astype(a * c - b * s, y.dtype))
    ct.store(y, (i, 1), ct.astype(b * c + a * s, y.dtype))


add("rope_f16", rope, "f16*2", "f32*2", "f32*2", "f16*2", 8, 32)


@ct.kernel
def rope_pairs(x, y, rows: ConstInt, half: ConstInt):
    """Rotates neighbours; the angles are computed."""
    i = ct.bid(0)
    pairs = ct.reshape(ct.load(x, (i, 0), (rows, 2 * half)), (rows, half, 2))
    a = ct.reshape(ct.extract(pairs, (0, 0, 0), (rows, half, 1)), (rows, half))
    b = ct.reshape(ct.extract(pairs, (0, 0, 1), (rows, half, 1)), (rows, half))
    place = ct.astype(i * rows + ct.arange(rows, dtype=ct.int32), ct.float32)
    step = ct.astype(ct.arange(half, dtype=ct.int32), ct.float32) / half
    angle = place[:, None] * ct.exp2(-13.287712 * step)[None, :]
    c, s = ct.cos(angle), ct.sin(angle)
    left = ct.reshape(a * c - b * s, (rows, half, 1))
    right = ct.reshape(b * c + a * s, (rows, half, 1))
    out = ct.reshape(ct.cat((left, right), 2), (rows, 2 * half))
    ct.store(y, (i, 0), out)


add("rope_pairs_f32", rope_pairs, "f32*2", "f32*2", 4, 16)


@ct.kernel
def cache_write(fresh, slots, pages, rows: ConstInt, d: ConstInt, page: ConstInt):
    """New rows go to their slots in pages, as f8; slot -1 means nowhere."""
    i = ct.bid(0)
    slot = ct.load(slots, (i,), (rows,))
    tile = ct.astype(ct.load(fresh, (i, 0), (rows, d)), pages.dtype)
    where = (slot // page)[:, None], (slot % page)[:, None]
    columns = ct.arange(d, dtype=ct.int32)[None, :]
    ct.scatter(pages, (*where, columns), tile, mask=(slot >= 0)[:, None])


add("cache_write_f8", cache_write, "f32*2", "i32*1", "f8e4m3*3", 8, 32, 4)
