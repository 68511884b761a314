# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contents of arrays that an argument asks for by name: `values=NAME` in its head.

Each kind makes ordinary numbers, among which some special ones stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ml_dtypes
import numpy as np
from emit_data import DTYPES, Array, factor_values, random_values, whole_values

Values = Callable[[np.random.Generator, int, str], Array]
SPECIAL_SHARE = 0.3
"""Which part of the elements is special, where some are."""
RUN = 4
"""How many neighbours are equal at most."""


def ordinary(rng: np.random.Generator, count: int, element: str) -> Array:
    """Numbers whose size is about 1, or small whole ones."""
    if DTYPES[element].kind in "biu":
        return whole_values(rng, count, element)
    values = (rng.standard_normal(count) * 2).astype(DTYPES[element])
    if element == "tf32":
        values = (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


def _ends(element: str) -> tuple[float | int, float | int]:
    """The lowest and the highest finite number."""
    dtype = DTYPES[element]
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return float(ml_dtypes.finfo(dtype).min), float(ml_dtypes.finfo(dtype).max)


def _least(element: str) -> tuple[float | int, float | int]:
    """Two subnormal numbers of either sign, or the least integers."""
    if DTYPES[element].kind in "biu":
        return 1, -1
    least = float(ml_dtypes.finfo(DTYPES[element]).smallest_subnormal)
    return 5 * least, -3 * least


def _mixed(choose: Callable[[str], tuple[float | int, ...]]) -> Values:
    """Ordinary numbers, among which some of those that `choose` gives stand."""

    def make(rng: np.random.Generator, count: int, element: str) -> Array:
        special = _of(choose(element), element)
        values = ordinary(rng, count, element)
        chosen = rng.choice(np.arange(len(special)), count)
        return np.where(rng.random(count) < SPECIAL_SHARE, special[chosen], values)

    return make


def _of(numbers: tuple[float | int, ...], element: str) -> Array:
    """Numbers in an element type; an integer has no infinity or NaN and gets 0."""
    dtype = DTYPES[element]
    if dtype.kind in "biu":
        whole = [int(n) if np.isfinite(n) else 0 for n in numbers]
        return np.array(whole, np.int64).astype(dtype)
    with np.errstate(all="ignore"):
        return np.array(numbers, np.float64).astype(dtype)


def _huge(rng: np.random.Generator, count: int, element: str) -> Array:
    """Numbers near both ends, whose sums and differences overflow."""
    ends = [part * end for end in _ends(element) for part in (0.5, 0.75, 0.9)]
    return _of(tuple(ends), element)[rng.integers(0, len(ends), count)]


def _masked(rng: np.random.Generator, count: int, element: str) -> Array:
    """Ordinary numbers, but a tail of the lowest one, as masks leave it."""
    values = ordinary(rng, count, element)
    values[count - count // 3 :] = _of(_ends(element)[:1], element)[0]
    return values


def _hidden(rng: np.random.Generator, count: int, element: str) -> Array:
    """Nothing but the lowest finite number: all is masked."""
    del rng
    return np.full(count, _of(_ends(element)[:1], element)[0])


def _neighbours(rng: np.random.Generator, count: int, element: str) -> Array:
    """Runs of equal numbers, in increasing order."""
    values = np.sort(ordinary(rng, count, element).astype(np.float64))
    return np.repeat(values[::RUN], RUN)[:count].astype(DTYPES[element])


def _places(rng: np.random.Generator, count: int, element: str) -> Array:
    """The numbers from 0 on in any order: places of an array of the same size."""
    return rng.permutation(count).astype(DTYPES[element])


VALUES: Mapping[str, Values] = {
    "any": random_values,
    "whole": whole_values,
    "factors": factor_values,
    "ordinary": ordinary,
    "lowest": _mixed(lambda element: _ends(element)[:1]),
    "ends": _mixed(_ends),
    "huge": _huge,
    "infinities": _mixed(lambda _: (np.inf, -np.inf)),
    "minus_infinity": _mixed(lambda _: (-np.inf,)),
    "nans": _mixed(lambda _: (np.nan,)),
    "subnormals": _mixed(_least),
    "zeros": _mixed(lambda _: (0.0, -0.0)),
    "masked": _masked,
    "hidden": _hidden,
    "neighbours": _neighbours,
    "places": _places,
}
"""What an array may hold, by the name that a head gives it.

`any` is a mixture of bits; `whole` numbers go from -8 to 8, so that sums are exact in
any order, and `factors` of blocks are 1, 2 and 4; `lowest` are masks, `masked` is a row
with a masked tail, `hidden` one that is masked altogether.
"""
