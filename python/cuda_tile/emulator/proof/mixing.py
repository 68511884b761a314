# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of 64 bits that stand for long rows: equal rows have equal ones.

Each word is mixed with its place by the last steps of SplitMix64 (Steele, Lea and
Flood, "Fast Splittable Pseudorandom Number Generators", 2014), and the results are
summed. Two rows that differ have one number with a chance of 2^-64.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cuda_tile.emulator.ptx.types import Array

_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)


@lru_cache(maxsize=16)
def _places(count: int) -> Array:
    return np.arange(1, count + 1, dtype=np.uint64) * _STEP


def mixed(words: Array, salt: int = 0) -> Array:
    """A number for each row, int64[...].

    Args:
        words: int64[..., n].
        salt: Numbers of another salt are as good as independent.
    """
    found = words.view(np.uint64) + _places(words.shape[-1]) + np.uint64(salt)
    found = (found ^ found >> np.uint64(30)) * _FIRST
    found = (found ^ found >> np.uint64(27)) * _SECOND
    return (found ^ found >> np.uint64(31)).sum(axis=-1, dtype=np.uint64).view(np.int64)


def mixed_flags(*parts: Array) -> Array:
    """A number for each row of flags, int64[n].

    Args:
        parts: bool[n, ...], side by side.
    """
    bits = np.packbits(np.concatenate(parts, axis=1), axis=1)
    bits = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return mixed(np.ascontiguousarray(bits).view(np.int64))
