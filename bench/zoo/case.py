# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of the zoo: its launch, its result in NumPy, and how Triton takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from real_kernels import aligned

Array = NDArray[Any]
Wanted = dict[int, tuple[Array, Array | float]]
"""By argument: what must stand there, and by how much each element may differ."""
KINDS: dict[str, np.dtype[Any]] = {
    "i8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "i32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8": np.dtype(ml_dtypes.float8_e4m3fn),
}
UNITS = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
"""Largest relative error of rounding to a type."""
TINY = {"f64": 0.0, "f32": 1e-30, "f16": 2.0**-24, "bf16": 1e-30}
"""Largest absolute error of rounding near zero."""


@dataclass(frozen=True)
class Launch:
    """One launch.

    Attributes:
        grid: Tile blocks.
        values: Arrays and then numbers, without extents and constants.
        wanted: What must be in them afterwards, by their place.
    """

    grid: tuple[int, ...]
    values: list[Any]
    wanted: Wanted

    def wrong(self) -> str:
        """Which results are not NumPy's, as text; empty if none."""
        for place, (exact, most) in self.wanted.items():
            got = np.asarray(self.values[place]).astype(np.float64)
            error = np.abs(got - np.asarray(exact, np.float64).reshape(got.shape))
            if not (np.nan_to_num(error, nan=np.inf) <= most).all():
                return f"WRONG: argument {place} is off by {np.nanmax(error):.3g}"
        return ""


def _first_extents(*arrays: Array) -> Sequence[int]:
    return arrays[0].shape


@dataclass(frozen=True)
class Case:
    """One kernel.

    Attributes:
        name: As the page has it.
        field: Whose kernel it is.
        kernel: In cuTile; the one in Triton has the name of its function.
        sizes: Constants by the names of Triton's parameters, in the order of cuTile's.
        launch: Makes arguments; equal ones each time.
        extents: Integers that Triton's kernel takes after the arrays, from the arrays.
        warps, stages: Of Triton's kernel.
        is_apart: Whoever changes the compiler does not look at this one.
    """

    name: str
    field: str
    kernel: Any
    sizes: Mapping[str, int]
    launch: Callable[[], Launch]
    extents: Callable[..., Sequence[int]] = _first_extents
    warps: int = 4
    stages: int = 3
    is_apart: bool = False

    def arguments(self, launch: Launch) -> tuple[Any, ...]:
        """What cuTile's kernel takes."""
        return (*launch.values, *self.sizes.values())


@dataclass
class Field:
    """Registers the kernels of a field; each second one is kept apart.

    Kernels are only ever added at the end, so a kernel stays in its half.
    """

    name: str
    cases: list[Case] = field(default_factory=list[Case])

    def add(
        self,
        name: str,
        kernel: Any,
        launch: Callable[[], Launch],
        extents: Callable[..., Sequence[int]] = _first_extents,
        *,
        warps: int = 4,
        stages: int = 3,
        **sizes: int,
    ) -> None:
        """Adds a kernel; the parameters are those of `Case`."""
        is_apart = len(self.cases) % 2 == 1
        words = (name, self.name, kernel, sizes, launch, extents)
        self.cases.append(Case(*words, warps, stages, is_apart))


# Arrays and bounds --------------------------------------------------------------------


def normal(kind: str, *shape: int, seed: int = 0, scale: float = 1.0) -> Array:
    """Normally distributed numbers."""
    array = aligned(shape, KINDS[kind])
    rng = np.random.default_rng((seed, *shape))
    array[...] = (rng.standard_normal(shape) * scale).astype(KINDS[kind])
    return array


def uniform(kind: str, low: float, high: float, *shape: int, seed: int = 0) -> Array:
    """Evenly distributed numbers."""
    array = aligned(shape, KINDS[kind])
    rng = np.random.default_rng((seed, *shape))
    array[...] = rng.uniform(low, high, shape).astype(KINDS[kind])
    return array


def integers(kind: str, low: int, high: int, *shape: int, seed: int = 0) -> Array:
    """Integers from `low` to below `high`."""
    array = aligned(shape, KINDS[kind])
    rng = np.random.default_rng((seed, *shape))
    array[...] = rng.integers(low, high, shape)
    return array


def zeros(kind: str, *shape: int) -> Array:
    """An array to write to."""
    return aligned(shape, KINDS[kind])


def wide(x: Array) -> Array:
    """As f64."""
    return np.asarray(x).astype(np.float64)


def near(
    exact: Array, kind: str, sizes: Any = None, steps: float = 64
) -> tuple[Array, Array]:
    """A result and its bound: a rounding to `kind`, after `steps` roundings in f32.

    Args:
        exact: The result.
        kind: Of the array.
        sizes: How large what was added up is; by default as large as the result.
        steps: Roundings, relative to `sizes`.
    """
    size = np.abs(exact) if sizes is None else np.abs(sizes)
    inner = UNITS["f64" if kind == "f64" else "f32"]
    return exact, UNITS[kind] * np.abs(exact) + steps * inner * size + TINY[kind]


def divided(extent: int, tile: int) -> int:
    """Rounded up."""
    return -(-extent // tile)
