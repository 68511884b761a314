# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of the user: their numbers become the elements that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np

from cuda_tile.exact.ring import Array, element_of

_WIDE = (np.dtype(np.float32), np.dtype(np.float64))
_MINUS_ZERO = np.uint16(0x8000)
_HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def enter(values: Iterable[Any]) -> list[Any]:
    """Replaces floats by their elements, in place in arrays; twice is as once.

    Of the formats below f32 each code is an element, but the zeros are one.
    """
    return [_entered(value) for value in values]


def _entered(value: Any) -> Any:
    if isinstance(value, np.floating):
        return entered(np.asarray(cast(Any, value)))[()]
    if isinstance(value, np.ndarray):
        whole = cast(Array, value)
        replicas: Sequence[Array] = getattr(whole, "targets", ())
        for array in (whole, *replicas):
            if array.dtype in (*_WIDE, *_HALVES) and array.flags.writeable:
                array[...] = entered(array)
        return whole
    return value


def entered(values: Array) -> Array:
    """The elements of floats of any format, in that format."""
    if values.dtype in _WIDE:
        elements = element_of(values).astype(values.dtype) + values.dtype.type(0)
        nan: Array = np.full((), np.nan, values.dtype)
        return np.where(np.isnan(elements), nan, elements)
    if values.dtype in _HALVES:
        bits = np.ascontiguousarray(values).view(np.uint16)
        bits = np.where(bits == _MINUS_ZERO, np.uint16(0), bits)
        return bits.view(values.dtype).reshape(values.shape)
    return values
