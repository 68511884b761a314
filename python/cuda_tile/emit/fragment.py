# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments: the part of a tile that one thread holds in registers.

A `Fragment` holds the elements of one thread in the order of the layout's
register index, either one value each or packed, `pack` neighbours to a vector
value. 16-bit elements stay packed in pairs wherever both forms would do: that
is the form of `mma.sync`, `ldmatrix` and packed arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.errors import InternalError
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

ElementFunction = (
    Callable[[ir.Value], ir.Value]
    | Callable[[ir.Value, ir.Value], ir.Value]
    | Callable[[ir.Value, ir.Value, ir.Value], ir.Value]
)
"""Makes one value of one value per operand."""


@dataclass(frozen=True)
class Fragment:
    """A thread's part of a tile.

    Attributes:
        layout: Which elements these are.
        values: `layout.n_registers / pack` values in register order.
        pack: Elements per value.
    """

    layout: LinearLayout
    values: tuple[ir.Value, ...]
    pack: int = 1

    def __post_init__(self) -> None:
        if len(self.values) * self.pack != self.layout.n_registers:
            raise InternalError(
                f"expected {self.layout.n_registers} elements in a fragment, got "
                f"{len(self.values)} x {self.pack}"
            )


@dataclass(frozen=True)
class Pending:
    """A thread's part of a tile that matrix instructions may still be computing.

    Attributes:
        layout: Which elements these are.
        registers: The 32-bit registers of the instructions, in register order: one of
            each f32 or i32, one of two f16.
        holds: Whether the registers hold anything (i1); where they do not, they are
            undefined and the tile is zero. None where they always do.
        is_done: Whether they are known to be computed.
        reads: Other registers that the instructions read meanwhile, so that nothing may
            write them.
    """

    layout: LinearLayout
    registers: tuple[ir.Value, ...]
    holds: ir.Value | None = None
    is_done: bool = False
    reads: tuple[ir.Value, ...] = ()


@dataclass(frozen=True)
class View:
    """A tensor view for one thread: everything uniform.

    A shape or stride is an int where the type fixes it. All values are scalars
    of the kernel's index width; strides count elements.
    """

    base: ir.Value
    shape: tuple[int | ir.Value, ...]
    strides: tuple[int | ir.Value, ...]


class Packer:
    """Moves fragments between their two forms, never twice for one value."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._scalars: dict[ir.Value, list[ir.Value]] = {}
        self._packed: dict[tuple[ir.Value, ...], ir.Value] = {}

    @contextmanager
    def scope(self) -> Generator[None]:
        """Forgets at the end the forms that were made inside: they do not dominate."""
        scalars, packed = dict(self._scalars), dict(self._packed)
        yield
        self._scalars, self._packed = scalars, packed

    def scalars(self, fragment: Fragment) -> list[ir.Value]:
        """The elements, one value each."""
        if fragment.pack == 1:
            return list(fragment.values)
        return [
            v for value in fragment.values for v in self.split(value, fragment.pack)
        ]

    def split(self, value: ir.Value, count: int) -> list[ir.Value]:
        """The elements of one vector value; packing them again gives it back.

        Args:
            value: The vector value.
            count: Its elements.
        """
        if count == 1:
            return [value]
        if value not in self._scalars:
            elements = self._builder.elements(value, count)
            self._scalars[value] = elements
            self._packed.setdefault(tuple(elements), value)
        return self._scalars[value]

    def packed(self, fragment: Fragment, pack: int) -> list[ir.Value]:
        """The elements, `pack` to a vector value.

        Args:
            fragment: The fragment.
            pack: Elements of a vector value.
        """
        if fragment.pack == pack:
            return list(fragment.values)
        scalars = self.scalars(fragment)
        return [
            self.pack_values(scalars[i : i + pack])
            for i in range(0, len(scalars), pack)
        ]

    def pack_values(self, scalars: Sequence[ir.Value]) -> ir.Value:
        """Some scalars as one vector value; a single one as itself."""
        if len(scalars) == 1:
            return scalars[0]
        key = tuple(scalars)
        if key not in self._packed:
            value = self._builder.vector(scalars)
            self._packed[key] = value
            self._scalars.setdefault(value, list(scalars))
        return self._packed[key]


def zip_fragments(
    packer: Packer,
    fragments: Sequence[Fragment],
    combine: ElementFunction,
    *,
    pack: int,
) -> Fragment:
    """Applies `combine` element by element, or pack by pack where that works.

    Args:
        packer: Packs elements into vectors.
        fragments: The operands, of one layout.
        combine: The function.
        pack: Elements of a vector value that it takes.
    """
    columns = [packer.packed(fragment, pack) for fragment in fragments]
    values = tuple(combine(*row) for row in zip(*columns, strict=True))
    return Fragment(fragments[0].layout, values, pack)
