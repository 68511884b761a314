# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles outside of their tensors: loads give the padding, stores nothing.

A tile is loaded, once or in each iteration of a loop, and what is made of it is stored
in another tensor or added to it. Tensors have rows for some of the tile blocks and
tiles for some of the iterations, or none at all; indices are shifted, to both sides.
The interpreter runs such programs in its hardware mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from differential_program import RandomProgram
from emit_data import DTYPES, Buffer, is_float
from emit_program import Value, tile

OUTSIDE = "outside: "
"""Begins the name of each construct; a program with any runs in hardware mode."""
ROWS = (1, 1, 2, 4)
PARTS = (16, 32, 64)
MOST_TILES = 3
FAR = (2**31 - 1, -(2**31))
CONSTRUCTS = tuple(
    OUTSIDE + name
    for name in (
        "index shifted behind the end",
        "index shifted before the beginning",
        "index far away",
        "tensor without elements",
        "tensor without rows for all blocks",
        "one access",
        "loop",
        "loop to the number of tiles",
        "loop to the extent over the tile",
        "loop beyond the end",
        "under a condition",
        "rows and columns whole",
        "ragged columns",
        "static extents",
        "steps that are no tiles",
        "added in memory",
    )
)
"""What the programs have."""


@dataclass(frozen=True)
class Matrix:
    """A tensor of two dimensions as a view of tiles.

    Attributes:
        view: Its name and the text of its type.
        shape: Extents of a tile.
        element: Their type.
        tiles: How many tiles stand side by side.
        columns: The extent along these, as a value.
    """

    view: tuple[str, str]
    shape: tuple[int, int]
    element: str
    tiles: int
    columns: Value

    def load(self, p: RandomProgram, row: Value, column: Value) -> Value:
        """A tile, of f32 or i32."""
        value = Value(p.fresh(), self.shape, self.element)
        p.line(
            f"{value.name}, {p.fresh('k')} = load_view_tko weak {self.view[0]}"
            f"[{row.name}, {column.name}] : {self.view[1]}, tile<i32> -> "
            f"{value.type}, token"
        )
        if self.element != "f16":
            return value
        text = f"ftof {value.name} : {value.type} -> {tile(self.shape, 'f32')}"
        return p.make(self.shape, "f32", text)

    def store(self, p: RandomProgram, value: Value, row: Value, column: Value) -> None:
        """Stores a tile, or adds it to what is there."""
        name, at = self.view[0], f"[{row.name}, {column.name}]"
        types = f"{value.type}, {self.view[1]}, tile<i32> -> token"
        if self.element == "i32" and p.chance():
            p.note(OUTSIDE + "added in memory")
            head = f"atomic_red_view_tko relaxed device {name}{at}, add, {value.name}"
        else:
            head = f"store_view_tko weak {value.name}, {name}{at}"
        p.line(f"{p.fresh('k')} = {head} : {types}")


def outside_step(p: RandomProgram) -> None:
    """One load, or a loop of them."""
    shape = p.pick(ROWS), p.pick(PARTS)
    source = _matrix(p, p.pick(("f32", "f16", "i32")), shape, is_read=True)
    wide = "f32" if is_float(source.element) else "i32"
    target = _matrix(p, wide, shape, is_read=False)
    block = p.block_index()
    rows = [_shifted(p, block, p.grid) for _ in (source, target)]

    def iteration(index: Value) -> None:
        columns = [_shifted(p, index, each.tiles) for each in (source, target)]
        value = source.load(p, rows[0], columns[0])
        stem = "addf" if is_float(wide) else "addi"
        one = p.constant(shape, wide, 1)
        text = f"{stem} {value.name}, {one.name} : {value.type}"
        target.store(p, p.make(shape, wide, text), rows[1], columns[1])

    if p.chance():
        _loop(p, source, iteration)
    else:
        p.note(OUTSIDE + "one access")
        iteration(p.scalar("i32", p.number(0, MOST_TILES)))


def _matrix(
    p: RandomProgram, element: str, shape: tuple[int, int], *, is_read: bool
) -> Matrix:
    """A tensor, with what is known of its extents."""
    blocks = p.number(1, p.grid)
    tiles = 0 if p.chance(6) else p.number(1, MOST_TILES)
    if not tiles:
        p.note(OUTSIDE + "tensor without elements")
    elif blocks < p.grid:
        p.note(OUTSIDE + "tensor without rows for all blocks")
    rows, columns = blocks * shape[0], tiles * shape[1]
    is_ragged = p.chance(3) and columns > 0
    if is_ragged:
        columns -= p.pick((5, 8))
    p.note(OUTSIDE + ("ragged columns" if is_ragged else "rows and columns whole"))
    count = max(16, rows * columns)
    pointer = p.fresh("p")
    p.parameters.append(f"{pointer}: tile<ptr<{element}>>")
    data = np.zeros(count, DTYPES[element])
    p.args.append(Buffer(data, 0, (count,), (1,), is_whole=True))
    known = p.fresh("a")
    p.line(f"{known} = assume div_by<16>, {pointer} : tile<ptr<{element}>>")
    extents = [rows, columns]
    values = [
        _extent(p, number, 1 if is_ragged and d else shape[d])
        for d, number in enumerate(extents)
    ]
    made = p.fresh("t")
    if p.chance(3) and columns > 0:
        p.note(OUTSIDE + "static extents")
        tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns}, 1]>"
        tail = f"shape = [{rows}, {columns}], strides = [{columns}, 1]"
        p.line(f"{made} = make_tensor_view {known}, {tail} : {tensor}")
    else:
        tensor = f"tensor_view<?x?x{element}, strides=[?, 1]>"
        names = [value.name for value in values]
        tail = f"shape = [{', '.join(names)}], strides = [{names[1]}, 1]"
        p.line(f"{made} = make_tensor_view {known}, {tail} : tile<i32> -> {tensor}")
    kind, step = _kind(p, tensor, shape, element, is_read=is_read)
    view = p.fresh("w")
    p.line(f"{view} = make_{kind.partition('<')[0]} {made} : {kind}")
    return Matrix((view, kind), shape, element, -(-columns // step), values[1])


def _extent(p: RandomProgram, number: int, divisor: int) -> Value:
    value: Value = p.scalar("i32", number)
    for predicate in (f"div_by<{divisor}>", "bounded<0, ?>"):
        if p.chance(4):
            continue
        value = p.make((), "i32", f"assume {predicate}, {value.name} : {value.type}")
    return value


def _kind(
    p: RandomProgram,
    tensor: str,
    shape: tuple[int, int],
    element: str,
    *,
    is_read: bool,
) -> tuple[str, int]:
    """The text of a view's type, and its step along the columns."""
    pad, step = "", shape[1]
    if is_read:
        padding = p.pick(("zero", "neg_inf") if is_float(element) else ("zero",))
        pad = f"padding_value = {padding}, "
    size = f"tile=({shape[0]}x{shape[1]}), "
    if is_read and p.chance(3):
        p.note(OUTSIDE + "steps that are no tiles")
        step = p.pick((8, shape[1], 2 * shape[1]))
        steps = f"traversal_strides=[{shape[0]}, {step}], "
        return f"strided_view<{size}{steps}{pad}{tensor}>", step
    return f"partition_view<{size}{pad}{tensor}>", step


def _shifted(p: RandomProgram, index: Value, tiles: int) -> Value:
    """An index, or one that is so much larger or smaller."""
    if p.chance():
        return index
    shift = p.pick((1, tiles, -1, -1, *FAR))
    if shift in FAR:
        p.note(OUTSIDE + "index far away")
    elif shift > 0:
        p.note(OUTSIDE + "index shifted behind the end")
    else:
        p.note(OUTSIDE + "index shifted before the beginning")
    by = p.scalar("i32", shift) if p.chance() else p.constant((), "i32", shift)
    return p.make((), "i32", f"addi {index.name}, {by.name} : tile<i32>")


def _loop(p: RandomProgram, matrix: Matrix, iteration: Callable[[Value], None]) -> None:
    """A loop over tiles: as many as there are, or fewer, or more."""
    p.note(OUTSIDE + "loop")
    count = _count(p, matrix)
    zero, one = (p.constant((), "i32", n) for n in (0, 1))
    index = Value(p.fresh("i"), (), "i32")
    p.line(
        f"for {index.name} in ({zero.name} to {count.name}, step {one.name}) "
        ": tile<i32> {"
    )
    if p.chance(3):
        p.note(OUTSIDE + "under a condition")
        bound = p.scalar("i32", p.number(1, MOST_TILES))
        test = Value(p.fresh(), (), "i1")
        p.line(
            f"{test.name} = cmpi less_than {index.name}, {bound.name}, signed "
            ": tile<i32> -> tile<i1>"
        )
        p.line(f"if {test.name} {{")
        iteration(index)
        p.line("}")
    else:
        iteration(index)
    p.line("  continue")
    p.line("}")


def _count(p: RandomProgram, matrix: Matrix) -> Value:
    form = p.pick(
        (
            "loop to the number of tiles",
            "loop to the extent over the tile",
            "loop beyond the end",
        )
    )
    p.note(OUTSIDE + form)
    if form == "loop to the number of tiles":
        made = [Value(p.fresh(), (), "i32") for _ in range(2)]
        p.line(
            f"{made[0].name}, {made[1].name} = get_index_space_shape "
            f"{matrix.view[0]} : {matrix.view[1]} -> tile<i32>"
        )
        return made[1]
    if form == "loop to the extent over the tile":
        size = p.constant((), "i32", p.pick((matrix.shape[1], 2 * matrix.shape[1])))
        mode = p.pick(("signed rounding<positive_inf>", "unsigned", "signed"))
        text = f"divi {matrix.columns.name}, {size.name} {mode} : tile<i32>"
        return p.make((), "i32", text)
    return p.scalar("i32", p.number(1, MOST_TILES) + matrix.tiles)
