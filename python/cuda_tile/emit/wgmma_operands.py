# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of products of warpgroups: descriptors of buffers, and registers of A.

A matrix descriptor says where a buffer begins and how its rows follow one another; the
instructions of a product take descriptors that differ by constants. A left operand in
registers is what threads computed, or bytes that they read from a slot, all at once or
for one part of the result after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, RingType
from cuda_tile.analysis.register_readers import is_read_elsewhere
from cuda_tile.constants import CROWDED_REGISTERS, UNIFORM_REGISTERS
from cuda_tile.emit.addresses import Origin
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.ldmatrix import find_matrices, is_read_by_partial_sums
from cuda_tile.emit.mma_operands import integer_words
from cuda_tile.emit.pending import repeats
from cuda_tile.emit.ptxas_habits import computed_here
from cuda_tile.errors import InternalError, UserError
from cuda_tile.ir.async_products import factors_of, runs_by_itself
from cuda_tile.ir.tiles import (
    element_bits,
    layout_of,
    pending_tile,
)
from cuda_tile.ir.traits import BUFFER_RENAMES, TAKES
from cuda_tile.ir.walk import block_ops, defining_op, value_behind
from cuda_tile.layout.coords import Coord, n_bits
from cuda_tile.layout.descriptors import UNIT_BYTES, OperandRole, describe
from cuda_tile.layout.fragments import atom_registers
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.wgmma import (
    WARPGROUP_WARPS,
    WgmmaAtom,
    atom_of_sums,
)

_WORD_BITS = 32
_WORD_BYTES = 4
_DESCRIPTOR_WORDS = 2
_GROUP_BITS = n_bits(WARPGROUP_WARPS)

Places = dict[Coord, list[ir.Value]]
"""What instructions take of an operand, by where they begin in a warpgroup's part."""
Part = Callable[[Collection[int], range], Places]
"""Gives the places of a left operand that begin in some rows, and in a range of K."""


def product_atom(op: ir.Operation) -> WgmmaAtom:
    """The instruction of a product of warpgroups.

    Raises:
        InternalError: There is none of its name.
    """
    name = ir.StringAttr(op.attributes["atom"]).value
    atom = atom_of_sums(name, pending_tile(op.operands[2])[1])
    if atom is None:
        raise InternalError(f"emit: no instruction of warpgroups is called {name}")
    return atom


def from_registers(
    e: Emitter, value: ir.Value, acc: LinearLayout, atom: WgmmaAtom
) -> Places:
    """The registers of A of each instruction: its own, where others read them too.

    While products run, nothing else may touch the registers that they read (PTX ISA,
    "wgmma.wait_group").

    Args:
        e: The emitter.
        value: The tile of A.
        acc: The layout of the sum.
        atom: The instruction.
    """
    _check_rows(layout_of(value), acc, atom)
    places = integer_words(e, value, atom.a)
    if is_read_elsewhere(value):
        pinned = e.builder.pinned
        return {at: [pinned(word) for word in words] for at, words in places.items()}
    return places


def places_of(places: Places, rows: Collection[int], depths: range) -> Places:
    """The places that begin in some rows, and in a range of K.

    Args:
        places: The operands by their origin.
        rows: The rows.
        depths: The range along K.
    """
    return {p: w for p, w in places.items() if p[0] in rows and p[1] in depths}


def by_partial_sums(
    e: Emitter, value: ir.Value, acc: LinearLayout, atom: WgmmaAtom
) -> Part | None:
    """Reads bytes of A as each part needs them, if their load leaves it to that.

    Args:
        e: The emitter.
        value: A.
        acc: The layout of the accumulators.
        atom: The instruction.
    """
    load = defining_op(value)
    if (
        load is None
        or load.name != "tileas.load_shared"
        or not is_read_by_partial_sums(load)
    ):
        return None
    layout = layout_of(value)
    _check_rows(layout, acc, atom)
    source = find_matrices(e, e.buffer(load.operands[0]), layout, Origin())
    if source is None:
        return None
    registers = atom_registers(layout, atom.a)

    def part(rows: Collection[int], depths: range) -> Places:
        chosen = {p: r for p, r in registers.items() if p[0] in rows and p[1] in depths}
        return {
            place: [source.word(r or 0) for r in some[::_WORD_BYTES]]
            for place, some in chosen.items()
        }

    return part


def _check_rows(layout: LinearLayout, acc: LinearLayout, atom: WgmmaAtom) -> None:
    """Raises unless warps have the rows of A that they have of the accumulators."""
    if [basis[0] for basis in layout.warp] != [basis[0] for basis in acc.warp]:
        raise InternalError(f"emit: expected A of {atom.name} as {acc}, got {layout}")


def from_buffer(
    e: Emitter,
    op: ir.Operation,
    role: OperandRole,
    acc: LinearLayout,
    atom: WgmmaAtom,
) -> tuple[Places, list[bool]]:
    """The descriptors of an operand, and whether it is contiguous along M or N.

    Args:
        e: The emitter.
        op: The product.
        role: Which operand.
        acc: The layout of the sum.
        atom: The instruction.

    Raises:
        UserError: No descriptor describes its buffer.
    """
    b, value = e.builder, op.operands[0 if role == "a" else 1]
    buffer = e.buffer(value)
    axis, depth = (0, 1) if role == "a" else (1, 0)
    size, deep = atom.shape[axis], atom.shape[2]
    found = describe(buffer.layout, element_bits(buffer.element), role, size)
    if isinstance(found, str):
        raise UserError(
            f"'{op.name}': expected operand {role} in an arrangement that matrix "
            f"descriptors have, got {value.type}: {found}"
        )
    if buffer.base_bytes % found.alignment_bytes:
        raise InternalError(
            f"emit: expected operand {role} of {op.name} at a multiple of "
            f"{found.alignment_bytes} bytes, got {buffer.base_bytes}"
        )
    groups = [
        found.start_bytes(basis[axis] // size, 0) for basis in acc.warp[_GROUP_BITS:]
    ]
    high = e.threads.kept(
        *(found.constant >> _WORD_BITS, "x" if role == "a" else "y"),
    )
    first = _matrix_word(e, buffer, groups, found.constant & (1 << _WORD_BITS) - 1)
    base = b.bitcast(b.vector([first, high]), b.i64)
    if _is_crowded(op.block):
        base = computed_here(b, base)
    places: Places = {}
    origins = dict.fromkeys(origin[axis] for origin, _ in _origins(acc, atom))
    for k in range(0, buffer.layout.shape[depth], deep):
        for row in origins:
            offset = found.start_bytes(row // size, k // deep) // UNIT_BYTES
            # Of sums of 32 bits ptxas would write both words for each instruction.
            word = b.add(base, b.constant(b.i64, offset)) if offset else base
            key = (row, k) if role == "a" else (k, row)
            places[key] = [word]
    return places, [found.is_transposed]


def _is_crowded(block: ir.Block) -> bool:
    """Whether a loop's products leave few registers for descriptors.

    Their sums take registers, and so do descriptors that no iteration changes, as far
    as there are no uniform ones for them. Then each iteration computes them from the
    first of each operand.
    """
    if not repeats(block.owner.operation):
        return False
    products = [op for op in block_ops(block) if runs_by_itself(op)]
    sums = sum(pending_tile(op.results[0])[1].n_registers for op in products)
    words = sum(map(_fixed_words, products))
    return sums + max(0, words - UNIFORM_REGISTERS) >= CROWDED_REGISTERS


def _fixed_words(op: ir.Operation) -> int:
    """Words of the descriptors of a product that are the same in each iteration."""
    atom, count = product_atom(op), 0
    origins = list(_origins(pending_tile(op.results[0])[1], atom))
    for axis, factor in enumerate(factors_of(op)[:2]):
        if isinstance(factor.type, BufferType) and _stays(factor):
            depth = BufferType(factor.type).shape[1 - axis] // atom.shape[2]
            count += depth * len({origin[axis] for origin, _ in origins})
    return _DESCRIPTOR_WORDS * count


def _stays(buffer: ir.Value) -> bool:
    """Whether a buffer has one place in all iterations: it is no slot of several."""
    maker = defining_op(value_behind(buffer, BUFFER_RENAMES))
    if maker is None or maker.name not in TAKES:
        return maker is not None
    return RingType(maker.operands[0].type).slots == 1


def _matrix_word(
    e: Emitter, buffer: Buffer, groups: Sequence[int], low: int
) -> ir.Value:
    """The low word of the descriptor of a warpgroup's part of a buffer (i32).

    Terms that do not depend on the slot are computed once, and hidden from LLVM, which
    would take the constants out of the sum again.

    Args:
        e: The emitter.
        buffer: The buffer.
        groups: How many bytes each bit of the warpgroup's number moves it by.
        low: What the word has beside the address.
    """
    b, once = e.builder, e.threads.at_start
    start = b.constant(b.i32, buffer.base_bytes)
    start = once("llvm.add", b.i32, e.shared_address(), start)
    if any(groups):
        form = e.threads.warp_form([*[0] * _GROUP_BITS, *groups])
        start = once("llvm.add", b.i32, start, form)
    bits = b.constant(b.i32, n_bits(UNIT_BYTES))
    start = once("llvm.lshr", b.i32, start, bits)
    start = once("llvm.add", b.i32, start, b.constant(b.i32, low))
    if buffer.slot is None:
        return start
    start = e.threads.pinned(start)
    units = b.constant(b.i32, buffer.slot_bytes // UNIT_BYTES)
    return b.add(start, b.mul(buffer.slot, units))


def _origins(
    acc: LinearLayout, atom: WgmmaAtom
) -> list[tuple[Coord, tuple[int | None, ...]]]:
    return list(atom_registers(acc, atom.c).items())
