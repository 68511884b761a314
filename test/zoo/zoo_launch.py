# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch of a kernel of `test/kernels/zoo`: arguments and what NumPy expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

KINDS: dict[str, np.dtype[Any]] = {
    "b1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
}
CLOSE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 5e-6, "f64": 1e-12}
"""Errors that a few roundings to an element type explain, near numbers of size 1."""


@dataclass
class Launch:
    """Arguments and results.

    Attributes:
        args: Arrays and scalars, without shapes and strides.
        grid: Tile blocks.
        expected: Exact result per argument that changes.
        tolerance: Largest error, relative to the larger of 1 and the exact value.
        any_order: Per argument whose elements may stand in any order: sorts both.
    """

    args: list[Any]
    grid: tuple[int, ...]
    expected: dict[int, Array]
    tolerance: float = 0.0
    any_order: tuple[int, ...] = ()

    def complaints(self) -> list[str]:
        """What is wrong after a run, one line per argument."""
        found: list[str] = []
        for place, exact in self.expected.items():
            got = np.asarray(self.args[place])
            if place in self.any_order:
                got, exact = np.sort(got), np.sort(exact)
            text = self._complaint(got, np.asarray(exact))
            if text:
                found.append(f"argument {place}: {text}")
        return found

    def _complaint(self, got: Array, exact: Array) -> str:
        if got.shape != exact.shape:
            return f"the reference has shape {exact.shape}, the result {got.shape}"
        if got.dtype.kind in "biu":
            wrong = got != exact
            error = wrong.astype(np.float64)
        else:
            a, b = wide(got), wide(exact)
            with np.errstate(all="ignore"):
                error = np.abs(a - b) / np.maximum(np.abs(b), 1.0)
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            error = np.where(same, 0.0, np.nan_to_num(error, nan=np.inf))
            wrong = error > self.tolerance
        if not wrong.any():
            return ""
        at = tuple(int(i[0]) for i in np.nonzero(wrong))
        return (
            f"{int(wrong.sum())} of {wrong.size} differ, largest error "
            f"{error.max():.3g}, first {at}: expected {exact[at]}, got {got[at]}"
        )


LAUNCHES: dict[str, Callable[[], Launch]] = {}


def launch(name: str, *words: Any) -> Callable[[Any], Any]:
    """Registers the function that makes the launch of a kernel, called with `words`."""

    def register(function: Callable[..., Launch]) -> Callable[..., Launch]:
        assert name not in LAUNCHES, name
        LAUNCHES[name] = lambda: function(*words)
        return function

    return register


def wide(x: Array) -> Array:
    """As f64."""
    return np.asarray(x).astype(np.float64)


def zeros(kind: str, *shape: int) -> Array:
    """An array to write to."""
    return np.zeros(shape, KINDS[kind])


def normal(kind: str, *shape: int, seed: int = 0, scale: float = 1.0) -> Array:
    """Normally distributed numbers of a float type."""
    rng = np.random.default_rng((seed, *shape))
    return (rng.standard_normal(shape) * scale).astype(KINDS[kind])


def uniform(kind: str, low: float, high: float, *shape: int, seed: int = 0) -> Array:
    """Evenly distributed numbers of a float type."""
    rng = np.random.default_rng((seed, *shape))
    return rng.uniform(low, high, shape).astype(KINDS[kind])


def integers(kind: str, low: int, high: int, *shape: int, seed: int = 0) -> Array:
    """Integers from `low` to below `high`."""
    rng = np.random.default_rng((seed, *shape))
    dtype = KINDS[kind]
    return rng.integers(
        low, high, shape, np.int64 if dtype.kind == "b" else dtype
    ).astype(dtype)


def tiles(*extents_and_tiles: tuple[int, int]) -> tuple[int, ...]:
    """A grid: for each dimension extent divided by tile, rounded up."""
    return tuple(-(-extent // tile) for extent, tile in extents_and_tiles)


def softmax(x: Array, axis: int = -1) -> Array:
    """In f64."""
    powers = np.exp(wide(x) - wide(x).max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def sigmoid(x: Array) -> Array:
    """In f64."""
    return 1 / (1 + np.exp(-wide(x)))
