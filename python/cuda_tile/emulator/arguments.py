# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launch arguments to the bytes of a kernel's parameters."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.memory.symbols import Symbols
from cuda_tile.emulator.ptx.syntax import Function, Variable
from cuda_tile.emulator.tensor.map import TensorMap
from cuda_tile.emulator.tensor.map_object import SIZE_BYTES, Tensor
from cuda_tile.exact.algebra import Algebra, algebra_of
from cuda_tile.runtime.memory import GlobalMemory

_WIDEST_BYTES = 16


def whole(value: object, what: str, least: int) -> int:
    """Returns a launch option that is an integer.

    Raises:
        LaunchError: It is none, or less than `least`.
    """
    if not isinstance(value, numbers.Integral) or value < least:
        raise LaunchError(f"expected {what} to be an integer >= {least}, got {value!r}")
    return int(value)


def elements(
    function: Function, args: Sequence[Any], numbers: str | Algebra
) -> Sequence[Any]:
    """The arguments; exact numbers as elements, in place in arrays."""
    algebra = algebra_of(numbers)
    if algebra is None:
        return args
    algebra.enter(arg.array for arg in args if isinstance(arg, TensorMap))
    typed = [
        param.type.dtype.type(arg)
        if isinstance(arg, float) and param.type.is_float
        else arg
        for param, arg in zip(function.params, args, strict=False)
    ]
    return algebra.enter(typed) + list(args[len(typed) :])


def global_memory(given: GlobalMemory | None) -> GlobalMemory:
    """The memory that a launch was given, or a new one."""
    if given is None:
        return GlobalMemory()
    if not isinstance(cast(object, given), GlobalMemory):
        got = type(given).__name__
        raise LaunchError(f"expected memory to be a GlobalMemory, got {got}")
    return given


def register_arrays(
    entry: Function,
    args: Sequence[Any],
    memory: GlobalMemory,
) -> list[Any]:
    """Registers array arguments in memory; returns them as addresses, the rest as is.

    Tensor maps are passed by value, or by address where the parameter is a pointer.

    Raises:
        LaunchError: Wrong number of arguments.
    """
    given = cast(object, args)
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise LaunchError(
            f"{entry.name}: expected a list of arguments, got {type(given).__name__}"
        )
    if len(args) != len(entry.params):
        wanted = ", ".join(f"{each.type} {each.name}" for each in entry.params)
        raise LaunchError(
            f"{entry.name}: expected {len(entry.params)} arguments, got {len(args)}; "
            f"its parameters are {wanted or 'none'}"
        )
    values: list[Any] = []
    for param, arg in zip(entry.params, args, strict=True):
        if isinstance(arg, TensorMap):
            memory.add(param.name, arg.array)
            values.append(_tensor_map(param, arg.tensor, memory))
        elif isinstance(arg, Tensor):
            values.append(_tensor_map(param, arg, memory))
        elif isinstance(arg, np.ndarray):
            array = cast(NDArray[Any], arg)
            if param.size_bytes != 8 or param.type.kind == "f":
                raise _mismatch(param, f"an array of {array.dtype}")
            if not array.dtype.isnative:
                raise LaunchError(
                    f"{param.name}: expected an array of this machine's byte order, "
                    f"got {array.dtype}"
                )
            if array.dtype.hasobject:  # a kernel would write over references
                raise LaunchError(
                    f"{param.name}: expected an array of plain data, got {array.dtype}"
                )
            values.append(np.uint64(memory.add(param.name, array)))
        else:
            values.append(arg)
    return values


def _tensor_map(
    param: Variable, tensor: Tensor, memory: GlobalMemory
) -> bytes | np.uint64:
    data = tensor.encode()
    if param.size_bytes == SIZE_BYTES:
        if param.align_bytes % 64:
            raise LaunchError(
                f"{param.name}: expected '.align 64' for a tensor map, got "
                f"{param.align_bytes}"
            )
        return data
    if param.size_bytes != 8:
        raise _mismatch(param, "a tensor map")
    address = np.uint64(memory.allocate(param.name, SIZE_BYTES, 128))
    octets = np.frombuffer(data, np.uint8).reshape(1, -1)
    memory.store(np.array([address], np.uint64), octets)
    return address


def pack(entry: Function, values: Sequence[Any], symbols: Symbols) -> NDArray[np.uint8]:
    """Returns the parameter bytes of the entry.

    Raises:
        LaunchError: A value does not fit its parameter.
    """
    data = np.zeros(symbols.param_bytes, np.uint8)
    for param, value in zip(entry.params, values, strict=True):
        start = symbols.address(param, param.line)
        octets = np.frombuffer(_bytes(param, value), np.uint8)
        data[start : start + len(octets)] = octets
    return data


def _bytes(param: Variable, value: Any) -> bytes:
    size = param.size_bytes
    if isinstance(value, (bytes, bytearray)) and len(value) == size:
        return bytes(value)
    if value is None and size == 8:  # a null pointer
        return bytes(8)
    if isinstance(value, np.generic):
        scalar = np.asarray(cast(Any, value))
        if scalar.nbytes == size and _same_kind(param, scalar):
            return scalar.tobytes()
        raise _mismatch(param, f"{scalar.dtype} {scalar}")
    if isinstance(value, (bool, numbers.Integral)) and _is_integer(param):
        number = int(value)
        if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
            raise _mismatch(param, str(number))
        return (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    if isinstance(value, numbers.Real) and param.type.kind == "f":
        return _float_bytes(param, value)
    hint = ""
    if isinstance(value, float) and _is_integer(param) and size in (2, 4, 8):
        hint = f"; pass np.float{8 * size}({value!r}) if its bits are meant"
    raise _mismatch(param, f"{type(value).__name__} {value!r}{hint}")


def _float_bytes(param: Variable, value: numbers.Real) -> bytes:
    try:
        with np.errstate(over="ignore"):  # too large is infinity
            return np.array(float(value), param.type.dtype).tobytes()
    except OverflowError:
        raise _mismatch(param, "an integer beyond every float") from None


def _is_integer(param: Variable) -> bool:
    """Whether a parameter is one integer, not an aggregate of bytes."""
    return param.type.kind in "bus" and param.size_bytes <= _WIDEST_BYTES


def _same_kind(param: Variable, value: NDArray[Any]) -> bool:
    """A float number must not go to an integer parameter, nor the other way round."""
    is_float = value.dtype.kind not in "iub"
    if param.type.kind == "f":
        return is_float
    return param.type.kind == "b" or not is_float or param.type.name.startswith("u")


def _mismatch(param: Variable, got: str) -> LaunchError:
    shape = (
        f"{param.type}"
        if param.size_bytes == param.type.bytes
        else (f"{param.size_bytes} bytes")
    )
    hint = ", a tensor map perhaps" if param.size_bytes == SIZE_BYTES else ""
    return LaunchError(f"{param.name}: expected a value of {shape}{hint}, got {got}")
