# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A caller's arguments as a kernel's parameters: arrays bring extents and strides."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from cuda_tile.errors import UserError, add_note, expect
from cuda_tile.runtime.args import (
    Bound,
    PointerTable,
    array_args,
    bind_args,
    index_bits_at,
    list_args,
)
from cuda_tile.runtime.device_view import device_view
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.misfit import Spread, becomes, check_fit
from cuda_tile.runtime.number_text import array_kind


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
    return bind_named(kernel, parameter_types, args, stream)[0]


def bind_named(
    kernel: str, parameter_types: Sequence[str], args: Sequence[Any], stream: int = 0
) -> tuple[list[Bound], dict[int, str]]:
    """As `spread_args`, with what an error calls each parameter of a spread argument.

    Returns:
        The parameters, and by the number of one: `extent 0 of argument 1, f32[64,128]`.
        Empty where the arguments are the parameters.
    """
    values = [_value(arg, number, stream) for number, arg in enumerate(args)]
    if len(values) == len(parameter_types) and not any(
        isinstance(value, list) for value in values
    ):
        labels = [f"argument {number}" for number in range(len(values))]
        return bind_args(parameter_types, values, kernel, labels), {}
    spread: list[Spread] = []
    place = 0
    for number, value in enumerate(values):
        spread.append(_spread(value, number, index_bits_at(parameter_types, place)))
        place += len(spread[-1].parts)
    check_fit(kernel, parameter_types, spread)
    parts = [part for each in spread for part in each.parts]
    labels = [label for each in spread for label in each.labels]
    return bind_args(parameter_types, parts, kernel, labels), _names(spread)


def _names(spread: Sequence[Spread]) -> dict[int, str]:
    found: list[str] = []
    for each in spread:
        for label in each.labels:
            where, _, part = label.partition(", ")
            found.append(
                f"{part + ' of ' if part else ''}{where} that was passed, {each.kind}"
            )
    return dict(enumerate(found))


@contextmanager
def naming(names: Mapping[int, str]) -> Generator[None]:
    """Adds to an error raised inside a note on each argument of the kernel it names.

    Args:
        names: What `bind_named` calls the kernel's arguments.
    """
    try:
        yield
    except UserError as error:
        numbers = re.findall(r"(?:argument |_param_)(\d+)", error.message)
        for number in dict.fromkeys(map(int, numbers)):
            name = names.get(number, "")
            if name and not name.startswith(f"argument {number} "):
                add_note(error, f"argument {number} of the kernel is {name}")
        raise


def argument_list(args: object) -> list[Any]:
    """A caller's arguments as a list.

    Raises:
        UserError: They are none.
    """
    kind = Iterable if not isinstance(args, (str, bytes)) else list
    expect("args", args, kind, "a list of arrays and numbers")
    return list(cast("Iterable[Any]", args))


def host_args(args: object) -> list[Any]:
    """The arguments of a run that reads and writes arrays in host memory.

    Raises:
        UserError: They are no sequence, or an array is not NumPy's.
    """
    found = argument_list(args)
    for number, arg in enumerate(found):
        if not isinstance(arg, (np.ndarray, np.generic)) and hasattr(arg, "__dlpack__"):
            raise UserError(
                f"argument {number}: expected a NumPy array, got a "
                f"{type(arg).__name__}; numpy.from_dlpack(x) makes one of an array in "
                "host memory, without a copy; cuda_tile.launch takes arrays on a GPU"
            )
    return found


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


def _spread(value: Any, number: int, index_bits: int) -> Spread:
    where = f"argument {number}"
    try:
        if isinstance(value, list):
            arrays = cast(list[Array], value)
            parts = list_args(arrays, index_bits)
            kind = f"a list of {len(arrays)} arrays"
            labels = [where, f"{where}, length"]
            return Spread(where, kind, "table, length", parts, labels)
        if isinstance(value, np.ndarray) and not isinstance(value, PointerTable):
            return _spread_array(cast(Array, value), where, index_bits)
    except UserError as error:
        if error.message.startswith(where):
            raise
        raise UserError(f"{where}: {error.message}") from None
    return Spread(where, type(value).__name__, "1 parameter", [value], [where])


def _spread_array(array: Array, where: str, index_bits: int) -> Spread:
    rank = array.ndim
    return Spread(
        where,
        array_kind(array),
        becomes(rank),
        array_args(array, index_bits),
        [where]
        + [f"{where}, extent {axis}" for axis in range(rank)]
        + [f"{where}, stride {axis}" for axis in range(rank)],
    )
