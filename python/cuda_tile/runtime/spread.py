# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A caller's arguments as a kernel's parameters: arrays bring extents and strides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.args import (
    Argument,
    Bound,
    PointerTable,
    array_args,
    bind_args,
    list_args,
)
from cuda_tile.runtime.device_view import device_view
from cuda_tile.runtime.elements import Array, element


@dataclass(frozen=True)
class _Spread:
    """One argument as parameters.

    Attributes:
        text: How messages name it: `argument 1: float16[128,64]`.
        becomes: What it becomes, in words.
        parts: The parameters.
        labels: How messages name each.
    """

    text: str
    becomes: str
    parts: list[Argument]
    labels: list[str]


def spread_args(
    kernel: str, parameter_types: Sequence[str], args: Sequence[Any], stream: int = 0
) -> list[Bound]:
    """The parameters that a kernel gets for a caller's arguments.

    Where there are as many arguments as parameters, they are the parameters. Else each
    array becomes a pointer, its extents, and its strides in elements, and each list of
    arrays a table in memory and its length, as cuTile passes them.

    Args:
        kernel: Name of the kernel, for messages.
        parameter_types: Types as the dialect prints them: `ptr<f16>`, `i32`.
        args: Numbers, None, NumPy arrays, arrays of other libraries in GPU memory (see
            `device_view`), lists of arrays.
        stream: Handle of the stream that the kernel will run on.

    Returns:
        Checked parameters, as `bind_args`; arrays in GPU memory are `DeviceView`s.

    Raises:
        UserError: An argument is none of these, or does not fit.
    """
    values = [_value(arg, number, stream) for number, arg in enumerate(args)]
    if len(values) == len(parameter_types) and not any(
        isinstance(value, list) for value in values
    ):
        labels = [f"argument {number}" for number in range(len(values))]
        return bind_args(parameter_types, values, kernel, labels)
    spread: list[_Spread] = []
    place = 0
    for number, value in enumerate(values):
        is_wide = list(parameter_types[place + 1 : place + 2]) == ["i64"]
        spread.append(_spread(value, number, 64 if is_wide else 32))
        place += len(spread[-1].parts)
    _check_count(kernel, parameter_types, spread)
    parts = [part for each in spread for part in each.parts]
    labels = [label for each in spread for label in each.labels]
    return bind_args(parameter_types, parts, kernel, labels)


def _value(arg: Any, number: int, stream: int) -> Any:
    """An argument with arrays of other libraries as `DeviceView`s."""
    where = f"argument {number}"
    if isinstance(arg, (list, tuple)):
        items = [_value(item, number, stream) for item in cast(list[Any], arg)]
        if not all(isinstance(item, np.ndarray) for item in items):
            raise UserError(f"{where}: expected a list of arrays only, got {arg!r:.80}")
        return items
    view = device_view(arg, where, stream)
    known = (np.ndarray, np.generic, int, float, type(None))
    if view is None and not isinstance(arg, known):
        raise UserError(
            f"{where}: expected a number, None, a NumPy array, an array in GPU memory "
            "with __dlpack__ or __cuda_array_interface__, or a list of arrays, got a "
            f"{type(arg).__name__}"
        )
    return cast(Any, arg) if view is None else view


def _spread(value: Any, number: int, index_bits: int) -> _Spread:
    where = f"argument {number}"
    try:
        if isinstance(value, list):
            arrays = cast(list[Array], value)
            parts = list_args(arrays, index_bits)
            text = f"{where}: a list of {len(arrays)} arrays"
            return _Spread(text, "table, length", parts, [where, f"{where}, length"])
        if isinstance(value, np.ndarray) and not isinstance(value, PointerTable):
            return _spread_array(cast(Array, value), where, index_bits)
    except UserError as error:
        if error.message.startswith(where):
            raise
        raise UserError(f"{where}: {error.message}") from None
    name = type(value).__name__
    return _Spread(f"{where}: {name}", "1 parameter", [value], [where])


def _spread_array(array: Array, where: str, index_bits: int) -> _Spread:
    rank = array.ndim
    ending = "" if rank == 1 else "s"
    return _Spread(
        f"{where}: {array.dtype}[{','.join(map(str, array.shape))}]",
        f"pointer, {rank} extent{ending}, {rank} stride{ending}",
        array_args(array, index_bits),
        [where]
        + [f"{where}, extent {axis}" for axis in range(rank)]
        + [f"{where}, stride {axis}" for axis in range(rank)],
    )


def _check_count(
    kernel: str, parameter_types: Sequence[str], spread: Sequence[_Spread]
) -> None:
    """Refuses another number of parameters, by the argument that is likely wrong."""
    count = sum(len(each.parts) for each in spread)
    if count == len(parameter_types):
        return
    ending = "" if len(spread) == 1 else "s"
    said = (
        f"expected {len(parameter_types)} parameters, got {count} of {len(spread)} "
        f"argument{ending}"
    )
    place = 0
    for each in spread:
        kinds = parameter_types[place : place + len(each.parts)]
        place += len(each.parts)
        if not _may_fit(each, kinds):
            raise UserError(f"{kernel}: {each.text} becomes {each.becomes}; {said}")
    last = f"{spread[-1].text} becomes {spread[-1].becomes}; " if spread else ""
    raise UserError(
        f"{kernel}: {last}{said}; parameter {place}, a {parameter_types[place]}, and "
        "what is behind it are missing"
    )


def _may_fit(each: _Spread, kinds: Sequence[str]) -> bool:
    """Whether pointers stand where parameters are pointers."""
    return len(kinds) == len(each.parts) and all(
        (element(kind).pointee is not None)
        == (part is None or isinstance(part, np.ndarray))
        for kind, part in zip(kinds, each.parts, strict=True)
    )
