# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, sorting, selection and compaction."""

import cuda.tile as ct
from registry import NEG_INF, ZERO, ConstInt, add


@ct.kernel
def prefix_sum(x, y, totals, size: ConstInt):
    """Exclusive sums within each block, and the block's sum."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    done = ct.cumsum(tile, axis=0)
    ct.store(y, (i,), done - tile)
    ct.store(totals, (i,), ct.sum(tile, axis=0, keepdims=True))


add("prefix_sum_i32", prefix_sum, "i32*1", "i32*1", "i32*1", 64)
add("prefix_sum_i64", prefix_sum, "i64*1?", "i64*1?", "i64*1?", 32)


@ct.kernel
def prefix_chain(x, y, ready, sums, size: ConstInt):
    """Sums over all blocks in one pass: each waits for what the one before leaves."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    before = ct.zeros((1,), dtype=ct.int32)
    if i > 0:
        while ct.atomic_add(ready, i - 1, 0, memory_order=ct.MemoryOrder.ACQUIRE) == 0:
            pass
        before = ct.load(sums, (i - 1,), (1,))
    total = before + ct.sum(tile, axis=0, keepdims=True)
    ct.store(sums, (i,), total)
    ct.atomic_xchg(ready, i, 1, memory_order=ct.MemoryOrder.RELEASE)
    ct.store(y, (i,), ct.cumsum(tile, axis=0) + before)


add("prefix_chain_i32", prefix_chain, *["i32*1"] * 4, 32)


@ct.kernel
def segmented_sum(x, heads, y, rows: ConstInt, size: ConstInt):
    """Sums that begin anew at each head.

    A scan may hand its function the two ranges in either order, so places go along and
    say which comes first.
    """
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (rows, size))
    head = ct.load(heads, (i, 0), (rows, size))
    place = ct.arange(size, dtype=ct.int32)[None, :]

    def combine(a, fa, pa, b, fb, pb):
        late, head_late = ct.where(pa > pb, a, b), ct.where(pa > pb, fa, fb)
        return ct.where(head_late != 0, late, a + b), fa | fb, ct.maximum(pa, pb)

    total, _, _ = ct.scan((tile, head, place), 1, combine, (0.0, 0, -1))
    ct.store(y, (i, 0), total)


add("segmented_sum_f32", segmented_sum, "f32*2", "i32*2", "f32*2", 4, 32)


@ct.kernel
def recurrence(a, b, y, size: ConstInt, channels: ConstInt):
    """h = a h + b along the first dimension, in blocks, as in state space models."""
    j = ct.bid(0)

    place = ct.arange(size, dtype=ct.int32)[:, None]

    def combine(a, b, p, c, d, q):
        first = p < q
        late = ct.where(first, c, a)
        return a * c, late * ct.where(first, b, d) + ct.where(first, d, b), max(p, q)

    state = ct.zeros((1, channels), dtype=ct.float32)
    for i in range(ct.num_tiles(a, axis=0, shape=(size, channels))):
        decay = ct.load(a, (i, j), (size, channels))
        fresh = ct.load(b, (i, j), (size, channels))
        start = 1.0, 0.0, -1
        factor, value, _ = ct.scan((decay, fresh, place), 0, combine, start)
        value = value + factor * state
        ct.store(y, (i, j), value)
        state = ct.extract(value, (size - 1, 0), (1, channels))


add("recurrence_f32", recurrence, "f32*2", "f32*2", "f32*2", 16, 8)


@ct.kernel
def running_maximum(x, y, reverse: ct.Constant[bool], rows: ConstInt, size: ConstInt):
    tile = ct.load(x, (ct.bid(0), 0), (rows, size))
    done = ct.scan(tile, 1, ct.maximum, -32768, reverse=reverse)
    ct.store(y, (ct.bid(0), 0), done)


add("running_maximum_i16", running_maximum, "i16*2", "i16*2", False, 4, 32)
add("running_maximum_back_i16", running_maximum, "i16*2", "i16*2", True, 4, 32)


@ct.kernel
def running_product(x, y, size: ConstInt):
    tile = ct.load(x, (0, ct.bid(0)), (size, 4))
    ct.store(y, (0, ct.bid(0)), ct.cumprod(tile, axis=0, reverse=True))


add("running_product_f64", running_product, "f64*2", "f64*2", 16)


def exchanged(x, rows, pairs, half):
    """Pairs of elements `half` apart as (rows, pairs, 2, half)."""
    return ct.reshape(x, (rows, pairs, 2, half))


@ct.kernel
def sort_bitonic(x, y, rows: ConstInt, log_size: ConstInt):
    """Sorts each row of 2^log_size elements by a bitonic network of reshapes."""
    i = ct.bid(0)
    size = 1 << log_size
    tile = ct.load(x, (i, 0), (rows, size))
    place = ct.arange(size, dtype=ct.int32)[None, :]
    for stage in ct.static_iter(range(1, log_size + 1)):
        up = (place >> stage) & 1
        for step in ct.static_iter(range(stage - 1, -1, -1)):
            half = 1 << step
            pairs = ct.reshape(tile, (rows, size // (2 * half), 2, half))
            first = ct.extract(pairs, (0, 0, 0, 0), (rows, size // (2 * half), 1, half))
            second = ct.extract(
                pairs, (0, 0, 1, 0), (rows, size // (2 * half), 1, half)
            )
            other = ct.reshape(ct.cat((second, first), 2), (rows, size))
            is_second = (place >> step) & 1
            take_large = (is_second ^ up) != 0
            low, high = ct.minimum(tile, other), ct.maximum(tile, other)
            tile = ct.where(take_large, high, low)
    ct.store(y, (i, 0), tile)


add("sort_bitonic_i32", sort_bitonic, "i32*2", "i32*2", 2, 4)
add("sort_bitonic_f16", sort_bitonic, "f16*2", "f16*2", 4, 3)


@ct.kernel
def sort_pairs(keys, values, out_keys, out_values, size: ConstInt):
    """Sorts by counting, for each key, the keys that come before; stable."""
    key = ct.load(keys, (0,), (size,))
    place = ct.arange(size, dtype=ct.int32)
    before = key[None, :] < key[:, None]
    same = (key[None, :] == key[:, None]) & (place[None, :] < place[:, None])
    rank = ct.sum(ct.astype(before | same, ct.int32), axis=1)
    ct.scatter(out_keys, rank, key)
    ct.scatter(out_values, rank, ct.load(values, (0,), (size,)))


add("sort_pairs_u32", sort_pairs, "u32*1", "f32*1", "u32*1", "f32*1", 32)


@ct.kernel
def radix_pass(x, y, shift: int, size: ConstInt):
    """One pass of a radix sort by two bits: ranks by scans of four flags."""
    tile = ct.load(x, (0,), (size,))
    digit = (tile >> shift) & 3
    flags = digit[:, None] == ct.arange(4, dtype=ct.int32)[None, :]
    ones = ct.astype(flags, ct.int32)
    within = ct.cumsum(ones, axis=0) - ones
    count = ct.sum(ones, axis=0)
    start = ct.cumsum(count, axis=0) - count
    rank = ct.sum(ct.where(flags, within + start[None, :], 0), axis=1)
    ct.scatter(y, rank, tile)


add("radix_pass_i32", radix_pass, "i32*1", "i32*1", "i32", 64)


@ct.kernel
def compact(x, y, count, size: ConstInt):
    """Keeps the positive elements of each block; blocks take places by an atomic."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    keep = tile > 0
    ones = ct.astype(keep, ct.int32)
    first = ct.atomic_add(count, 0, ct.sum(ones))
    where = first + ct.cumsum(ones, axis=0) - ones
    ct.scatter(y, where, tile, mask=keep)


add("compact_i32", compact, "i32*1", "i32*1", "i32*1", 64)


@ct.kernel
def changes(x, y, size: ConstInt):
    """How many runs of equal elements begin at or before each element."""
    place = ct.arange(size, dtype=ct.int32)
    tile = ct.load(x, (0,), (size,))
    before = ct.gather(x, place - 1, mask=place > 0, padding_value=0)
    new = (place == 0) | (tile != before)
    ct.store(y, (0,), ct.cumsum(ct.astype(new, ct.int32), axis=0))


add("changes_u8", changes, "u8*1", "i32*1", 64)


@ct.kernel
def top_k(x, values, places, k: ConstInt, size: ConstInt):
    """The k largest of a row, one after another."""
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=NEG_INF)
    column = ct.arange(size, dtype=ct.int32)[None, :]
    for j in range(k):
        best = ct.argmax(tile, axis=1, keepdims=True)
        ct.store(values, (row, j), ct.max(tile, axis=1, keepdims=True))
        ct.store(places, (row, j), best)
        tile = ct.where(column == best, ct.astype(float("-inf"), x.dtype), tile)


add("top_k_f32", top_k, "f32*2", "f32*2", "i32*2", 4, 64)


@ct.kernel
def lower_bound(sorted_keys, queries, y, size: ConstInt):
    """Binary search, all queries of a block at once."""
    i = ct.bid(0)
    query = ct.load(queries, (i,), (size,))
    low = ct.zeros((size,), dtype=ct.int32)
    high = ct.full((size,), sorted_keys.shape[0], dtype=ct.int32)
    while ct.max(high - low) > 0:
        middle = (low + high) // 2
        is_less = ct.gather(sorted_keys, middle) < query
        active = low < high
        low = ct.where(active & is_less, middle + 1, low)
        high = ct.where(active & (~is_less), middle, high)
    ct.store(y, (i,), low)


add("lower_bound_i64", lower_bound, "i64*1", "i64*1", "i32*1", 16)
