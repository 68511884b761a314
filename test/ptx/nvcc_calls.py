# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/calls.cu`: functions that are not inlined."""

from __future__ import annotations

import numpy as np
from nvcc import Kernel, Problem


def _structures(rng: np.random.Generator) -> Problem:
    x, y, i = rng.standard_normal(64), np.zeros(64), np.arange(64)
    thirds = (i % 3 + i % 5 + 1) % 5 + 1
    return Problem([x, y], [(y, x / (i % 5 + 1) - i + thirds)])


def _pointers(rng: np.random.Generator) -> Problem:
    which = rng.integers(0, 3, 64).astype(np.int32)
    y, i = np.zeros(64, np.int32), np.arange(64, dtype=np.int32)
    reached = np.stack([2 * i, i * i, -i])[which, i]
    return Problem([which, y], [(y, reached + i * i)])


def _virtuals(rng: np.random.Generator) -> Problem:
    x, i = rng.standard_normal(64).astype(np.float32), np.arange(64)
    y = np.zeros(64, np.float32)
    wanted = np.where(i % 3 == 0, 2 * x + np.float32(4000), 3 * x * x)
    return Problem([x, y], [(y, wanted)], tolerance=1e-6)


def _paths(above: list[int], n: int) -> int:
    if n < 2:
        return above[n]
    mine = [above[i] + n * i for i in range(4)]
    left = _paths(mine, n - 1)
    mine[n & 3] += left
    return _paths(mine, n - 2) - left


def _recursion(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(0, 100, 4).astype(np.int32), np.zeros(64, np.int32)
    start = x.tolist()
    wanted = [_paths(start, i % 9) * 10 + (i % 2 == 0) for i in range(64)]
    return Problem([x, y], [(y, np.array(wanted, np.int32))])


def _quicksort(rng: np.random.Generator) -> Problem:
    x = rng.integers(-50, 50, (40, 24)).astype(np.int32)
    return Problem([x, 24], [(x, np.sort(x, axis=1))])


def _endless(rng: np.random.Generator) -> Problem:
    return Problem([np.zeros(4, np.int32)], [])


def _prints(rng: np.random.Generator) -> Problem:
    return Problem([np.array([1.5, -0.375], np.float32)], [])


def _asserts(rng: np.random.Generator) -> Problem:
    return Problem([np.arange(32, dtype=np.int32)], [])


def _stacks(rng: np.random.Generator) -> Problem:
    sizes, y = rng.integers(0, 40, 64).astype(np.int32), np.zeros(64, np.int32)
    i = np.arange(64, dtype=np.int32)
    return Problem([sizes, y], [(y, i * (sizes * (sizes - 1) // 2))])


KERNELS = (
    Kernel("calls", "structures", _structures, block=64),
    Kernel("calls", "pointers", _pointers, block=64),
    Kernel("calls", "virtuals", _virtuals, block=64),
    Kernel("calls", "recursion", _recursion, block=64),
    Kernel("calls", "quicksort", _quicksort, block=40),
    Kernel("calls", "stacks", _stacks, block=64),
)
ENDLESS = Kernel("calls", "endless", _endless)
PRINTS = Kernel("calls", "prints", _prints)
ASSERTS = Kernel("calls", "asserts", _asserts)
