# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that share memory: locks, tickets, queues and atomics that are built."""

import cuda.tile as ct
from registry import ZERO, ConstInt, add

ACQUIRE, RELEASE = ct.MemoryOrder.ACQUIRE, ct.MemoryOrder.RELEASE


@ct.kernel
def locked_sum(x, out, lock, size: ConstInt):
    """Adds tiles to an array under a lock."""
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (1, size), padding_mode=ZERO)
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) != 0:
        pass
    ct.store(out, (0, 0), ct.load(out, (0, 0), (1, size)) + tile)
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


add("locked_sum_f32", locked_sum, "f32*2", "f32*2", "i32*1", 32)


@ct.kernel
def last_block(x, partial, count, out, blocks: ConstInt, size: ConstInt):
    """Each block leaves a sum; the last to finish adds them up, in order."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    ct.store(partial, (i,), ct.sum(tile, axis=0, keepdims=True))
    before = ct.atomic_add(count, 0, 1)
    if before == ct.num_blocks(0) - 1:
        sums = ct.load(partial, (0,), (blocks,), padding_mode=ZERO)
        ct.store(out, (0,), ct.sum(sums, axis=0, keepdims=True))


add("last_block_f32", last_block, "f32*1", "f32*1", "i32*1", "f32*1", 8, 64)


@ct.kernel
def in_order(x, out, turn, size: ConstInt):
    """Blocks append in the order of their numbers: each waits for its turn."""
    i = ct.bid(0)
    while ct.atomic_or(turn, 0, 0, memory_order=ACQUIRE) != i:
        pass
    state = ct.load(out, (0,), (size,))
    ct.store(out, (0,), state * 0.5 + ct.load(x, (i,), (size,)))
    ct.atomic_xchg(turn, 0, i + 1, memory_order=RELEASE)


add("in_order_f32", in_order, "f32*1", "f32*1", "i32*1", 16)


@ct.kernel
def work_queue(sizes, out, head, n: int):
    """Blocks take items until there are none, and count what each took."""
    item = ct.atomic_add(head, 0, 1)
    while item < n:
        rounds = ct.load(sizes, (item,), (1,)).item()
        value, j = ct.full((), 1, dtype=ct.int32), 0
        while j < rounds:
            value = value * 3 + j
            j += 1
        ct.scatter(out, item, value)
        item = ct.atomic_add(head, 0, 1)


add("work_queue_i32", work_queue, "i32*1", "i32*1", "i32*1", "i32")


@ct.kernel
def float_maximum(x, out, size: ConstInt):
    """The maximum of floats by integer atomics on an order that agrees."""
    i = ct.bid(0)
    bits = ct.bitcast(ct.load(x, (i,), (size,), padding_mode=ZERO), ct.int32)
    ordered = ct.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    ct.atomic_max(out, 0, ct.max(ordered))


add("float_maximum_f32", float_maximum, "f32*1", "i32*1", 64)


@ct.kernel
def atomic_product(x, out, size: ConstInt):
    """A product by compare and swap: an atomic that no chip has."""
    i = ct.bid(0)
    factor = ct.load(x, (i,), (1,)).item()
    old = ct.atomic_cas(out, 0, 0, 0)
    seen = ct.atomic_cas(out, 0, old, old * factor)
    while seen != old:
        old = seen
        seen = ct.atomic_cas(out, 0, old, old * factor)


add("atomic_product_i64", atomic_product, "i64*1", "i64*1", 1)


@ct.kernel
def bit_sets(x, out, size: ConstInt):
    """Marks which numbers were seen: one bit each."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,))
    ct.atomic_or(out, tile >> 5, 1 << (tile & 31))


add("bit_sets_i32", bit_sets, "i32*1", "i32*1", 32)


@ct.kernel
def hash_insert(keys, table, size: ConstInt):
    """Open addressing: each lane tries the next place until it has one."""
    key = ct.load(keys, (ct.bid(0),), (size,))
    slots = table.shape[0]
    place = (key * 7) % slots
    active = ct.full((size,), True, dtype=ct.bool_)
    while ct.max(ct.astype(active, ct.int32)) != 0:
        where = ct.where(active, place, slots)  # those done are out of bounds
        seen = ct.atomic_cas(table, where, 0, key)
        active = active & (seen != 0) & (seen != key)
        place = ct.where(active, (place + 1) % slots, place)


add("hash_insert_i32", hash_insert, "i32*1", "i32*1", 16)
