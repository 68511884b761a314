# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/share.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import CLOSE, Launch, integers, launch, normal, wide, zeros


@launch("locked_sum_f32")
def locked_sum() -> Launch:
    x = normal("f32", 5, 32)
    args = [x, zeros("f32", 1, 32), zeros("i32", 1)]
    expected = {1: wide(x).sum(axis=0, keepdims=True), 2: np.zeros(1, np.int32)}
    return Launch(args, (5,), expected, CLOSE["f32"])


@launch("last_block_f32")
def last_block() -> Launch:
    x = normal("f32", 300)
    args = [x, zeros("f32", 5), zeros("i32", 1), zeros("f32", 1)]
    expected = {2: np.array([5], np.int32), 3: wide(x).sum(keepdims=True)}
    return Launch(args, (5,), expected, 2e-5)


@launch("in_order_f32")
def in_order() -> Launch:
    x = normal("f32", 80)
    state = np.zeros(16)
    for part in wide(x).reshape(5, 16):
        state = state * 0.5 + part
    args = [x, zeros("f32", 16), zeros("i32", 1)]
    return Launch(args, (5,), {1: state, 2: np.array([5], np.int32)}, CLOSE["f32"])


@launch("work_queue_i32")
def work_queue() -> Launch:
    sizes = integers("i32", 0, 6, 13)
    exact = np.zeros(13, np.int32)
    for item, rounds in enumerate(sizes):
        value = 1
        for j in range(rounds):
            value = value * 3 + j
        exact[item] = value
    args = [sizes, zeros("i32", 13), zeros("i32", 1), np.int32(13)]
    return Launch(args, (3,), {1: exact, 2: np.array([16], np.int32)})


@launch("float_maximum_f32")
def float_maximum() -> Launch:
    x = -np.abs(normal("f32", 192))
    bits = x.view(np.int32) ^ np.int32(0x7FFFFFFF)
    start = np.array([-(2**31)], np.int32)
    return Launch([x, start], (3,), {1: bits.max(keepdims=True)})


@launch("atomic_product_i64")
def atomic_product() -> Launch:
    x = integers("i64", 2, 90, 9)
    return Launch([x, np.ones(1, np.int64)], (9,), {1: x.prod(keepdims=True)})


@launch("bit_sets_i32")
def bit_sets() -> Launch:
    x = integers("i32", 0, 128, 64)
    exact = np.zeros(4, np.uint32)
    np.bitwise_or.at(exact, x >> 5, np.uint32(1) << (x & 31).astype(np.uint32))
    return Launch([x, zeros("i32", 4)], (2,), {1: exact.view(np.int32)})


@launch("hash_insert_i32")
def hash_insert() -> Launch:
    keys = np.random.default_rng(3).permutation(40)[:32].astype(np.int32) + 1
    keys[5] = keys[20]
    unique = np.unique(keys)
    exact = np.concatenate((unique, np.zeros(64 - len(unique), np.int32)))
    return Launch([keys, zeros("i32", 64)], (2,), {1: exact}, any_order=(1,))
