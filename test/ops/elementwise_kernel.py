# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the elementwise families: load operands, many statements, store each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from emit_data import is_float, random_values
from ml_dtypes import finfo
from op_case import ARRAY_TYPES, Array, OpCase

NAMES = "abc"
"""What the statements call the operands, in order."""
SHAPES: tuple[tuple[int, ...], ...] = (
    (),
    (1,),
    (2, 1, 4),
    (4, 16),
    (1, 64, 1),
    (2,) * 8,
)
"""Ranks 0 to 3 and the highest, with one element and with extents of one."""


@dataclass(frozen=True)
class Statement:
    """One operation of a kernel.

    Attributes:
        text: The operation without its result and type, with `%a`, `%b`, `%c`.
        result: Element type of the result; None for that of the first operand.
        type: What follows the colon, with `{T}` for a tile of the operands' type and
            `{i1}` for one of that type, say.
        ulp: What the emulator may be off from the interpreter.
    """

    text: str
    result: str | None = None
    type: str = "{T}"
    ulp: float = 0.0


class _Tiles(dict[str, str]):
    """Spells `{f32}` as the tile type of a shape."""

    def __init__(self, shape: tuple[int, ...], element: str) -> None:
        super().__init__()
        self.shape = shape
        self.element = element

    def __missing__(self, key: str) -> str:
        return tile(self.shape, self.element if key == "T" else key)


def shape_name(shape: tuple[int, ...]) -> str:
    """A shape as part of a test's name."""
    return f"rank{len(shape)}-{'x'.join(map(str, shape)) or 'scalar'}"


def tile(shape: Sequence[int], element: str) -> str:
    """The text of a tile type."""
    return f"tile<{''.join(f'{extent}x' for extent in shape)}{element}>"


def kernel(
    shape: tuple[int, ...],
    operands: Sequence[str],
    statements: Sequence[Statement],
    setup: Sequence[str] = (),
) -> str:
    """A module whose entry stores the result of every statement.

    `setup` are lines before the statements, with tile types as in `Statement.type`.
    """
    tiles = _Tiles(shape, operands[0])
    results = [s.result or operands[0] for s in statements]
    places = {f"p{name}": e for name, e in zip(NAMES, operands, strict=False)}
    places |= {f"q{i}": e for i, e in enumerate(results)}
    lines = [f"%i = iota : {tile((prod(shape),), 'i32')}"] if shape else []
    if shape:
        flat = tile((prod(shape),), "i32")
        lines.append(f"%n = reshape %i : {flat} -> {tiles['i32']}")
    lines += [line for name, e in places.items() for line in _addresses(tiles, name, e)]
    for name, element in zip(NAMES, operands, strict=False):
        pointers = tiles[f"ptr<{element}>"]
        text = f"load_ptr_tko weak %p{name}_ : {pointers} -> {tiles[element]}, token"
        lines.append(f"%{name}, %t{name} = {text}")
    lines += [line.format_map(tiles) for line in setup]
    for i, (statement, element) in enumerate(zip(statements, results, strict=True)):
        type_text = statement.type.format_map(tiles)
        lines.append(f"%r{i} = {statement.text} : {type_text}")
        types = f"{tiles[f'ptr<{element}>']}, {tiles[element]}"
        lines.append(f"%s{i} = store_ptr_tko weak %q{i}_, %r{i} : {types} -> token")
    parameters = ", ".join(f"%{name}: tile<ptr<{e}>>" for name, e in places.items())
    body = "\n    ".join([*lines, "return"])
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{\n    {body}\n}} }}"


def _addresses(tiles: _Tiles, name: str, element: str) -> list[str]:
    """`%name_` as the addresses of all elements of an array."""
    pointer = f"ptr<{element}>"
    if not tiles.shape:
        zero = "%z_" + name
        return [
            f"{zero} = constant <i32: 0> : tile<i32>",
            f"%{name}_ = offset %{name}, {zero} : tile<{pointer}>, tile<i32> "
            f"-> tile<{pointer}>",
        ]
    ones = tile([1] * len(tiles.shape), pointer)
    return [
        f"%{name}_1 = reshape %{name} : tile<{pointer}> -> {ones}",
        f"%{name}_2 = broadcast %{name}_1 : {ones} -> {tiles[pointer]}",
        f"%{name}_ = offset %{name}_2, %n : {tiles[pointer]}, {tiles['i32']} "
        f"-> {tiles[pointer]}",
    ]


Values = Callable[[np.random.Generator, int, Sequence[str]], Sequence[Array]]
"""Makes the operands: so many elements, of these types."""


def elementwise_case(
    name: str,
    operands: Sequence[str],
    statements: Sequence[Statement],
    *,
    shape: tuple[int, ...] = (256,),
    values: Values | None = None,
    setup: Sequence[str] = (),
    chips: tuple[str, ...] = ("sm_80", "sm_90"),
    numpy: Callable[[Sequence[Any]], Sequence[Any]] | None = None,
) -> OpCase:
    """A case whose arguments are the operands and one array for each result."""
    results = [s.result or operands[0] for s in statements]
    count, make = prod(shape), values or every_pair

    def args(rng: np.random.Generator) -> list[Any]:
        made = [np.asarray(a) for a in make(rng, count, operands)]
        return [*made, *(np.zeros(count, ARRAY_TYPES[e]) for e in results)]

    ulp: Mapping[int, float] = {
        len(operands) + i: s.ulp for i, s in enumerate(statements) if s.ulp
    }
    text = kernel(shape, operands, statements, setup)
    return OpCase(name, text, args, ulp=ulp, chips=chips, numpy=numpy)


def every_pair(
    rng: np.random.Generator, count: int, operands: Sequence[str]
) -> list[Array]:
    """Special values of each operand with those of each other, and random ones."""
    rows = [special_values(element) for element in operands]
    grids = np.meshgrid(*rows[:2], indexing="ij")
    arrays = [grid.reshape(-1) for grid in grids]
    order = rng.permutation(arrays[0].size)
    made: list[Array] = []
    for i, element in enumerate(operands):
        random = random_values(rng, count, element)
        chosen = arrays[i][order] if i < 2 else rng.choice(rows[i], order.size)
        taken = min(order.size, 3 * count // 4)
        random[count - taken :] = chosen[:taken]
        made.append(random)
    return made


def special_values(element: str) -> Array:
    """Zeros, ones, extremes, subnormal numbers, infinities and NaN of a type."""
    dtype = ARRAY_TYPES[element]
    if element == "i1":
        return np.array([False, True])
    if not is_float(element):
        ends = np.iinfo(dtype)
        return np.array([0, 1, -1, ends.min, ends.max, 2, ends.min + 1], dtype)
    word = f"u{dtype.itemsize}"
    infinity = np.array(np.inf, dtype).view(word)
    codes = [0, 1, infinity - 1, infinity, infinity + 1]
    positive = np.array(codes, word).view(dtype)
    ordinary = np.array([1.0, 1.5, 0.75, 2.0, 3.0], dtype)
    small = np.array([finfo(dtype).smallest_normal]).astype(dtype)
    positive = np.concatenate([positive, ordinary, small])
    return np.concatenate([positive, -positive])
