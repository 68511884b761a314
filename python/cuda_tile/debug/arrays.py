# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arrays of a launch, and the bytes of their elements: `c[3, 5]`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

import numpy as np

from cuda_tile.debug.expression import evaluate
from cuda_tile.errors import UserError
from cuda_tile.runtime.elements import Array


def element_bytes(arrays: Mapping[str, Array], text: str) -> tuple[int, int]:
    """The first byte of an element, and the one after its last.

    Args:
        arrays: The launch's arrays by name.
        text: Such as `c[3, 5]`.

    Raises:
        UserError: There is no such array or element.
    """
    name, node = _parsed(text)
    if name not in arrays:
        known = ", ".join(arrays) or "none"
        raise UserError(f"expected an array of the launch ({known}), got '{name}'")
    array = arrays[name]
    places = _places(text, node, array)
    start = int(array.__array_interface__["data"][0]) + sum(
        (place % size) * stride
        for place, size, stride in zip(places, array.shape, array.strides, strict=True)
    )
    return start, start + array.itemsize


def element_at(arrays: Mapping[str, Array], address: int) -> str | None:
    """What an address is called, as `c[3, 5]`; None outside of all arrays."""
    for name, array in arrays.items():
        place = address - int(array.__array_interface__["data"][0])
        if array.flags.c_contiguous and 0 <= place < array.nbytes:
            index = np.unravel_index(place // array.itemsize, array.shape)
            return f"{name}[{', '.join(map(str, index))}]"
    return None


def _parsed(text: str) -> tuple[str, ast.expr]:
    """The name and the index."""
    try:
        node = ast.parse(text.replace("%", "").strip(), mode="eval").body
    except SyntaxError:
        node = None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id, node.slice
    raise UserError(f"expected an element such as c[3, 5], got '{text}'")


def _places(text: str, node: ast.expr, array: Array) -> tuple[int, ...]:
    """The index per axis, inside the array."""
    index = evaluate(ast.unparse(node), {})
    found = cast("tuple[object, ...]", index if isinstance(index, tuple) else (index,))
    places = tuple(place for place in found if isinstance(place, int))
    if len(places) != len(found) or len(places) != array.ndim:
        raise UserError(
            f"expected a whole number per axis of an array with {array.ndim}, got "
            f"'{text}'"
        )
    if not all(-n <= i < n for i, n in zip(places, array.shape, strict=True)):
        raise UserError(f"expected an index inside {list(array.shape)}, got '{text}'")
    return places


def arrays_of(names: Mapping[int, str], args: Mapping[int, object]) -> dict[str, Array]:
    """The arrays among arguments by name, without the `%` of SSA names.

    Args:
        names: The names by slot.
        args: The arguments by slot.
    """
    return {
        names[slot].removeprefix("%"): cast(Array, value)
        for slot, value in args.items()
        if isinstance(value, np.ndarray)
    }
