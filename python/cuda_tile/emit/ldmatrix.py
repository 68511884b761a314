# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that `ldmatrix` reads from a buffer, and bytes that it transposes on the way.

A result of `ldmatrix.trans` has two bytes of each of two rows; `prmt` picks the bytes
of four registers that follow one another from the results that hold them (PTX ISA,
"prmt": nibble i of the selector chooses byte i of the eight of both).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.emit.addresses import Addresses, Origin, addresses_in
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.copies import planned
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.ir.traits import BUFFER_LOADS, PURE
from cuda_tile.ir.walk import block_ops
from cuda_tile.layout.ldmatrix import (
    LdMatrix,
    LdMatrixGroup,
    exchanged_rows,
    match_ldmatrix,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

_READS = PURE | BUFFER_LOADS | {"tileas.take"}
"""Ops between a load and its product that change nothing in shared memory."""
_WORD_BYTES = 4


def find_matrices(
    e: Emitter, buffer: Buffer, layout: LinearLayout, start: Origin
) -> Matrices | None:
    """How `ldmatrix` reads a tile from a buffer; None if it does not.

    Args:
        e: The emitter.
        buffer: The buffer.
        layout: The tile's.
        start: Where in the buffer it begins.
    """
    bits = element_bits(buffer.element)
    plan = match_ldmatrix(buffer.layout, layout, bits)
    if plan is None:
        return None
    fills = _fills_words(plan)
    if not fills and not (bits == 8 and plan.transposed):
        return None
    exchanged = None if fills else _exchanged(plan)
    plan = exchanged[0] if exchanged else plan
    columns = (*plan.lane_offsets, *plan.warp_offsets)
    addresses = addresses_in(e, buffer, columns, start)
    element = e.element_type(buffer.element)
    lane = exchanged[1] if exchanged else None
    return Matrices(e, plan, addresses, element, layout, is_whole=fills, lane=lane)


def is_read_by_partial_sums(op: ir.Operation) -> bool:
    """Whether a product reads the bytes of a load when it comes to them, part by part.

    It does where its partial sums are promoted: the registers of one part are free
    again before the next. Nothing may happen to the buffer in between.
    """
    users = [use.owner.operation for use in op.results[0].uses]
    if len(users) != 1 or users[0].block != op.block or not runs_by_itself(users[0]):
        return False
    bits = element_bits(element_of(op.results[0]))
    if not planned(users[0], "promote", 0) or bits != 8:
        return False
    ops = block_ops(op.block)
    between = ops[ops.index(op) + 1 : ops.index(users[0])]
    return all(other.name in _READS for other in between)


def _fills_words(plan: LdMatrix) -> bool:
    """Whether each 32-bit result holds the registers that a fragment packs."""
    return all(
        registers == tuple(range(registers[0], registers[0] + len(registers)))
        and registers[0] % len(registers) == 0
        for group in plan.groups
        for registers in group.registers
    )


def _exchanged(plan: LdMatrix) -> tuple[LdMatrix, int] | None:
    """Matrices that exchange rows, and the bit of the lanes whose results do.

    Only if each word of bytes is made of two such matrices.
    """
    found = exchanged_rows(plan, 8)
    if found is None:
        return None
    of = {r: n for g in plan.groups for n, some in enumerate(g.registers) for r in some}
    words = range(0, len(of), _WORD_BYTES)
    apart = {of[first] ^ of[first + _WORD_BYTES - 1] for first in words}
    return (found.match, found.lane) if apart == {1 << found.matrix} else None


@dataclass
class Matrices:
    """A tile in a buffer that `ldmatrix` reads, all of it or what is asked for.

    Attributes:
        e: The emitter.
        plan: The instructions.
        addresses: Of their rows.
        element: The element type in registers.
        layout: The tile's layout.
        is_whole: Whether each result is a word of the fragment as it is.
        lane: The bit of the lane's number with which the results of two matrices have
            changed places, if they have.
    """

    e: Emitter
    plan: LdMatrix
    addresses: Addresses
    element: ir.Type
    layout: LinearLayout
    is_whole: bool
    lane: int | None
    _bytes: dict[int, tuple[ir.Value, int]] = field(
        default_factory=dict[int, "tuple[ir.Value, int]"]
    )
    _words: dict[int, ir.Value] = field(default_factory=dict[int, ir.Value])

    def fragment(self) -> Fragment:
        """All registers, as many per 32-bit result as there is room for.

        The instruction moves 16-bit units; two bytes are one, and half a 32-bit
        element.
        """
        b, count = self.e.builder, self.layout.n_registers
        for group in self.plan.groups:
            self._load(group)
        per_word = _WORD_BYTES
        if self.is_whole:
            per_word = len(self.plan.groups[0].registers[0])
        ty = b.vector_type(per_word, self.element)
        words = [
            self._bytes[first][0] if self.is_whole else self.word(first)
            for first in range(0, count, per_word)
        ]
        return Fragment(self.layout, tuple(b.bitcast(w, ty) for w in words), per_word)

    def word(self, first: int) -> ir.Value:
        """Four bytes of registers that follow one another, as an i32."""
        if first not in self._words:
            wanted = set(range(first, first + _WORD_BYTES))
            for group in self.plan.groups:
                mine = {r for registers in group.registers for r in registers}
                if wanted & (mine - self._bytes.keys()):
                    self._load(group)
            self._words[first] = self._picked(first)
        return self._words[first]

    def _load(self, group: LdMatrixGroup) -> None:
        for registers, word in self._results(group):
            self._bytes |= {r: (word, byte) for byte, r in enumerate(registers)}

    def _picked(self, first: int) -> ir.Value:
        b = self.e.builder
        sources = [self._bytes[first + byte] for byte in range(_WORD_BYTES)]
        if self.is_whole:
            return sources[0][0]
        words = list(dict.fromkeys(word for word, _ in sources))
        if len(words) > 2:
            raise InternalError("emit: bytes of a word that lie in more than two")
        selector = sum(
            (byte + _WORD_BYTES * words.index(word)) << 4 * place
            for place, (word, byte) in enumerate(sources)
        )
        chosen, operands = f"{selector:#06x}", [words[0], words[-1]]
        if self.lane is not None:
            chosen = "$3"
            operands.append(self._selector(selector, self.lane))
        return b.ptx_value(f"prmt.b32 $0, $1, $2, {chosen};", b.i32, *operands)

    def _selector(self, selector: int, lane: int) -> ir.Value:
        """A selector, by which lanes whose bit is set choose from the other word.

        The bytes of the two words have numbers that differ in bit 2.
        """
        other = sum(_WORD_BYTES << 4 * place for place in range(_WORD_BYTES))
        b, threads = self.e.builder, self.e.threads
        form = threads.linear_form([*[0] * lane, other])
        return threads.at_start("llvm.xor", b.i32, form, b.constant(b.i32, selector))

    def _results(
        self, group: LdMatrixGroup
    ) -> Iterator[tuple[tuple[int, ...], ir.Value]]:
        """Loads matrices; gives each result as an i32, with the registers in it."""
        b, plan = self.e.builder, self.plan
        major = "col" if plan.transposed else "row"
        attributes = {
            "num": ir.IntegerAttr.get(b.i32, plan.count),
            "layout": b.attribute(f"#nvvm.mma_layout<{major}>"),
            "shape": b.attribute("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
            "eltType": b.attribute("#nvvm.ld_st_matrix_elt_type<b16>"),
        }
        types = [b.i32] * plan.count
        result = b.i32 if plan.count == 1 else b.struct_type(types)
        place = self.addresses.at(group.offset)
        loaded = b.op("nvvm.ldmatrix", result, place, **attributes)
        words = [loaded] if plan.count == 1 else b.fields(loaded, types)
        yield from zip(group.registers, words, strict=True)
