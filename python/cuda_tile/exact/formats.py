# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats that hold fewer values than there are elements.

A code stands for the element of its number. Of f16, bf16 and all smaller formats no two
codes (but the zeros) stand for the same element, so widening is injective. Narrowing
is a table: it gives such an element its code, and the others take the codes in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cuda_tile.exact.ring import MODULUS, Array, Elements, element_of

_NUMPY: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
_BITS = {"f16": 16, "bf16": 16, "f6E2M3FN": 6, "f6E3M2FN": 6, "f4E2M1FN": 4}
_TF32_MASK = np.uint32(0xFFFFE000)
FORMATS = tuple(_NUMPY)
"""Formats with codes; f32, tf32 and f64 hold every element as it is."""


@dataclass(frozen=True)
class _Format:
    """One format: the element of each code, and the largest and the NaN's code."""

    elements: NDArray[np.float32]
    codes: Array
    finite: Array
    limits: tuple[int, int]
    nan: int


@cache
def _format(name: str) -> _Format:
    bits = _BITS.get(name, 8)
    codes = np.arange(1 << bits, dtype=np.uint16 if bits == 16 else np.uint8)
    with np.errstate(invalid="ignore"):
        numbers = codes.view(_NUMPY[name]).astype(np.float64)
    is_number = np.isfinite(numbers)
    finite = codes[is_number & ~((numbers == 0) & np.signbit(numbers))]
    order = np.argsort(np.where(np.isnan(numbers), 0, numbers), kind="stable")
    least, most = int(codes[order[0]]), int(codes[order[-1]])
    missing = codes[np.isnan(numbers)]
    nan = int(missing.max() & (codes.size // 2 - 1)) if missing.size else most
    nan = 0xFF if name == "f8E8M0FNU" else nan
    elements = element_of(numbers).astype(np.float32)
    return _Format(elements, codes, finite, (least, most), nan)


@cache
def _narrowing(name: str) -> Array:
    """The code of each element; negative ones count from the end."""
    form = _format(name)
    table = np.resize(form.finite, MODULUS)
    table[form.elements[form.finite].astype(np.int64)] = form.finite
    return table


def elements_of_codes(codes: Array, name: str) -> NDArray[np.float32]:
    """The elements of codes of a format, as f32."""
    return _format(name).elements[codes]


def codes_of(elements: Array, name: str) -> Array:
    """The codes of elements; what is infinite becomes so, or the largest."""
    wide = np.asarray(elements, np.float64)
    if float(np.add.reduce(wide, axis=None)).is_integer():
        return _narrowing(name)[wide.astype(np.int64)]
    form = _format(name)
    wide = element_of(wide)
    finite = np.isfinite(wide)
    result = _narrowing(name)[np.where(finite, wide, 0).astype(np.int64)]
    least, most = form.limits
    word = result.dtype.type
    result = np.where(finite | np.isnan(wide), result, word(most))
    result = np.where(wide == -np.inf, word(least), result)
    return np.where(np.isnan(wide), word(form.nan), result)


def widen(values: Array, name: str) -> Elements:
    """The elements of values of a format, as NumPy or ml_dtypes hold them."""
    if name not in _NUMPY:
        return values.astype(np.float64)
    word = np.uint16 if values.dtype.itemsize == 2 else np.uint8
    codes = np.ascontiguousarray(values).view(word).reshape(values.shape)
    return elements_of_codes(codes, name).astype(np.float64)


def narrow(elements: Elements, name: str) -> Array:
    """The values of elements in a format; the inverse of `widen` where it has one."""
    if name not in _NUMPY:
        return elements.astype(np.float32 if name == "f32" else np.float64)
    return np.asarray(codes_of(elements, name)).view(_NUMPY[name])


def from_bits(values: Array) -> Array:
    """The elements of f32 or f64 that may be no elements, most often widened bf16.

    They have the type of the values.
    """
    if values.dtype != np.float32:
        return element_of(values)
    bits = np.ascontiguousarray(values).view(np.uint32)
    if not np.bitwise_or.reduce(bits, axis=None) & 0xFFFF:
        return elements_of_codes(bits >> np.uint32(16), "bf16")
    return element_of(values).astype(np.float32)


def without_sign(bits: Array) -> Array:
    """Words, in which floats may be, without their sign bit."""
    sign = bits.dtype.type(1) << bits.dtype.type(8 * bits.dtype.itemsize - 1)
    return bits & ~sign


def cut_to_tf32(values: Array) -> NDArray[np.float32]:
    """An f32 as a multiplier of tf32 sees it: the lowest 13 bits are zero."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return (bits & _TF32_MASK).view(np.float32).reshape(values.shape)
