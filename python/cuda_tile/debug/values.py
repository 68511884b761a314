# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values as people look at them: type, statistics, slices, rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.number_text import address_text, array_kind, first_elements

LINE_ELEMENTS = 6
"""Elements that one line shows."""
PRINTED_ELEMENTS = 256
"""Elements up to which an array is printed whole."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A value of the program.

    Attributes:
        value: What expressions compute with; arrays are read-only.
        kind: Its type in the program's words, as `tile<16x16xf32>`.
        text: What it is in one line, where it is no array; else "".
        lost: Elements that nothing specifies.
        note: What else is to be said of it.
    """

    value: Any
    kind: str = ""
    text: str = ""
    lost: int = 0
    note: str = ""

    @property
    def is_array(self) -> bool:
        """Whether it has elements to be shown one by one."""
        array = as_array(self.value)
        return array is not None and array.ndim > 0

    def line(self) -> str:
        """The value in one line."""
        if self.text:
            return self.text
        note = f" ({self.note})" if self.note else ""
        array = as_array(self.value)
        if array is not None and self.kind:
            return f"{elements(array)}{note}"
        return f"{one_line(self.value)}{note}"


def as_array(value: Any) -> Array | None:
    """The value if it is an array, a tile without axes included."""
    return cast(Array, value) if isinstance(value, np.ndarray) else None


def frozen(array: Array) -> Array:
    """A view that nobody can write through."""
    view = array.view()
    view.flags.writeable = False
    return view


def number(value: Any) -> str:
    """One element."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value) if np.iscomplexobj(value) else address_text(value)


def one_line(value: Any) -> str:
    """Any value in one line."""
    array = as_array(value)
    if array is not None:
        kind = f"{array_kind(array)} " if array.ndim else ""
        return f"{kind}{elements(array)}"
    if isinstance(value, (bool, int, float, np.generic)):
        return number(value)
    if type(value) is tuple:
        return f"({', '.join(map(one_line, cast(tuple[Any, ...], value)))})"
    return str(value)


def elements(array: Array) -> str:
    """The first elements of an array."""
    return first_elements(array, LINE_ELEMENTS, number)


def statistics(array: Array, lost: int = 0) -> dict[str, str]:
    """What is to be known of an array: extremes, mean, NaNs, infinities, zeros.

    Args:
        array: Any array of numbers.
        lost: Elements that nothing specifies.

    Returns:
        Texts by name; what an array of this type or size has not is absent.
    """
    found = {"elements": str(array.size)}
    if not array.size or array.dtype.kind not in "biufV":
        return found
    wide = _wide(array)
    finite = wide[np.isfinite(wide)] if wide.dtype.kind == "f" else wide
    if finite.size:
        found |= _extremes(finite)
    if wide.dtype.kind == "f":
        found["NaN"] = str(int(np.isnan(wide).sum()))
        found["infinite"] = str(int(np.isinf(wide).sum()))
    found["zero"] = str(int((wide == 0).sum()))
    if lost:
        found["unspecified"] = str(lost)
    return found


def _wide(array: Array) -> NDArray[Any]:
    """The numbers in a type that NumPy computes with."""
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    return array if array.dtype.kind in "iu" else array.astype(np.float64)


def _extremes(finite: NDArray[Any]) -> dict[str, str]:
    with np.errstate(all="ignore"):
        mean, spread = float(finite.mean()), float(finite.std())
    return {
        "min": number(finite.min()),
        "max": number(finite.max()),
        "mean": f"{mean:.6g}",
        "std": f"{spread:.6g}",
    }


def pretty(value: Any) -> str:
    """A value in as many lines as it takes; large arrays are cut as NumPy does."""
    array = as_array(value)
    if array is None or array.ndim == 0:
        return one_line(value)
    numbers = array if array.dtype.kind in "biu" else array.astype(np.float64)
    shown = np.array2string(
        numbers, precision=5, threshold=PRINTED_ELEMENTS, edgeitems=3, max_line_width=96
    )
    return f"{array_kind(array)}\n{shown}"


def first_nan(array: Array) -> tuple[int, ...] | None:
    """The index of the first NaN of an array of floats."""
    if array.dtype.kind in "biu":
        return None
    lost = np.isnan(array.astype(np.float64, copy=False))
    if not lost.any():
        return None
    return tuple(int(each) for each in np.argwhere(lost)[0])


def children(array: Array, start: int = 0, count: int = 0) -> Iterator[tuple[str, Any]]:
    """The rows of an array, or the elements of its only axis, with their index.

    Args:
        array: The array, of one axis or more.
        start: The first row.
        count: How many; 0 for all.
    """
    stop = min(len(array), start + count) if count else len(array)
    for place in range(start, stop):
        yield f"[{place}]", array[place]
