# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses kernel arguments of a command line.

Grammar of one argument:

    ARG    := NUMBER | SOURCE | "out:" FILE ".npy:" (SOURCE | TYPED | TABLE) | TABLE
    TABLE  := "table:" FILE ".npy"              a list of arrays, as cuTile passes it
    NUMBER := 3 | -1 | 0x1f | 1.5 | 1e-3 | inf | nan | true | false
    SOURCE := FILE ".npy" [":" TYPE]            the file's array; TYPE names raw bits
            | "zeros:" TYPED | "ones:" TYPED    every element 0 or 1
            | "arange:" TYPED                   0, 1, 2, ... in row-major order
            | "randn:" TYPED ["," SEED]         standard normal; integers: 4 times it
    TYPED  := TYPE "[" SIZE {"," SIZE} "]"      such as f16[64,64]
    TYPE   := i1 i8 i16 i32 i64 f16 bf16 f32 f64 tf32 f8E4M3FN f8E5M2
             | f8E8M0FNU

An `out:` array is saved to its file after the run; `out:FILE.npy:TYPED` starts with
zeros. Files that are read are never changed.

`table:T.npy` stands for the pointer to a table; the list's length is an argument of its
own. The file has a row of 64-bit words for each array: 0, extents, strides in elements;
the elements of array K are in `T.K.npy`. With `out:R.npy:` they are saved to `R.K.npy`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.args import PointerTable
from cuda_tile.runtime.elements import Array, Element, element

ALIGNMENT_BYTES = 256
"""Minimum alignment of device allocations (CUDA C++ Programming Guide, "Device Memory
Accesses")."""
FORMS = ("zeros", "ones", "arange", "randn")
_TYPED = re.compile(r"(?P<type>\w+)\[(?P<sizes>\d+(?:,\d+)*)?\]")
_EXPECTED = (
    "expected a number, FILE.npy, zeros:, ones:, arange: or randn: with TYPE[SIZES], "
    "table:FILE.npy, or out:FILE.npy:TYPE[SIZES]"
)


@dataclass(frozen=True, slots=True)
class ParsedArg:
    """One argument of a command line.

    Attributes:
        value: A number, or an array, which the kernel may modify.
        save_path: File to save the array to after the run, or None.
    """

    value: Array | int | float | bool
    save_path: Path | None = None

    @property
    def saved(self) -> list[tuple[Path, Array]]:
        """The arrays to save after the run, and where."""
        if self.save_path is None:
            return []
        if isinstance(self.value, PointerTable):
            targets = enumerate(self.value.targets)
            return [(member_path(self.save_path, n), array) for n, array in targets]
        return [(self.save_path, np.asarray(self.value))]


def member_path(table: Path, number: int) -> Path:
    """The file of an array of a list, beside the file of the table."""
    return table.with_name(f"{table.stem}.{number}.npy")


def parse_arg(text: str, folder: Path = Path()) -> ParsedArg:
    """Parses one argument; the grammar is in the docstring of this module.

    Args:
        text: The argument.
        folder: Where its files are.

    Raises:
        UserError: The text does not match the grammar, or a file cannot be read.
    """
    if text.startswith("out:"):
        path, separator, source = text.removeprefix("out:").partition(".npy:")
        if not separator or not path:
            raise UserError(f"expected out:FILE.npy:TYPE[SIZES], got '{text}'")
        typed = _TYPED.fullmatch(source)
        array = _make("zeros", source, text) if typed else _source(source, text, folder)
        if array is None:
            raise UserError(f"{_EXPECTED}, got '{text}'")
        return ParsedArg(array, Path(path + ".npy"))
    array = _source(text, text, folder)
    return ParsedArg(_number(text) if array is None else array)


def _source(text: str, whole: str, folder: Path) -> Array | None:
    """The array that `text` describes, or None if it does not describe one."""
    form, separator, rest = text.partition(":")
    if separator and form == "table":
        return _load_table(folder / rest)
    if separator and form in FORMS:
        return _make(form, rest, whole)
    path, separator, type_name = text.partition(".npy")
    if not separator or (type_name and not type_name.startswith(":")):
        return None
    return _load(folder / f"{path}.npy", type_name.removeprefix(":"))


def _load(path: Path, type_name: str) -> Array:
    try:
        array: Array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror or error}") from error
    except (EOFError, ValueError) as error:
        raise UserError(f"cannot read '{path}': {error}") from error
    if array.flags.c_contiguous:
        array = _aligned(array)
    if not type_name:
        if array.dtype.kind == "V":
            raise UserError(
                f"'{path}' holds raw {array.dtype.itemsize}-byte elements without a "
                f"type; write {path}:TYPE, for example {path}:bf16"
            )
        return array
    dtype = _listed(type_name, str(path)).dtype
    if dtype.itemsize != array.dtype.itemsize:
        raise UserError(
            f"'{path}': expected elements of {dtype.itemsize} bytes for {type_name}, "
            f"got {array.dtype}"
        )
    return array.view(dtype)


def _load_table(path: Path) -> PointerTable:
    """A table of arrays that were saved beside it."""
    rows = _load(path, "")
    if rows.ndim != 2 or rows.dtype != np.int64 or rows.shape[1] % 2 != 1:
        raise UserError(
            f"'{path}': expected a table, int64[arrays, 1 + 2 * rank], got "
            f"{rows.dtype}{list(rows.shape)}"
        )
    targets = [_load_raw(member_path(path, number)) for number in range(len(rows))]
    rows[:, 0] = [target.ctypes.data for target in targets]
    table = rows.reshape(-1).view(PointerTable)
    table.targets, table.words_per_array = targets, rows.shape[1]
    return table


def _load_raw(path: Path) -> Array:
    """The elements of a file; those of types that NumPy lacks as unsigned integers."""
    try:
        is_raw = np.load(path, mmap_mode="r").dtype.kind == "V"
    except (OSError, EOFError, ValueError):
        is_raw = False  # which _load reports
    if not is_raw:
        return _load(path, "")
    array: Array = np.load(path)
    return _aligned(array.view(f"u{array.itemsize}"))


def _make(form: str, text: str, whole: str) -> Array:
    """Makes an array as `_filled` does.

    Raises:
        UserError: It does not fit in memory.
    """
    try:
        return _filled(form, text, whole)
    except (MemoryError, ValueError) as error:  # NumPy's "array is too big"
        raise UserError(f"'{whole}': expected an array that fits in memory") from error


def _filled(form: str, text: str, whole: str) -> Array:
    """A fresh array from `TYPE[SIZES]`, or from `TYPE[SIZES],SEED` for randn."""
    typed, _, seed_text = text.partition("],")
    match = _TYPED.fullmatch(typed + "]" if seed_text else typed)
    if match is None or (seed_text and (form != "randn" or not seed_text.isdigit())):
        seed = "[,SEED]" if form == "randn" else ""
        raise UserError(f"expected {form}:TYPE[SIZES]{seed}, got '{whole}'")
    kind = _listed(match["type"], whole)
    sizes = match["sizes"]
    shape = tuple(int(size) for size in sizes.split(",")) if sizes else ()
    if form == "zeros":
        values: Array = np.zeros(shape)
    elif form == "ones":
        values = np.ones(shape)
    elif form == "arange":
        values = np.arange(int(np.prod(shape))).reshape(shape)
    else:
        generator = np.random.default_rng(int(seed_text or 0))
        values = np.asarray(generator.standard_normal(shape))
        if kind.kind == "int":
            values = np.rint(4 * values)
    with np.errstate(over="ignore"):
        if kind.kind == "int":  # through int64, so that a long arange wraps around
            values = values.astype(np.int64)
        return _aligned(np.asarray(values.astype(kind.dtype)))


def _listed(name: str, whole: str) -> Element:
    """An element type of which NumPy arrays can hold single elements."""
    kind = element(name)
    if kind.array_dtype != kind.dtype:
        raise UserError(
            f"'{whole}': NumPy has no elements of type {name}; pass their bytes as i8"
        )
    return kind


def _aligned(values: Array) -> Array:
    """A copy whose first element is aligned like a device allocation."""
    raw = np.zeros(values.nbytes + ALIGNMENT_BYTES, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT_BYTES
    array: Array = np.ndarray(values.shape, values.dtype, raw.data, offset=start)
    array[...] = values
    return array


def _number(text: str) -> int | float | bool:
    words: dict[str, Any] = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for read in (lambda: int(text, 0), lambda: float(text)):
        try:
            return read()
        except ValueError:
            continue
    raise UserError(f"{_EXPECTED}, got '{text}'")
