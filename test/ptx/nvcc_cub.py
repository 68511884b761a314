"""Launches of `cuda/cub.cu`: CUB's collectives."""

from __future__ import annotations

import numpy as np
from nvcc import Kernel, Problem, aligned

_I32 = np.int32
_N = 256


def _sort(rng: np.random.Generator) -> Problem:
    keys = aligned(rng.integers(-40, 40, _N).astype(_I32))
    values = aligned(rng.standard_normal(_N).astype(np.float32))
    outs = aligned(np.zeros(_N, _I32)), aligned(np.zeros(_N, np.float32))
    order = np.argsort(keys, kind="stable")
    wanted = [(outs[0], keys[order]), (outs[1], values[order])]
    return Problem([keys, values, *outs], wanted)


def _scans(rng: np.random.Generator) -> Problem:
    x = rng.integers(-1000, 1000, 64).astype(_I32)
    y, extremes = np.zeros(64, _I32), np.zeros(3, _I32)
    sums = x.cumsum(dtype=_I32)
    before = np.maximum.accumulate(np.concatenate([[-1000], x[:-1]]).astype(_I32))
    wanted = [
        (y, sums + 3 * before + 5 * (sums - x)),
        (extremes, np.array([x.max(), x.sum(), x.min()], _I32)),
    ]
    return Problem([x, y, extremes], wanted)


def _warps(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(-1000, 1000, 64).astype(_I32), np.zeros((64, 2), _I32)
    sums = np.zeros((4, 16), _I32)
    sums[:, 0] = x.reshape(4, 16).sum(axis=1)
    tops = np.maximum.accumulate(x.reshape(2, 32), axis=1)
    before = np.concatenate([np.full((2, 1), -1000), tops[:, :-1]], axis=1)
    before = np.maximum(before, -1000)
    wanted = np.stack([sums.reshape(-1), before.reshape(-1)], axis=1).astype(_I32)
    return Problem([x, y], [(y, wanted)])


def _histogram(rng: np.random.Generator) -> Problem:
    x, counts = rng.integers(0, 32, _N).astype(np.uint8), np.zeros(32, np.uint32)
    wanted = np.bincount(x, minlength=32).astype(np.uint32)
    return Problem([x, counts], [(counts, wanted)])


_RACE = "race or uninitialised"
KERNELS = (
    Kernel("cub", "sort", _sort, 1, 64, broken={1: _RACE}),
    Kernel("cub", "scans", _scans, 1, 64, broken={1: _RACE, 2: _RACE}),
    Kernel("cub", "warps", _warps, 1, 64),
    Kernel("cub", "histogram", _histogram, 1, 64),
)
