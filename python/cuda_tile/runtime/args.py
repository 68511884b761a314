# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel arguments: NumPy arrays and numbers, passed as cuTile passes them.

A NumPy array is passed as a pointer to its first element and modified in place;
nothing is copied, not even for strided views. The functions here check arguments
against the parameters of an entry, independently of the executor.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from cuda_tile.errors import UserError, expect
from cuda_tile.runtime.elements import Array, Element, element

Argument: TypeAlias = Array | np.generic | int | float | None
"""An argument of the caller: an array, None (the null pointer) or a number."""

Bound: TypeAlias = Array | np.generic | None
"""A checked argument: an array for a pointer, else a scalar of the exact type."""


class PointerTable(np.ndarray[Any, np.dtype[np.int64]]):
    """Table of arrays in memory, cuTile's list-of-arrays parameter.

    Per array `1 + 2 * rank` words of 64 bits: address of its first element, then its
    shape, then its strides in elements.

    Attributes:
        targets: The arrays whose addresses are in the table, in order.
        words_per_array: Words between two addresses.
    """

    targets: list[Array]
    words_per_array: int

    def __array_finalize__(self, obj: object) -> None:
        self.targets = getattr(obj, "targets", [])
        self.words_per_array = getattr(obj, "words_per_array", 0)


class Multicast(np.ndarray[Any, np.dtype[Any]]):
    """An array that represents multicast memory: replicas in several memories.

    Attributes:
        targets: The replicas, one contiguous array per GPU, of this array's shape.

    Example:
        >>> replicas = [np.zeros(8, np.float32) for _ in range(2)]
        >>> a = Multicast.over(replicas)
    """

    targets: list[Array]

    @staticmethod
    def over(replicas: Sequence[Array]) -> Multicast:
        """The array to pass to a kernel; its own contents are not used.

        Raises:
            UserError: There is no replica, or they differ in shape, type or order.
        """
        if not replicas or any(
            replica.shape != replicas[0].shape
            or replica.dtype != replicas[0].dtype
            or not replica.flags.c_contiguous
            for replica in replicas
        ):
            raise UserError(
                "expected at least one replica, all contiguous and of one shape and "
                f"type, got {[f'{r.dtype}{list(r.shape)}' for r in replicas]}"
            )
        array = np.zeros_like(replicas[0]).view(Multicast)
        array.targets = list(replicas)
        return array

    def __array_finalize__(self, obj: object) -> None:
        self.targets = getattr(obj, "targets", [])


def _index_type(index_bits: int) -> type[np.int32] | type[np.int64]:
    expect("index_bits", index_bits, int, "32 or 64")
    if index_bits not in (32, 64):
        raise UserError(f"expected index_bits to be 32 or 64, got {index_bits}")
    return np.int32 if index_bits == 32 else np.int64


def _strides_in_elements(array: Array) -> list[int]:
    """Strides of `array`, major to minor, in elements."""
    strides: list[int] = []
    for axis, stride_bytes in enumerate(array.strides):
        if stride_bytes < 0 or stride_bytes % array.itemsize:
            raise UserError(
                f"expected strides that are multiples of the {array.itemsize}-byte "
                f"element and not negative, got {stride_bytes} along axis "
                f"{axis}; pass a copy of the array"
            )
        strides.append(stride_bytes // array.itemsize)
    return strides


def index_bits_at(parameter_types: Sequence[str], place: int) -> int:
    """Width of the extents and strides of an array whose pointer is parameter `place`.

    Args:
        parameter_types: Types as the dialect prints them.
        place: Number of the parameter.
    """
    return 64 if list(parameter_types[place + 1 : place + 2]) == ["i64"] else 32


def array_args(array: Array, index_bits: int = 32) -> list[Argument]:
    """One array as cuTile passes it: pointer, shape, strides in elements.

    Args:
        array: Any array, contiguous or a strided view.
        index_bits: Width of the shape and stride parameters, 32 or 64.

    Returns:
        `[array, *shape, *strides]`, numbers as `np.int32` or `np.int64`.

    Raises:
        UserError: A size or stride is too large, negative, or not a whole number of
            elements.
    """
    expect("array", array, np.ndarray, "a NumPy array")
    index_type = _index_type(index_bits)
    numbers = [*array.shape, *_strides_in_elements(array)]
    largest = int(np.iinfo(index_type).max)
    for number in numbers:
        if number > largest:
            raise UserError(
                f"expected sizes and strides up to {largest} for {index_bits}-bit "
                f"indices, got {number}; pass index_bits=64 and a kernel built for it"
            )
    return [array, *(index_type(number) for number in numbers)]


def list_args(arrays: Sequence[Array], index_bits: int = 32) -> list[Argument]:
    """A list of arrays of one rank as cuTile passes it: table in memory, length.

    Args:
        arrays: At least one array; all of one rank and element type.
        index_bits: As for `array_args`, for checks only; table words have 64 bits.

    Returns:
        `[table, np.int32(len(arrays))]`.

    Raises:
        UserError: The list is empty, or its arrays differ in rank or element type.
    """
    expect("arrays", arrays, (list, tuple), "a list of NumPy arrays")
    for array in arrays:
        expect("arrays", array, np.ndarray, "a list of NumPy arrays")
    if not arrays:
        raise UserError("expected at least one array in a list of arrays, got none")
    first = arrays[0]
    rows: list[list[int]] = []
    for position, array in enumerate(arrays):
        if array.ndim != first.ndim or array.dtype != first.dtype:
            raise UserError(
                f"expected arrays of one rank and type in a list, got {first.ndim}-D "
                f"{first.dtype} at 0 and {array.ndim}-D {array.dtype} at {position}"
            )
        numbers = cast(list[np.int64], array_args(array, index_bits)[1:])
        rows.append([array.ctypes.data, *(int(number) for number in numbers)])
    words = np.array(rows, dtype=np.uint64).astype(np.int64).reshape(-1)
    table = words.view(PointerTable)
    table.targets = list(arrays)
    table.words_per_array = 1 + 2 * first.ndim
    return [table, np.int32(len(arrays))]


def bind_args(
    parameter_types: Sequence[str],
    args: Sequence[Argument],
    kernel: str = "kernel",
    labels: Sequence[str] | None = None,
) -> list[Bound]:
    """Checks arguments against an entry's parameters.

    Args:
        parameter_types: Types as the dialect prints them: `ptr<f16>`, `i32`, `f32`.
        args: One argument per parameter, in order.
        kernel: Name of the entry, for messages.
        labels: How messages name each argument; by default by its parameter.

    Returns:
        Arrays unchanged (None for a null pointer), numbers as NumPy scalars of the
        parameter's exact type; integers are signed.

    Raises:
        UserError: The count, an element type or a range is wrong.
    """
    if len(args) != len(parameter_types):
        raise UserError(
            f"{kernel}: expected {len(parameter_types)} arguments "
            f"({', '.join(parameter_types)}), got {len(args)}"
        )
    bound: list[Bound] = []
    for index, (name, arg) in enumerate(zip(parameter_types, args, strict=True)):
        where = f"{kernel}: {labels[index] if labels else f'parameter {index}'}"
        kind = element(name)
        if kind.pointee is not None:
            bound.append(_bind_pointer(kind.pointee, arg, where))
        elif kind.kind == "int":
            bound.append(_bind_integer(kind, arg, where))
        else:
            bound.append(_bind_float(kind, arg, where))
    return bound


def _describe(arg: object) -> str:
    if isinstance(arg, np.ndarray):
        array = cast(Array, arg)
        return f"an array of {array.dtype} with shape {array.shape}"
    return f"{reprlib.repr(arg)} of type {type(arg).__name__}"


def _bind_pointer(pointee: Element, arg: Argument, where: str) -> Array | None:
    if arg is None:
        return None
    if not isinstance(arg, np.ndarray):
        raise UserError(
            f"{where}: expected an array of {pointee} for ptr<{pointee}>, "
            f"got {_describe(arg)}"
        )
    wanted = pointee.array_dtype
    same = arg.dtype == wanted
    # Integers are signless, and so are raw bytes: unsigned arrays are accepted.
    if (pointee.kind == "int" and pointee.bits > 1) or wanted != pointee.dtype:
        same = arg.dtype.kind in "iu" and arg.dtype.itemsize == wanted.itemsize
    if not same or not arg.dtype.isnative:
        raise UserError(
            f"{where}: expected an array of {pointee} (NumPy {wanted}) for "
            f"ptr<{pointee}>, got {_describe(arg)}"
        )
    return arg


def _bind_integer(kind: Element, arg: Argument, where: str) -> np.generic:
    if not isinstance(arg, (int, np.integer, np.bool_)):
        raise UserError(
            f"{where}: expected an integer for {kind}, got {_describe(arg)}"
        )
    value = int(cast(int, arg))
    lowest, highest = -(1 << kind.bits - 1), (1 << kind.bits) - 1
    if not lowest <= value <= highest:
        raise UserError(
            f"{where}: expected an integer from {lowest} to {highest} for {kind}, "
            f"got {value}"
        )
    if kind.bits == 1:
        return np.bool_(value & 1)
    if value > highest >> 1:
        value -= 1 << kind.bits
    return kind.dtype.type(value)


def _bind_float(kind: Element, arg: Argument, where: str) -> np.generic:
    if isinstance(arg, np.ndarray) or arg is None:
        raise UserError(f"{where}: expected a number for {kind}, got {_describe(arg)}")
    if isinstance(arg, np.generic) and arg.dtype == kind.dtype:
        return arg
    try:
        value = float(arg)
    except (TypeError, ValueError):
        raise UserError(
            f"{where}: expected a number for {kind}, got {_describe(arg)}"
        ) from None
    with np.errstate(over="ignore"):
        return cast(np.generic, np.asarray(value).astype(kind.dtype)[()])
