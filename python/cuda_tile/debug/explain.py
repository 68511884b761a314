# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From what an element was made: the ops behind it, each with its element's value.

An op whose operands have the result's shape is taken element by element; broadcasts,
reshapes, permutations, selections and products have rules of their own; anything else
is named and not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cuda_tile.debug.listing import LOOPS, Line, Listing
from cuda_tile.debug.names import Names
from cuda_tile.debug.tiles import as_tile
from cuda_tile.debug.values import number, one_line
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op, TileType
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.runtime.elements import Array

MAX_DEPTH = 5
"""Ops behind one another."""
MAX_LINES = 24
"""Lines of an explanation."""

Index: TypeAlias = tuple[int, ...]
Part: TypeAlias = "tuple[int, Index | None]"
"""A slot and the element of it that matters; None for all."""


@dataclass(frozen=True)
class _Explainer:
    listing: Listing
    names: Names
    run: TileBlock

    def tree(self, slot: int, index: Index | None, depth: int) -> Iterator[str]:
        """A value and those that it is made of, indented."""
        yield f"{'  ' * depth}{self._value(slot, index)}{self._origin(slot)}"
        if depth >= MAX_DEPTH:
            return
        for part, inner in self._parts(slot, index):
            yield from self.tree(part, inner, depth + 1)

    def _value(self, slot: int, index: Index | None) -> str:
        """`acc[3, 5] = 1.5`."""
        value, name = self.run.slots[slot], self.names.name(slot)
        if as_tile(value) is None:
            return name
        data: Array = data_of(value)
        if index is None or not data.ndim:
            return f"{name} = {one_line(data)}"
        lost = " (unspecified)" if mask_of(value)[index] else ""
        where = ", ".join(map(str, index))
        return f"{name}[{where}] = {number(data[index])}{lost}"

    def _origin(self, slot: int) -> str:
        line = self.listing.maker(slot)
        if line is not None:
            return f", by {line.op.name} at {line.spot.place}"
        loop = self.listing.loop_of(slot)
        if loop is not None:
            return f", carried by the loop at {loop.spot.place}"
        return ", a parameter"

    def _parts(self, slot: int, index: Index | None) -> list[Part]:
        line = self.listing.maker(slot)
        if line is None:
            return []
        op = line.op
        if op.name in LOOPS or op.name == "if":
            return self._flow(line, slot, index)
        rule = _RULES.get(op.name, _elementwise)
        return rule(op, index) if index is not None else []

    def _flow(self, line: Line, slot: int, index: Index | None) -> list[Part]:
        """What the region that ran last handed on."""
        place = line.op.results.index(slot)
        if line.op.name == "if":
            condition = data_of(self.run.slots[line.op.operands[0]])
            block = line.op.regions[0 if bool(condition) else 1]
            end = block.ops[-1] if block is not None else None
            return [(end.operands[place], index)] if end and end.operands else []
        end = line.op.block().ops[-1]
        is_kept = len(end.operands) > place
        return [(end.operands[place], index)] if is_kept else []


Rule: TypeAlias = Callable[[Op, Index], "list[Part]"]


def _tiles(op: Op) -> list[tuple[int, tuple[int, ...]]]:
    """The operands that are tiles, with their shapes."""
    return [
        (slot, kind.shape)
        for slot, kind in zip(op.operands, op.operand_types, strict=True)
        if isinstance(kind, TileType)
    ]


def _elementwise(op: Op, index: Index) -> list[Part]:
    """Same shapes: same element. Others are shown whole."""
    shape = op.tile().shape if op.result_types else ()
    tiles = _tiles(op)
    is_same = all(kind == shape for _, kind in tiles)
    return [(slot, index if is_same else None) for slot, _ in tiles]


def _broadcast(op: Op, index: Index) -> list[Part]:
    ((slot, shape),) = _tiles(op)
    return [(slot, tuple(i if n > 1 else 0 for i, n in zip(index, shape, strict=True)))]


def _reshape(op: Op, index: Index) -> list[Part]:
    ((slot, shape),) = _tiles(op)
    flat = int(np.ravel_multi_index(index, op.tile().shape)) if index else 0
    return [(slot, tuple(int(i) for i in np.unravel_index(flat, shape)))]


def _permute(op: Op, index: Index) -> list[Part]:
    ((slot, shape),) = _tiles(op)
    place = [0] * len(shape)
    for result, source in enumerate(op.attributes["permutation"]):
        place[source] = index[result]
    return [(slot, tuple(place))]


def _product(op: Op, index: Index) -> list[Part]:
    """The accumulator's element; rows and columns are shown whole."""
    (lhs, _), (rhs, _), (acc, _), *_ = _tiles(op)
    return [(acc, index), (lhs, None), (rhs, None)]


_RULES: dict[str, Rule] = {
    "broadcast": _broadcast,
    "reshape": _reshape,
    "permute": _permute,
    "mmaf": _product,
    "mmai": _product,
}


def explain(
    listing: Listing, names: Names, run: TileBlock, line: Line, position: int
) -> list[str]:
    """How the element that a store wrote came about.

    Args:
        listing: The kernel.
        names: What its values are called.
        run: The tile block, just after the store.
        line: The store or atomic.
        position: The element's place in the flat tile that was stored.

    Returns:
        A line per value, those that it is made of below it and indented.
    """
    slot, shape = _stored(line.op)
    index = tuple(int(i) for i in np.unravel_index(position, shape))
    return cut(list(_Explainer(listing, names, run).tree(slot, index, 0)))


def cut(lines: list[str]) -> list[str]:
    """An explanation without what is too much."""
    rest = len(lines) - MAX_LINES
    more = [f"... and {rest} more"] if rest > 0 else []
    return lines[:MAX_LINES] + more


def _stored(op: Op) -> tuple[int, tuple[int, ...]]:
    """The tile that a store stores, and its shape: the first that holds no pointers."""
    for slot, kind in zip(op.operands, op.operand_types, strict=True):
        if isinstance(kind, TileType) and kind.element.pointee is None:
            return slot, kind.shape
    raise AssertionError(f"'{op.name}' stores no tile")
