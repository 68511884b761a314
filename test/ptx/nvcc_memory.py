# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/memory.cu`: state spaces, and inline PTX."""

from __future__ import annotations

import numpy as np
from nvcc import Array, Kernel, Problem

_I32 = np.int32
_MATRIX = np.dtype(
    [("cells", "u8"), ("rows", "i4"), ("columns", "i4"), ("scale", "f4")], align=True
)


def _globals(rng: np.random.Generator) -> Problem:
    table = [[1.5, -2.0, 0.25], [8.0, 0.0, 0.0]]
    weights = [1, -2, 3, -4, 5, -6, 7, -8]
    wanted = [
        int("0345"[: i % 4 + 1])
        + int(4 * table[i & 1][i % 3])
        + weights[i % 8] * b"evenodd"[4 * (i & 1) :][i % 3]
        for i in range(64)
    ]
    y = np.zeros(65, _I32)
    return Problem([y], [(y, np.array([*wanted, 64], _I32))])


def _transpose(rng: np.random.Generator) -> Problem:
    x = rng.standard_normal((50, 70)).astype(np.float32)
    y = np.zeros((70, 50), np.float32)

    def argument(cells: Array, scale: float) -> np.void:
        return np.void((cells.ctypes.data, *cells.shape, scale), dtype=_MATRIX)

    return Problem(
        [argument(x, 0.5), argument(y, 1.0)],
        [(y, x.T * np.float32(0.5))],
        behind=(x, y),
    )


def _inline_mma(rng: np.random.Generator) -> Problem:
    a, b = (rng.integers(-4, 5, s).astype(np.float16) for s in ((16, 16), (16, 8)))
    d = np.zeros((16, 8), np.float32)
    return Problem([a, b, d], [(d, a.astype(np.float32) @ b.astype(np.float32))])


def _times(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(0, 100, 32).astype(_I32), np.zeros(32, _I32)
    return Problem([x, y], [(y, x + 2)])


def _texture(rng: np.random.Generator) -> Problem:
    return Problem([0, np.zeros(32, np.float32)], [])


_RACE = "race or uninitialised"
KERNELS = (
    Kernel("memory", "globals", _globals, 1, 64),
    Kernel(
        "memory",
        "transpose",
        _transpose,
        (3, 2),
        (32, 4),
        shared_bytes=32 * 33 * 4 + 32 * 4,
        broken={1: _RACE},
    ),
    Kernel("memory", "inline_mma", _inline_mma),
    Kernel("memory", "times", _times),
)
REFUSED = (
    (Kernel("memory", "texture", _texture), "textures are not supported"),
    (Kernel("memory", "surface", _texture), "surfaces are not supported"),
)
