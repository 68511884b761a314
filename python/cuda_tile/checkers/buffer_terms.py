# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terms of tiles that go through buffers in shared memory."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    PendingType,
    TileType,
    TokenType,
)
from cuda_tile.checkers import element_maps as maps
from cuda_tile.checkers.folds import Folds
from cuda_tile.ir.attributes import integers
from cuda_tile.ir.tiles import buffer_layout_of, pending_tile
from cuda_tile.ir.walk import op_stem
from cuda_tile.layout.coords import n_bits

ZERO = "zero"
"""The label of tiles of zeros, with which partial sums begin."""


class BufferTerms:
    """The terms of the values of a kernel, and of the contents of its buffers.

    Args:
        terms: All terms.
    """

    def __init__(self, terms: Folds) -> None:
        self.terms = terms
        self.values: dict[ir.Value, int] = {}
        self.held: dict[ir.Value, int] = {}
        self._names: dict[ir.Value, tuple[ir.Value, maps.Columns]] = {}
        self._kinds: dict[ir.Type, tuple[int, tuple[int, ...], str]] = {}

    def bits_of(self, value: ir.Value) -> int:
        """Bits of the number of an element of a value; none if it is no tile."""
        return self.kind_of(value)[0]

    def extents_of(self, value: ir.Value) -> tuple[int, ...]:
        """The extents of a tile, a buffer or a pending value."""
        return self.kind_of(value)[1]

    def kind_of(self, value: ir.Value) -> tuple[int, tuple[int, ...], str]:
        """Bits, extents and element type of a value, without a layout."""
        kind = value.type
        if (found := self._kinds.get(kind)) is None:
            extents, element = _extents_of(value), kind
            if isinstance(kind, TileType):
                element = kind.element_type
            found = self._kinds[kind] = n_bits(prod(extents)), extents, str(element)
        return found

    def parts(self, values: Iterable[ir.Value]) -> list[int]:
        """The terms of values and of the contents of buffers, without tokens."""
        return [self.whole(v) for v in values if not isinstance(v.type, TokenType)]

    def is_zero(self, term: int) -> bool:
        """Whether a term is zero everywhere."""
        return self.terms.is_splat(term, ZERO)

    def part(self, op: ir.Operation, term: int) -> int:
        """The part of a tile that unknown indices name."""
        result, indices = op.results[0], self.parts(list(op.operands)[1:])
        label = "part", term, tuple(indices), tuple(self.extents_of(result))
        return self.terms.view(label, self.bits_of(result))

    def through_buffer(self, op: ir.Operation) -> list[int]:
        """Applies the effect of an op on a buffer; returns the terms of its results."""
        match op_stem(op):
            case "tileas.reinterpret":
                source, result = op.operands[0], op.results[0]
                layouts = buffer_layout_of(result), buffer_layout_of(source)
                self._names[result] = source, maps.renaming(*layouts)
                return []
            case "tileas.store_shared":
                tile, buffer = op.operands
                self.fill(buffer, self._stored(op, tile, buffer))
                return []
            case "tileas.load_shared":
                return [self._loaded(op)]
            case "tileas.load_part":
                return [self.part(op, self.content(op.operands[0]))]
            case _:
                return []

    def _stored(self, op: ir.Operation, tile: ir.Value, buffer: ir.Value) -> int:
        term, shape = self.values[tile], self.extents_of(buffer)
        offsets = integers(op, "offsets") if "offsets" in op.attributes else None
        if offsets is None:
            return term
        found = maps.beginning(shape, self.extents_of(tile), offsets)
        return self.terms.taken(term, *found)

    def fill(self, buffer: ir.Value, term: int) -> None:
        """Notes the contents of a buffer.

        Args:
            buffer: The buffer, possibly under another name.
            term: The term of its contents.
        """
        if buffer in self._names:
            source = self._names[buffer][0]
            layouts = buffer_layout_of(source), buffer_layout_of(buffer)
            self.fill(source, self.terms.taken(term, maps.renaming(*layouts)))
        else:
            self.held[buffer] = term

    def home(self, buffer: ir.Value) -> ir.Value:
        """The original buffer behind a name."""
        return self.home(self._names[buffer][0]) if buffer in self._names else buffer

    def whole(self, value: ir.Value) -> int:
        """The term of a tile, or of the contents of a buffer."""
        is_buffer = isinstance(value.type, BufferType)
        return self.content(value) if is_buffer else self.values[value]

    def content(self, buffer: ir.Value) -> int:
        """The contents of a buffer; an opaque term if no op has filled it."""
        if (known := self._names.get(buffer)) is not None:
            return self.terms.taken(self.content(known[0]), known[1])
        if buffer not in self.held:
            bits = n_bits(prod(self.extents_of(buffer)))
            return self.terms.view(("what nobody stored", buffer), bits)
        return self.held[buffer]

    def _loaded(self, op: ir.Operation) -> int:
        buffer, *into = op.operands
        term, shape = self.content(buffer), self.extents_of(buffer)
        offsets = integers(op, "offsets")
        if into:
            part, start = maps.beginning(shape, self.extents_of(into[0]), offsets)
            return self.terms.replaced(self.values[into[0]], part, start, term)
        found = maps.beginning(self.extents_of(op.results[0]), shape, offsets)
        return self.terms.taken(term, *found)


def _extents_of(value: ir.Value) -> tuple[int, ...]:
    kind = value.type
    if isinstance(kind, BufferType):
        return buffer_layout_of(value).shape
    if isinstance(kind, PendingType):
        return pending_tile(value)[1].shape
    return tuple(kind.shape) if isinstance(kind, TileType) else ()
