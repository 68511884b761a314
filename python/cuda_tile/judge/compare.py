# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far an answer may be from the reference's: a bound from types and sums.

The reference is asked again, in float64: for its answer without rounding, for inputs
with small relative changes (how far these carry), and with single elements changed
(how many terms an element of the answer has).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np

from cuda_tile.judge.arguments import arrays_of, as_array, copied
from cuda_tile.runtime.elements import Array

_CHANGES, _PROBES = 6, 12
_STEP = 2.0**-20
"""The relative change: far above float64's rounding, far below what bends curves."""

Answer = Callable[[Sequence[Any]], list[Array]]


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether an element type is a float, of NumPy or `ml_dtypes`."""
    return dtype.kind == "f" or dtype.name.startswith(("bfloat", "float"))


@dataclass(frozen=True)
class Expected:
    """What is right.

    Attributes:
        values: The answer, in the reference's own types.
        exact: The same in float64 where it is a float.
        bounds: How far each element may be away; 0 for what is no float.
        terms: Terms of an element, estimated.
    """

    values: list[Array]
    exact: list[Array]
    bounds: list[Array]
    terms: float


def expect(
    answer: Answer,
    args: Sequence[Any],
    rng: np.random.Generator,
    tolerance: tuple[float, float] | None,
) -> Expected:
    """The answer to some arguments, with its bounds.

    Args:
        answer: Gives the reference's outputs; it does not change its arguments.
        args: The arguments.
        rng: Draws the changes.
        tolerance: Relative and absolute, instead of derived bounds.
    """
    values = answer(args)
    if not any(is_float(value.dtype) for value in values):
        nothing = [np.zeros(value.shape) for value in values]
        return Expected(values, values, nothing, 0)
    with np.errstate(all="ignore"):
        wide = [_widened(arg) for arg in args]
        exact = [_as_exact(value) for value in answer(wide)]
        if tolerance is not None:
            relative, absolute = tolerance
            bounds = [absolute + relative * np.abs(each) for each in exact]
            return Expected(values, exact, bounds, 0)
        return _derived(answer, args, values, exact, rng)


def _derived(
    answer: Answer,
    args: Sequence[Any],
    values: list[Array],
    exact: list[Array],
    rng: np.random.Generator,
) -> Expected:
    wide = [_widened(arg) for arg in args]
    terms = _terms(answer, wide, exact, rng)
    reach = [np.zeros(each.shape) for each in exact]
    for _ in range(_CHANGES):
        changed = answer([_changed(arg, rng) for arg in wide])
        for far, now, was in zip(reach, changed, exact, strict=True):
            np.fmax(far, np.abs(_as_exact(now) - was) / _STEP, out=far)
    eps = max(
        [_eps(a.dtype) for a in (*_floats(args), *values) if is_float(a.dtype)] or [0]
    )
    factor = eps * (16 + 4 * np.sqrt(terms))
    bounds = [
        factor * np.fmax(np.abs(each), far) + _least(value.dtype)
        for each, far, value in zip(exact, reach, values, strict=True)
    ]
    return Expected(values, exact, bounds, terms)


def _floats(args: Sequence[Any]) -> list[Array]:
    return [array for array in arrays_of(args) if is_float(array.dtype)]


def _eps(dtype: np.dtype[Any]) -> float:
    return float(cast(Any, ml_dtypes.finfo(dtype)).eps)


def _least(dtype: np.dtype[Any]) -> float:
    """What flushing of the least numbers may cost."""
    if not is_float(dtype):
        return 0.0
    return float(cast(Any, ml_dtypes.finfo(dtype)).smallest_normal) * 4


def _widened(arg: Any) -> Any:
    array = as_array(arg)
    if array is None:
        return arg
    return array.astype(np.float64 if is_float(array.dtype) else array.dtype)


def _as_exact(value: Array) -> Array:
    return value.astype(np.float64) if is_float(value.dtype) else value


def _changed(arg: Any, rng: np.random.Generator) -> Any:
    array = as_array(arg)
    if array is None or array.dtype != np.float64:
        return arg
    return array * (1 + _STEP * rng.choice([-1.0, 1.0], array.shape))


def _terms(
    answer: Answer,
    args: Sequence[Any],
    exact: list[Array],
    rng: np.random.Generator,
) -> float:
    """Elements of the inputs per element of the outputs that depends on them."""
    outputs = sum(each.size for each in exact)
    found = 0.0
    for number, arg in enumerate(args):
        array = as_array(arg)
        if array is None or array.dtype != np.float64 or not array.size:
            continue
        reached = 0
        for _ in range(_PROBES):
            now = copied(args)
            now[number].reshape(-1)[rng.integers(array.size)] += 1 + abs(array.max())
            reached += sum(
                int((_as_exact(a) != b).sum())
                for a, b in zip(answer(now), exact, strict=True)
            )
        found += array.size * reached / _PROBES
    return found / max(1, outputs)


def first_fault(
    got: Array, value: Array, exact: Array, bound: Array
) -> tuple[tuple[int, ...], str] | None:
    """The worst element that is out of its bound, and what was expected there.

    Args:
        got: What came; its type and shape are right.
        value: The reference's answer.
        exact: The same in float64.
        bound: How far it may be away.
    """
    if not value.size:
        return None
    if not is_float(value.dtype):
        wrong = got != value
        size = wrong.astype(np.float64)
    else:
        size = _excess(got.astype(np.float64), value.astype(np.float64), exact, bound)
        wrong = size > 1
    if not wrong.any():
        return None
    place = tuple(int(n) for n in np.unravel_index(int(np.argmax(size)), size.shape))
    count = int(wrong.sum())
    return place, (
        f"expected {value[place]!s}, got {got[place]!s}; "
        f"{count} of {value.size} elements are wrong"
    )


def _excess(got: Array, value: Array, exact: Array, bound: Array) -> Array:
    """The error over the bound; infinite where one is no number and the other is."""
    with np.errstate(all="ignore"):
        size = np.minimum(np.abs(got - exact), np.abs(got - value)) / bound
    special = ~np.isfinite(got) | ~np.isfinite(value)
    equal = (got == value) | (np.isnan(got) & np.isnan(value))
    return np.where(special, np.where(equal, 0, np.inf), np.nan_to_num(size, nan=0.0))
