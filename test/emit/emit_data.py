# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays for generated programs: addresses, contents and comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Array = NDArray[Any]

DTYPES: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.float32),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""The array type that holds each element type, one to an item."""
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
"""The types that arithmetic takes; the other floats are converted."""
BITS = {name: 8 * dtype.itemsize for name, dtype in DTYPES.items()}
"""Bits in memory; i1 is one byte there."""
ALIGNMENT_BYTES = 256

_SPECIAL = (0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 0.5, 2.5, -3.5, 100.0)


def is_float(element: str) -> bool:
    """Whether an element type is one of `FLOATS`."""
    return element in FLOATS


def random_values(rng: np.random.Generator, count: int, element: str) -> Array:
    """A mixture of special values, ordinary numbers and plain random bits."""
    dtype = DTYPES[element]
    if element == "i1":
        return rng.integers(0, 2, count).astype(np.bool_)
    noise = rng.integers(0, 256, (count, dtype.itemsize), np.uint8)
    values = noise.view(dtype).reshape(count).copy()
    if element.startswith("f8"):
        return values
    if element == "tf32":  # the low bits of the f32 that holds it are zero
        wide = random_values(rng, count, "f32").view(np.uint32)
        return (wide & np.uint32(0xFFFFE000)).view(np.float32)
    kind = rng.random(count)
    if is_float(element):
        ordinary = rng.standard_normal(count) * 4.0 ** rng.integers(-4, 5, count)
        special = rng.choice(np.array(_SPECIAL), count)
        tiny = rng.integers(1, 9, count).astype(f"u{dtype.itemsize}").view(dtype)
        values = np.where(kind < 0.6, ordinary.astype(dtype), values)
        values = np.where(kind < 0.2, special.astype(dtype), values)
        return np.where(kind < 0.05, tiny, values)
    ends = np.iinfo(dtype)
    special = rng.choice(np.array([0, 1, -1, ends.min, ends.max, 7]), count)
    small = rng.integers(-9, 10, count)
    values = np.where(kind < 0.5, small.astype(dtype), values)
    return np.where(kind < 0.2, special.astype(dtype), values)


def whole_values(rng: np.random.Generator, count: int, element: str) -> Array:
    """Whole numbers from -8 to 8, so that sums are exact in any order."""
    return rng.integers(-8, 9, count).astype(DTYPES[element])


def factor_values(rng: np.random.Generator, count: int, element: str) -> Array:
    """1, 2 and 4, as factors of blocks, with which sums stay exact."""
    return (2.0 ** rng.integers(0, 3, count)).astype(DTYPES[element])


@dataclass(frozen=True)
class Buffer:
    """One pointer argument: memory, and the array in it that the kernel is given.

    Attributes:
        data: The whole memory, one-dimensional.
        start: Index in it of the array's first element.
        shape: The array's extents.
        strides: Its strides in elements.
        is_inexact: Whether what the kernel stores may be two units off.
        ulp: Or how many units, by which judges may be apart.
        is_whole: Whether the memory holds small whole numbers, whose sums are exact.
        is_factors: Whether it holds what `factor_values` gives.
    """

    data: Array
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    is_inexact: bool = False
    ulp: float = 0.0
    is_whole: bool = False
    is_factors: bool = False

    @property
    def values(self) -> str:
        """What the memory holds, as heads of random programs call it."""
        if self.is_factors:
            return "factors"
        return "whole" if self.is_whole else "any"

    def bind(self) -> tuple[Array, Array]:
        """A fresh copy of the memory at an aligned address, and the array in it."""
        raw = np.zeros(self.data.nbytes + ALIGNMENT_BYTES, np.uint8)
        first = -raw.ctypes.data % ALIGNMENT_BYTES
        memory = raw[first : first + self.data.nbytes].view(self.data.dtype)
        memory[...] = self.data
        size = self.data.itemsize
        steps = tuple(stride * size for stride in self.strides)
        words = memory[self.start :].view(f"u{size}")  # NumPy strides no f8 arrays
        return memory, as_strided(words, self.shape, steps).view(memory.dtype)


def mismatch(expected: Array, got: Array, *, is_inexact: bool) -> str:
    """What differs between two memories, or an empty text.

    Bits must be equal, except that one NaN is as good as another.
    """
    word = f"u{expected.itemsize}"
    same = expected.view(word) == got.view(word)
    if expected.dtype.kind not in "biu":
        with np.errstate(all="ignore"):
            wide, other = expected.astype(np.float64), got.astype(np.float64)
            same |= np.isnan(wide) & np.isnan(other)
            if is_inexact:
                unit = np.abs(np.spacing(expected)).astype(np.float64)
                same |= np.abs(wide - other) <= 2 * unit
    wrong = np.flatnonzero(~same)
    if not len(wrong):
        return ""
    i = int(wrong[0])
    return (
        f"{len(wrong)} of {expected.size} elements differ; at [{i}] the interpreter "
        f"has {expected[i]} ({expected.view(word)[i]:#x}), the emulator {got[i]} "
        f"({got.view(word)[i]:#x})"
    )
