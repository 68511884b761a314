# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/copies.cu`: asynchronous copies to shared memory."""

from __future__ import annotations

import numpy as np
from nvcc import Array, Kernel, Problem
from ptx_arrays import placed

_I32 = np.int32


def _primitives(rng: np.random.Generator) -> Problem:
    x = placed(rng.integers(-50, 50, (5, 64, 4)).astype(np.float32))
    y = placed(np.zeros_like(x))
    a, b, c, d = np.moveaxis(x[:, ::-1], 2, 0)
    return Problem([x, y, 5], [(y, np.stack([a + b, b * c, d, a], axis=2))])


def _tiles(rng: np.random.Generator, n: int) -> Array:
    return placed(rng.integers(-1000, 1000, (n, 64)).astype(_I32))


def _block_pipeline(rng: np.random.Generator) -> Problem:
    x = _tiles(rng, 5)
    y = np.zeros_like(x)
    return Problem([x, y, 5], [(y, 3 * x[:, ::-1])])


def _own_pipeline(rng: np.random.Generator) -> Problem:
    x, y = _tiles(rng, 2), np.zeros(64, _I32)
    return Problem([x, y], [(y, 10 * x[0] + x[1])])


def _split_barrier(rng: np.random.Generator) -> Problem:
    x, y = _tiles(rng, 1), np.zeros(64, _I32)
    wanted = x[0]
    for _ in range(4):
        wanted = 2 * wanted + np.roll(wanted, -1)
    return Problem([x, y, 4], [(y, wanted)])


def _group_copy(rng: np.random.Generator) -> Problem:
    x, y = _tiles(rng, 1), np.zeros(64, _I32)
    return Problem([x, y], [(y, x.reshape(2, 32)[:, ::-1].reshape(-1))])


def _bulk(rng: np.random.Generator) -> Problem:
    x = _tiles(rng, 3)
    y = placed(np.zeros_like(x))
    return Problem([x, y, 3], [(y, x[:, ::-1] ** 2)])


_ANY = "race or copy in flight or uninitialised or proxy or mbarrier or deadlock"
KERNELS = (
    Kernel(
        "copies",
        "primitives",
        _primitives,
        1,
        64,
        broken=dict.fromkeys(range(1, 5), _ANY),
    ),
    Kernel(
        "copies",
        "block_pipeline",
        _block_pipeline,
        1,
        64,
        broken=dict.fromkeys(range(1, 4), _ANY),
    ),
    Kernel("copies", "own_pipeline", _own_pipeline, 1, 64),
    Kernel("copies", "split_barrier", _split_barrier, 1, 64, broken={1: _ANY}),
    Kernel("copies", "group_copy", _group_copy, 1, 64, broken={1: _ANY}),
    Kernel(
        "copies",
        "bulk",
        _bulk,
        1,
        64,
        arch="sm_90",
        broken=dict.fromkeys(range(2, 6), _ANY),
    ),
)
