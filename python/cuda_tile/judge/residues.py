# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference in exact numbers: its arrays hold elements of the ring (docs/exact.md).

A reference that only adds, subtracts, multiplies and moves has an answer there,
whatever functions of NumPy say that. Anything else, and any number that a format
rounds, has none: a candidate may round it otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from cuda_tile.exact import MODULUS, entered, narrow, widen
from cuda_tile.judge.arguments import as_array
from cuda_tile.runtime.elements import Array

FORMATS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
"""Element types whose values are elements, by NumPy's names."""
WIDE = ("f32", "f64")
"""Those to which elements need not be rounded."""
MOST_BITS = 8
"""Of the mantissa of a number in a program: every format has those."""


class NotExactError(TypeError):
    """What a reference does has no exact answer."""


def _value(other: object) -> int:
    """The element of an operand."""
    if isinstance(other, Residue):
        return other.value
    if isinstance(other, Integral):
        return int(other)
    if isinstance(other, Real) and np.isfinite(float(other)):
        top, bottom = float(other).as_integer_ratio()
        while top and top % 2 == 0:
            top //= 2
        if top.bit_length() <= MOST_BITS:
            top, bottom = float(other).as_integer_ratio()
            return top * pow(bottom, -1, MODULUS)
    raise NotExactError(f"expected a number that no format rounds, got {other!r}")


class Residue:
    """An element of the ring, as NumPy's arrays of objects take it.

    Args:
        value: Any integer that is it.
    """

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: int) -> None:
        self.value = value % MODULUS

    def __add__(self, other: object) -> Residue:
        return Residue(self.value + _value(other))

    __radd__ = __add__

    def __neg__(self) -> Residue:
        return Residue(-self.value)

    def __pos__(self) -> Residue:
        return self

    def __sub__(self, other: object) -> Residue:
        return Residue(self.value - _value(other))

    def __rsub__(self, other: object) -> Residue:
        return Residue(_value(other) - self.value)

    def __mul__(self, other: object) -> Residue:
        return Residue(self.value * _value(other))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Residue:
        """By powers of two only: other quotients are rounded in one way or another."""
        number = abs(_value(other)) if isinstance(other, Integral) else 0
        if number <= 0 or number & (number - 1):
            raise NotExactError(f"expected a division by a power of two, got {other!r}")
        return Residue(self.value * pow(_value(other), -1, MODULUS))

    def __pow__(self, other: object) -> Residue:
        if not isinstance(other, Integral) or other < 0:
            raise NotExactError(f"expected a power, got {other!r}")
        return Residue(pow(self.value, int(other), MODULUS))

    def _none(self, *others: object) -> Any:
        raise NotExactError("elements of a ring have no order, no size and no parts")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _none
    __float__ = __int__ = __abs__ = __bool__ = __rtruediv__ = __floordiv__ = _none
    __mod__ = _none


class ResidueArray(np.ndarray[Any, Any]):
    """An array of them, which may be cast between types of floats."""

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """The elements rounded to a type, as the judges round them."""
        name = FORMATS.get(np.dtype(dtype).name)
        if name is None:
            raise NotExactError(f"expected a type of floats, got {dtype}")
        if name in WIDE:
            return self
        return _residues(widen(narrow(_elements(self), name), name))


def _elements(values: Array) -> Array:
    """Residues as their representatives between -N/2 and N/2, in float64."""
    numbers = [_value(each) % MODULUS for each in values.reshape(-1)]
    whole = np.array(numbers, np.int64).reshape(values.shape)
    return np.where(whole > MODULUS // 2, whole - MODULUS, whole).astype(np.float64)


def _residues(elements: Array) -> ResidueArray:
    """Representatives as an array of residues."""
    made = np.empty(elements.size, object)
    made[:] = [Residue(int(each)) for each in elements.reshape(-1)]
    return made.reshape(elements.shape).view(ResidueArray)


def _argument(arg: Any) -> Any:
    array = as_array(arg)
    if array is None:
        return arg
    name = FORMATS.get(array.dtype.name)
    if name is None:
        return array.copy()
    values = entered(array)
    if not np.isfinite(values.astype(np.float64)).all():
        raise NotExactError("expected finite arrays")
    return _residues(widen(values, name))


def exact_answer(
    answer: Callable[[Sequence[Any]], Sequence[Any]],
    args: Sequence[Any],
    types: Sequence[np.dtype[Any]],
) -> list[Array | None]:
    """A reference's answer in exact numbers, in its own types.

    Args:
        answer: Gives its outputs, of arguments that it may change.
        args: The arguments.
        types: The types of the outputs.

    Returns:
        For each output its elements; None for what is no float.

    Raises:
        NotExactError: It has no such answer.
    """
    try:
        with np.errstate(all="ignore"):
            outputs = answer([_argument(arg) for arg in args])
    except Exception as error:  # of any function that knows no residues
        raise NotExactError(str(error)) from None
    found: list[Array | None] = []
    for output, kind in zip(outputs, types, strict=True):
        name = FORMATS.get(kind.name)
        values = np.asarray(output)
        if name is None or values.dtype != object:
            found.append(None)
            continue
        found.append(narrow(_elements(values), name))
    return found
