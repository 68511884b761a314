# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the parameters that cuTile passes to a driver, to the arguments of an executor.

cuTile passes an array as pointer, shape and strides (in elements, 32 or 64 bits each),
a list of arrays as pointer to a table in memory and length, a scalar as itself, a tuple
as its members, and a constant not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from cuda_tile.cutile.dlpack import DeviceArray, view
from cuda_tile.errors import UserError
from cuda_tile.runtime.args import (
    Bound,
    PointerTable,
    array_args,
    index_bits_at,
    list_args,
)
from cuda_tile.runtime.elements import Array, Element, element
from cuda_tile.runtime.number_text import array_kind


def members(args: Sequence[Any]) -> Iterator[Any]:
    """The arguments, with the members of tuples in their place."""
    for arg in args:
        if isinstance(arg, tuple):
            yield from members(cast(Sequence[Any], arg))
        else:
            yield arg


def _arrays(args: Sequence[Any]) -> Iterator[DeviceArray | list[DeviceArray]]:
    """What becomes a pointer, in order: arrays and lists of arrays."""
    for arg in members(args):
        if isinstance(arg, DeviceArray):
            yield arg
        elif isinstance(arg, list):
            yield list(members(cast(list[DeviceArray], arg)))


def labels(
    types: Sequence[str], args: Sequence[Any], names: Sequence[str]
) -> dict[int, str]:
    """What the arrays behind the pointers among the entry's parameters are called.

    Args:
        types: The entry's parameters, as the dialect prints them.
        args: The launch's own arguments, converted.
        names: The names of the parameters of the kernel's function.
    """
    found = list(_called(args, [f"'{name}'" for name in names]))
    places = [place for place, name in enumerate(types) if name.startswith("ptr<")]
    return dict(zip(places, found, strict=False))


def _called(args: Sequence[Any], names: Sequence[str]) -> Iterator[str]:
    for arg, name in zip(args, names, strict=False):
        if isinstance(arg, DeviceArray):
            yield f"{name}, {array_kind(arg.array)}"
        elif isinstance(arg, tuple):
            inner = cast(Sequence[Any], arg)
            yield from _called(inner, [f"{name}[{i}]" for i in range(len(inner))])
        elif isinstance(arg, list):
            yield f"{name}, a list of {len(cast(list[Any], arg))} arrays"


def in_memory(array: Array, pointee: Element) -> Array:
    """The array with the element type of a pointer, where only the name differs."""
    wanted = pointee.array_dtype
    if array.dtype != wanted and array.dtype.itemsize == wanted.itemsize:
        return array.view(wanted)
    return array


def from_parameters(
    types: Sequence[str], addresses: Sequence[int], args: Sequence[Any], kernel: str
) -> list[Bound]:
    """The executor's arguments for a launch that reached the driver.

    Args:
        types: The entry's parameters, as the dialect prints them.
        addresses: Where the driver finds the value of each.
        args: The launch's own arguments, converted; they say how far each pointer goes.
        kernel: Name for messages.

    Raises:
        UserError: A pointer is none of the arguments'.
    """
    arrays = _arrays(args)
    bound: list[Bound] = []
    for place, name in enumerate(types):
        kind = element(name)
        value = view(addresses[place], (), (), kind.dtype)[()]
        if kind.pointee is None:
            bound.append(value)
            continue
        given = next(arrays, None)
        address = int(value)
        if given is None:
            raise UserError(
                f"{kernel}: parameter {place} ({name}) is address {address:#x}, which "
                "no argument of the launch has; launch the kernel by ct.launch"
            )
        if isinstance(given, DeviceArray):
            bound.append(in_memory(given.array, kind.pointee))
        else:
            bound.append(_table(address, [item.array for item in given]))
        _check_address(kernel, place, address, bound[-1])
    return bound


def _table(address: int, arrays: list[Array]) -> PointerTable:
    """The table that cuTile wrote, as an array in place."""
    step = 1 + 2 * arrays[0].ndim if arrays else 1
    words = view(address, (step * len(arrays),), (8,), np.dtype(np.int64))
    table = words.view(PointerTable)
    table.targets = arrays
    table.words_per_array = step
    return table


def _check_address(kernel: str, place: int, address: int, array: Any) -> None:
    if array.size and array.__array_interface__["data"][0] != address:
        raise UserError(
            f"{kernel}: expected the address of an argument in parameter {place}, "
            f"got {address:#x}; launch the kernel by ct.launch"
        )


def flattened(types: Sequence[str], args: Sequence[Any], kernel: str) -> list[Any]:
    """The entry's parameters for arguments that reach no driver.

    Args:
        types: The entry's parameters, as the dialect prints them.
        args: The arguments, converted, without constants.
        kernel: Name for messages.

    Raises:
        UserError: There are too few or too many; the message says what each becomes.
    """
    flat: list[Any] = []
    for arg in members(args):
        place = len(flat)
        if isinstance(arg, DeviceArray):
            pointee = element(types[place]).pointee if place < len(types) else None
            array = in_memory(arg.array, pointee) if pointee else arg.array
            flat.extend(array_args(array, index_bits_at(types, place)))
        elif isinstance(arg, list):
            items = cast(list[DeviceArray], arg)
            flat.extend(list_args([item.array for item in items], 64))
        else:
            flat.append(arg)
    if len(flat) != len(types):
        raise UserError(_count_text(types, args, len(flat), kernel))
    return flat


def _count_text(
    types: Sequence[str], args: Sequence[Any], got: int, kernel: str
) -> str:
    become = "; ".join(
        f"argument {place}: {_becomes(arg)}" for place, arg in enumerate(members(args))
    )
    return (
        f"{kernel}: expected {len(types)} parameters ({', '.join(types)}), got {got} "
        f"({become or 'no arguments'})"
    )


def _becomes(arg: Any) -> str:
    if isinstance(arg, DeviceArray):
        rank = arg.array.ndim
        what = f"pointer, {rank} extents, {rank} strides"
        return f"{array_kind(arg.array)} becomes {what}"
    if isinstance(arg, list):
        return f"a list of {len(cast(list[Any], arg))} becomes table, length"
    return f"{arg!r} becomes a number"
