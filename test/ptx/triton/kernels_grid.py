# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose CTAs communicate: atomics, a lock, a split-K product."""

import triton
import triton.language as tl
from builds import Build

EVERY = (80, 90)


@triton.jit
def atomics(
    x, integers, floats, halves, wide, old, N: tl.constexpr, CELLS: tl.constexpr
):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    cell = i % CELLS
    tl.atomic_add(integers + cell, v)
    tl.atomic_max(integers + CELLS + cell, v, sem="relaxed")
    tl.atomic_min(integers + 2 * CELLS + cell, v, scope="sys")
    tl.atomic_and(integers + 3 * CELLS + cell, v, sem="acquire")
    tl.atomic_or(integers + 4 * CELLS + cell, v, sem="release")
    tl.atomic_xor(integers + 5 * CELLS + cell, v, v % 2 == 0)
    tl.atomic_add(floats + cell, v.to(tl.float32))
    tl.atomic_max(floats + CELLS + cell, v.to(tl.float32))
    tl.atomic_min(floats + 2 * CELLS + cell, v.to(tl.float32))
    tl.atomic_add(halves + cell, (v % 8).to(tl.float16))
    tl.atomic_add(wide + cell, v.to(tl.int64))
    tl.store(old + i, tl.atomic_xchg(integers + 6 * CELLS + i, v))
    first = tl.atomic_cas(integers + 6 * CELLS + i, v, v + 1)
    tl.store(old + 4 * N + i, first)


@triton.jit
def locked_sum(x, lock, result, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    part = tl.load(x + tl.program_id(0) * BLOCK + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(result + i, tl.load(result + i) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def last_one_adds(x, parts, count, result, BLOCK: tl.constexpr, CTAS: tl.constexpr):
    me = tl.program_id(0)
    part = tl.sum(tl.load(x + me * BLOCK + tl.arange(0, BLOCK)))
    tl.store(parts + me, part)
    tl.debug_barrier()
    if tl.atomic_add(count, 1) == CTAS - 1:
        every = tl.load(parts + tl.arange(0, CTAS))
        tl.store(result, tl.sum(every))


@triton.jit
def wait_for_left(x, flags, sums, BLOCK: tl.constexpr):
    me = tl.program_id(0)
    total = tl.sum(tl.load(x + me * BLOCK + tl.arange(0, BLOCK)))
    if me > 0:
        while tl.atomic_load(flags + me - 1, sem="acquire") == 0:
            pass
        total += tl.load(sums + me - 1)
    tl.store(sums + me, total)
    tl.debug_barrier()
    tl.atomic_store(flags + me, 1, sem="release")


@triton.jit
def poll_for_left(x, flags, sums, BLOCK: tl.constexpr):
    me = tl.program_id(0)
    total = tl.sum(tl.load(x + me * BLOCK + tl.arange(0, BLOCK)))
    if me > 0:
        tl.atomic_poll(flags + me - 1, 1)
        total += tl.load(sums + me - 1)
    tl.store(sums + me, total)
    tl.debug_barrier()
    tl.atomic_store(flags + me, 1, sem="release")


@triton.jit
def split_k(
    a,
    b,
    c,
    turn,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PARTS: tl.constexpr,
):
    tile = tl.program_id(0)
    part = tl.program_id(1)
    columns = N // BN
    i = tile // columns * BM + tl.arange(0, BM)
    j = tile % columns * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(part, K // BK, PARTS):
        k = step * BK + tl.arange(0, BK)
        total = tl.dot(
            tl.load(a + i[:, None] * K + k[None, :]),
            tl.load(b + k[:, None] * N + j[None, :]),
            total,
        )
    at = c + i[:, None] * N + j[None, :]
    while tl.atomic_cas(turn + tile, part, part) != part:
        pass
    if part > 0:
        total += tl.load(at)
    tl.store(at, total)
    tl.debug_barrier()
    tl.atomic_xchg(turn + tile, part + 1)


BUILDS = [
    Build(
        atomics,
        "*i32 *i32 *fp32 *fp16 *i64 *i32",
        (80, 90, 100),
        {"N": 256, "CELLS": 32},
    ),
    Build(locked_sum, "*fp32 *i32 *fp32 i32", EVERY, {"BLOCK": 128}),
    Build(last_one_adds, "*i32 *i32 *i32 *i32", EVERY, {"BLOCK": 256, "CTAS": 8}),
    Build(wait_for_left, "*i32 *i32 *i32", EVERY, {"BLOCK": 256}),
    Build(poll_for_left, "*i32 *i32 *i32", EVERY, {"BLOCK": 256}),
    Build(
        split_k,
        "*fp16 *fp16 *fp32 *i32 i32 i32",
        EVERY,
        {"BM": 32, "BN": 32, "BK": 32, "PARTS": 3},
    ),
]
