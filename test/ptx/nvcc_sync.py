# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/sync.cu`: synchronisation of threads, warps and blocks."""

from __future__ import annotations

import numpy as np
from nvcc import Kernel, Problem

_U32 = np.uint32


def _tree_sum(rng: np.random.Generator) -> Problem:
    x, sums = rng.integers(0, 1000, (3, 128)).astype(_U32), np.zeros(3, _U32)
    return Problem([x, sums], [(sums, x.sum(axis=1).astype(_U32))])


def _warp_scan(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(0, 1000, (2, 32)).astype(_U32), np.zeros((2, 32), _U32)
    return Problem([x, y], [(y, x.cumsum(axis=1).astype(_U32))])


def _last_block(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (6, 128)).astype(_U32)
    sums, arrived, total = np.zeros(6, _U32), np.zeros(1, _U32), np.zeros(1, _U32)
    wanted = [(total, x.sum(keepdims=True, dtype=_U32)[0]), (arrived, arrived.copy())]
    return Problem([x, sums, arrived, total], wanted)


def _look_back(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (5, 128)).astype(_U32)
    y, tickets, sums = np.zeros_like(x), np.zeros(1, _U32), np.zeros(5, _U32)
    wanted = x.cumsum(dtype=_U32).reshape(x.shape)
    return Problem([x, y, tickets, sums, np.zeros(5, np.int32)], [(y, wanted)])


def _histogram(rng: np.random.Generator) -> Problem:
    x, counts = rng.integers(0, 256, 777).astype(np.uint8), np.zeros(64, _U32)
    wanted = np.bincount(x % 64, minlength=64).astype(_U32)
    return Problem([x, x.size, counts], [(counts, wanted)])


def _mutex(rng: np.random.Generator) -> Problem:
    lock, value = np.zeros(1, np.int32), np.zeros(1, _U32)
    wanted = np.array([sum(3**k for k in range(2 * 20)) % 2**32], _U32)
    return Problem([lock, value], [(value, wanted)])


def _work_queue(rng: np.random.Generator) -> Problem:
    x = rng.integers(-100, 100, 300).astype(np.int32)
    y, taken = np.zeros_like(x), np.zeros(1, np.int32)
    return Problem([x, x.size, taken, y], [(y, x * x)])


def _votes(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(-50, 50, 128).astype(np.int32), np.zeros(128, np.int32)
    other = x[::-1].reshape(4, 32)
    rest = np.fmod(other, 4)
    mates = rest[:, :, None] == rest[:, None, :]
    odd = ((other & 1)[:, None, :] * mates).sum(axis=2)
    positive = (other >= 0).sum(axis=1)
    agree = np.isin(positive, (0, 32))
    block = (x > 0).sum() + 1000 * (x > -50).all() + 2000 * (x > 48).any()
    wanted = (block + odd + 4000 * agree[:, None]).reshape(-1).astype(np.int32)
    return Problem([x, y], [(y, wanted)])


_RACE = "race or uninitialised"
KERNELS = (
    Kernel("sync", "tree_sum", _tree_sum, 3, 128, broken={1: _RACE, 2: _RACE}),
    Kernel(
        "sync", "warp_scan", _warp_scan, 1, 64, broken=dict.fromkeys((1, 2, 3), _RACE)
    ),
    Kernel(
        "sync",
        "last_block",
        _last_block,
        6,
        128,
        broken={1: "race", 2: "race", 3: _RACE},
    ),
    Kernel(
        "sync",
        "look_back",
        _look_back,
        5,
        128,
        broken=dict.fromkeys(range(1, 6), _RACE),
    ),
    Kernel(
        "sync", "histogram", _histogram, 3, 96, broken=dict.fromkeys((1, 2, 3), _RACE)
    ),
    Kernel("sync", "mutex", _mutex, 2, 20, broken={1: "race", 2: "race"}),
    Kernel("sync", "work_queue", _work_queue, 2, 64, broken={1: _RACE, 2: _RACE}),
    Kernel("sync", "votes", _votes, 1, 128, broken={1: _RACE}),
)
