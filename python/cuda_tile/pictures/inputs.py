# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments to run a kernel with where the user gives none.

What the views of a kernel say of its parameters (this one is a pointer, those are its
extents and strides, and tiles have this shape) is enough to make arrays that are a tile
large, and a few tiles in the dimensions that a loop or a loaded number walks. Other
integers are guesses, and a wrong one shows: the emulator refuses an access outside the
arrays.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType, TensorViewType
from cuda_tile.analysis.open_loads import parameter_behind
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import ACCESSES, VIEW_ACCESSES
from cuda_tile.ir.walk import (
    body,
    defining_op,
    enclosing_ops,
    entry_name,
    nested_ops,
    segments,
)
from cuda_tile.runtime.arg_text import parse_arg
from cuda_tile.runtime.elements import Array, element
from cuda_tile.runtime.spread import spread_args

TILES_WALKED = 4
"""Tiles of a dimension that a loop walks: enough for rings to go round."""
FEWEST_WALKED = 2
"""Elements of such a dimension of which a tile has one: each is a tile's other work."""
LONE_ELEMENTS = 1 << 16
"""Elements of an array of which no view tells the extent."""
LONE_INTEGER = 64
MOST_BYTES = 1 << 28
DRAWN_ELEMENTS = 1 << 16
"""Larger arrays repeat these random numbers: drawing many takes longer than the run."""
_SEED = 1
_DIVISOR = re.compile(r"div_by<(\d+)")


@dataclass(frozen=True)
class Inputs:
    """What a kernel is run with.

    Attributes:
        grid: Tile blocks along x, y, z.
        args: One value per parameter.
        text: The same in words.
        is_generated: Whether nobody chose them.
    """

    grid: tuple[int, int, int]
    args: list[Any]
    text: str
    is_generated: bool


def read_inputs(text: str, entry: ir.Operation, flag: str = "--report-run") -> Inputs:
    """The inputs that a user wrote: the grid, then arguments as `cuda-tile-run` has.

    Or the folder of a recorded launch, or of several, whose first one of the kernel it
    is then.

    Args:
        text: The inputs.
        entry: The kernel.
        flag: What the command calls them.

    Raises:
        UserError: The text is none, or does not fit the kernel.
    """
    if Path(text).is_dir():
        return _read_recorded(Path(text), entry)
    words = shlex.split(text)
    if not words or not re.fullmatch(r"\d+(,\d+){0,2}", words[0]):
        raise UserError(
            f"expected {flag} with a grid and arguments, such as '4,4 "
            f"randn:f16[64,64] zeros:f16[64,64]', got '{text}'"
        )
    x, y, z = ([int(part) for part in words[0].split(",")] + [1, 1])[:3]
    values = [parse_arg(word).value for word in words[1:]]
    args = spread_args(entry_name(entry), parameter_types(entry), values)
    return Inputs((x, y, z), list(args), " ".join(words[1:]), is_generated=False)


def _read_recorded(folder: Path, entry: ir.Operation) -> Inputs:
    """What a cuTile program passed to a kernel, see `cutile.recorder`.

    Raises:
        UserError: The folder has no launch of the kernel, or files are missing.
    """
    for file in sorted((*folder.glob("launch.json"), *folder.glob("*/launch.json"))):
        facts = json.loads(file.read_text())
        if facts["entry"] == entry_name(entry):
            values = [parse_arg(word, file.parent).value for word in facts["arguments"]]
            args = spread_args(entry_name(entry), parameter_types(entry), values)
            x, y, z = facts["grid"]
            said = f"those of the launch {file.parent.name}"
            return Inputs((x, y, z), list(args), said, is_generated=False)
    raise UserError(
        f"expected a recorded launch of @{entry_name(entry)} in '{folder}', got none"
    )


@dataclass(frozen=True)
class _Parameter:
    """A size that a parameter of the kernel gives."""

    number: int


_Size = int | _Parameter | None
"""A size or stride of a view; None where it is computed."""


@dataclass
class _View:
    """A tensor view by the numbers of the parameters that make it.

    Attributes:
        base: Number of the pointer.
        shape: Extents, outermost first.
        strides: Elements from one index to the next.
        wanted: Extents that show one tile block's work.
        extents: Those that it gets.
    """

    base: int
    shape: list[_Size]
    strides: list[_Size]
    wanted: list[int]
    extents: list[int] = field(default_factory=list[int])

    @property
    def rank(self) -> int:
        return len(self.shape)


def generate_inputs(entry: ir.Operation, walked: int = TILES_WALKED) -> Inputs:
    """Arrays for one tile block, as small as its loops let them be.

    Args:
        entry: The kernel.
        walked: Tiles of each dimension that a loop walks.

    Raises:
        UserError: A parameter is of a type that nothing is known of, or the arrays
            would be too large.
    """
    views = list(_views(entry, walked))
    divisors = _divisors(entry)
    numbers = _extents(views, divisors)
    _strides(views, numbers)
    random = np.random.default_rng(_SEED)
    args: list[Any] = []
    words: list[str] = []
    others: dict[str, None] = {}
    for position, parameter in enumerate(body(entry).arguments):
        ty = element_of(parameter)
        if isinstance(ty, PointerType):
            mine = [view for view in views if view.base == position]
            array = _array(random, str(ty.pointee_type), mine, numbers)
            args.append(array)
            words.append(_array_text(str(ty.pointee_type), mine, array))
        elif isinstance(ty, ir.IntegerType):
            number = numbers.get(position, LONE_INTEGER) if ty.width > 1 else 1
            args.append(number)
            if position not in numbers and _is_read(parameter):
                others[f"other integers {LONE_INTEGER}"] = None
        else:
            args.append(1.0)
            others["other floats 1.0"] = None
    return Inputs((1, 1, 1), args, " ".join([*words, *others]), is_generated=True)


def _is_read(value: ir.Value) -> bool:
    """Whether anything but an assumption uses a value."""
    for use in value.uses:
        op = use.owner.operation
        if op.name != "cuda_tile.assume" or _is_read(op.results[0]):
            return True
    return False


def _views(entry: ir.Operation, walked: int) -> Iterator[_View]:
    """The tensor views that stand on parameters, with the extents that tiles need."""
    arguments = list(body(entry).arguments)
    for op in nested_ops(entry):
        if op.name != "cuda_tile.make_tensor_view":
            continue
        base, sizes, steps = segments(op)
        ty = TensorViewType(op.results[0].type)
        position = parameter_behind(base[0], arguments)
        if position is None:
            continue
        extents = [parameter_behind(value, arguments) for value in sizes]
        strides = [parameter_behind(value, arguments) for value in steps]
        yield _View(
            position,
            _fill(ty.shape, extents),
            _fill(ty.strides, strides),
            _wanted(op.results[0], len(ty.shape), walked),
        )


def _fill(static: list[int | None], dynamic: list[int | None]) -> list[_Size]:
    """Static sizes, and parameters in place of those that these give."""
    rest = iter(dynamic)
    filled: list[_Size] = []
    for size in static:
        number = next(rest, None) if size is None else None
        filled.append(size if number is None else _Parameter(number))
    return filled


def _wanted(tensor: ir.Value, rank: int, walked: int) -> list[int]:
    """The extents of a tensor that one tile block's accesses reach."""
    wanted = [1] * rank
    for access in _accesses(tensor):
        view = tiling_of(view_operand(access))
        for dim, extent, index in zip(
            view.dim_map, view.tile_shape, index_operands(access), strict=True
        ):
            if _is_walked(index):
                extent = max(extent * walked, FEWEST_WALKED)
            wanted[dim] = max(wanted[dim], extent)
    return wanted


def _accesses(tensor: ir.Value) -> Iterator[ir.Operation]:
    """The accesses through all views of tiles of a tensor."""
    for view in tensor.uses:
        for result in view.owner.operation.results:
            for use in result.uses:
                if use.owner.operation.name in VIEW_ACCESSES:
                    yield use.owner.operation


def _is_walked(index: ir.Value) -> bool:
    """Whether an index changes within a tile block: by a loop, a branch or memory."""
    waiting = [index]
    seen: set[ir.Operation] = set()
    while waiting:
        value = waiting.pop()
        op = defining_op(value)
        if op is None:
            if next(enclosing_ops(value)).name != "cuda_tile.entry":
                return True
            continue
        if op in seen:
            continue
        if len(op.regions) or op.name in ACCESSES:
            return True
        seen.add(op)
        waiting += op.operands
    return False


def _divisors(entry: ir.Operation) -> dict[int, int]:
    """What `assume div_by` says of the parameters that are numbers."""
    arguments = list(body(entry).arguments)
    found: dict[int, int] = {}
    for op in nested_ops(entry):
        if op.name != "cuda_tile.assume":
            continue
        match = _DIVISOR.search(str(op.attributes["predicate"]))
        number = parameter_behind(op.operands[0], arguments)
        if match and number is not None:
            found[number] = math.lcm(found.get(number, 1), int(match[1]))
    return found


def _extents(views: list[_View], divisors: dict[int, int]) -> dict[int, int]:
    """Gives each view its extents; returns those that parameters hold.

    Equal places of views of one rank get equal extents, so that A[M, K] and B[K, N]
    fit each other.
    """
    wanted: dict[tuple[int, int], int] = {}
    for view in views:
        for dim, extent in enumerate(view.wanted):
            key = view.rank, dim
            wanted[key] = max(wanted.get(key, 1), extent)
    squares = [v for v in views if v.rank == 2 and min(v.wanted) > 1]
    if len(squares) > 1:  # so that the K of a product is one number
        wanted[2, 0] = wanted[2, 1] = max(wanted[2, 0], wanted[2, 1])
    numbers: dict[int, int] = {}
    for view in views:
        for dim, size in enumerate(view.shape):
            if isinstance(size, _Parameter):
                number = size.number
                divisor = divisors.get(number, 1)
                extent = -(-wanted[view.rank, dim] // divisor) * divisor
                numbers[number] = max(numbers.get(number, 0), extent)
    for view in views:
        view.extents = [
            numbers[size.number] if isinstance(size, _Parameter) else size or 1
            for size in view.shape
        ]
    return numbers


def _strides(views: list[_View], numbers: dict[int, int]) -> None:
    """Adds the strides that parameters hold: those of rows one after another."""
    for view in views:
        step = 1
        for extent, stride in zip(
            reversed(view.extents), reversed(view.strides), strict=True
        ):
            if isinstance(stride, _Parameter):
                step = max(numbers.get(stride.number, 0), step)
                numbers[stride.number] = step
            elif stride is not None:
                step = max(step, stride)
            step *= extent


def _array(
    random: np.random.Generator,
    name: str,
    views: list[_View],
    numbers: dict[int, int],
) -> Array:
    """An array of as many elements as the views of it reach.

    Floats are normal numbers, integers 0 to 3: they may be indices.

    Raises:
        UserError: It would be too large.
    """
    count = max((_reach(view, numbers) for view in views), default=LONE_ELEMENTS)
    kind = element(name)
    if count * kind.storage_bytes > MOST_BYTES:
        raise UserError(f"an array of {count} elements of {name} would be too large")
    drawn = min(count, DRAWN_ELEMENTS)
    if np.dtype(kind.array_dtype).kind in "biu":
        values = random.integers(0, 2 if name == "i1" else 4, drawn)
    else:
        values = random.standard_normal(drawn, np.float32)
    return np.resize(values.astype(kind.array_dtype), count)


def _reach(view: _View, numbers: dict[int, int]) -> int:
    """Elements from the first to the last one of a view."""
    strides = [
        numbers[stride.number] if isinstance(stride, _Parameter) else stride or 1
        for stride in view.strides
    ]
    pairs = zip(view.extents, strides, strict=True)
    return 1 + sum((extent - 1) * abs(stride) for extent, stride in pairs)


def _array_text(name: str, views: list[_View], array: Array) -> str:
    extents = views[0].extents if views else [array.size]
    return f"{name}[{','.join(map(str, extents))}]"
