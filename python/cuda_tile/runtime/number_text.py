# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of arrays as text for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cuda_tile.runtime.elements import Array


def number_text(value: Any) -> str:
    """A number: whole, or with six digits."""
    if np.asarray(value).dtype.kind in "biu":
        return str(int(value))
    return f"{float(value):.6g}"


def address_text(value: Any) -> str:
    """An element of a tile: a number, or an address in hexadecimal."""
    if np.asarray(value).dtype == np.uint64:
        return f"{int(value):#x}"
    return number_text(value)


def first_elements(
    array: Array, count: int, text: Callable[[Any], str] = number_text
) -> str:
    """The first elements of an array, and whether there are more.

    Args:
        array: Of any shape.
        count: How many to show.
        text: What an element is as text.
    """
    flat = array.reshape(-1)
    more = " ..." if flat.size > count else ""
    return f"{' '.join(map(text, flat[:count]))}{more}"


def array_kind(array: Array) -> str:
    """`float32[16,16]`."""
    return f"{array.dtype}[{','.join(map(str, array.shape))}]"
