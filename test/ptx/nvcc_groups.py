# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/groups.cu`: cooperative groups."""

from __future__ import annotations

import numpy as np
from nvcc import Kernel, Problem

_I32 = np.int32


def _tiles(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(0, 100, 128).astype(_I32), np.zeros((128, 4), _I32)
    eights = x.reshape(-1, 8)
    columns = [
        np.repeat(eights.sum(axis=1), 8),
        np.repeat(eights.max(axis=1), 8),
        (eights.cumsum(axis=1) - eights).reshape(-1),
        np.repeat(x.reshape(2, 64).sum(axis=1), 64),
    ]
    return Problem([x, y], [(y, np.stack(columns, axis=1).astype(_I32))])


def _filter(rng: np.random.Generator) -> Problem:
    x = rng.integers(-50, 50, 150).astype(_I32)
    y, count = np.zeros(150, _I32), np.zeros(4, _I32)
    thirds = np.bincount(np.arange(192) % 3)
    kept = np.concatenate([[(x > 0).sum()], thirds]).astype(_I32)

    def gathered() -> list[int]:
        return sorted(y[: count[0]].tolist())

    wanted = sorted(x[x > 0].tolist())
    return Problem(
        [x, x.size, y, count], [(count, kept)], holds=lambda: gathered() == wanted
    )


def _jacobi(rng: np.random.Generator) -> Problem:
    x = rng.standard_normal(150).astype(np.float32)
    y, wanted = np.zeros_like(x), x.copy()
    for _ in range(3):
        inner = (wanted[:-2] + wanted[2:]) * np.float32(0.5)
        wanted = np.concatenate([wanted[:1], inner, wanted[-1:]])
    return Problem([x, y, x.size, 3], [(y, wanted)])


def _cluster_histogram(rng: np.random.Generator) -> Problem:
    x, counts = rng.integers(0, 1000, 500).astype(_I32), np.zeros(64, _I32)
    wanted = np.bincount(x % 64, minlength=64).astype(_I32)
    return Problem([x, x.size, counts], [(counts, wanted)])


def _cluster_ring(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (2, 4, 32)).astype(_I32)
    y = np.zeros_like(x)
    return Problem([x, y], [(y, np.roll(x, -1, axis=1)[:, :, ::-1])])


KERNELS = (
    Kernel("groups", "tiles", _tiles, 1, 128),
    Kernel("groups", "filter", _filter, 3, 64),
    Kernel("groups", "jacobi", _jacobi, 5, 32, cooperative=True, broken={1: "race"}),
    Kernel(
        "groups",
        "cluster_histogram",
        _cluster_histogram,
        4,
        64,
        arch="sm_90",
        cluster=4,
        shared_bytes=64,
        broken={
            1: "race or cluster or uninitialised",
            2: "race or cluster or uninitialised",
        },
    ),
    Kernel(
        "groups",
        "cluster_ring",
        _cluster_ring,
        8,
        32,
        arch="sm_90",
        cluster=4,
        broken={1: "race or cluster or uninitialised", 2: "cluster"},
    ),
)
