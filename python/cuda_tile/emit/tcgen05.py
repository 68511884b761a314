# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: products that one thread starts, and that run by themselves.

One lane of the role's first warp starts the instructions of an op, all along K. Nobody
waits there: barriers and rings stand where operands are written, threads hand a sum
over where it is settled, and wait where it is awaited.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.descriptor_reads import ROLES
from cuda_tile.analysis.tensor_columns import DEPOSIT
from cuda_tile.emit.blocks import one_thread
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Pending
from cuda_tile.emit.tensor_memory import (
    commit_sum,
    first_column,
    issuing,
    pointer_of,
)
from cuda_tile.emit.tensor_scales import scales_at, store_scales
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError, Unsupported, UserError
from cuda_tile.ir.async_products import scales_of
from cuda_tile.ir.attributes import keyword, text
from cuda_tile.ir.tiles import element_bits, element_name, pending_tile
from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.descriptors import UNIT_BYTES, OperandRole, describe
from cuda_tile.layout.tensor import (
    TENSOR_CAPABILITY,
    TensorAtom,
    column_of,
    instruction_descriptor,
    kind_of,
    tensor_atom,
)

SIGNS = ("signedness_lhs", "signedness_rhs")
_ONE_CTA = "#nvvm.cta_group<cta_1>"
_PLAIN = 5
_WIDE_BLOCK = 32
"""Elements that share a factor where an instruction does not say how many."""
_SEGMENTS = (1, 1, 1, 1, 1, 0, 0)
"""Operands of `nvvm.tcgen05.mma`: no scale of the sum, no mask of lanes."""


@RULES.register("tileas.tcgen05")
def tcgen05(e: Emitter, op: ir.Operation) -> None:
    """Starts the instructions of a product.

    Raises:
        Unsupported: The chip has no tensor memory.
    """
    if not TCGEN05.is_on(e.target):
        raise Unsupported(
            f"'{op.name}' needs sm_{TENSOR_CAPABILITY}a, got {e.target.arch}; "
            "tileas.mma_sync multiplies on every chip"
        )
    acc = e.pending(op.operands[2])
    if scales_of(op):
        store_scales(e, op, _atom_of(op))
    with issuing(e):
        _start(e, op, acc)
        commit_sum(e, op.results[0])
    e.set(op.results[0], Pending(acc.layout, ()))


@RULES.register(DEPOSIT)
def deposit(e: Emitter, op: ir.Operation) -> None:
    """The sum is there; a word in shared memory says whether anything was added."""
    b, holds = e.builder, e.pending(op.operands[0]).holds
    buffer = e.buffer(op.operands[1])
    with one_thread(e):
        flag = b.unsigned(b.constant(b.i1, 1) if holds is None else holds, b.i32)
        b.store(flag, b.byte_offset(buffer.pointer, buffer.base_bytes), 4)


def _start(e: Emitter, op: ir.Operation, acc: Pending) -> None:
    """The instructions, K outermost."""
    b, atom = e.builder, _atom_of(op)
    rows, columns, depth = atom.shape
    shape = acc.layout.shape
    total = BufferType(op.operands[0].type).shape[1] * atom.packed
    left, right = (_Side(e, op, role, atom) for role in ROLES)
    flips = left.found.is_transposed, right.found.is_transposed
    bits = _instruction(op, atom, flips)
    base, first = first_column(e, op.results[0])

    def place(column: int) -> ir.Value:
        return pointer_of(b, b.add(base, b.constant(b.i32, first + column)))

    for k in range(total // depth):
        for row in range(shape[0] // rows):
            for column in range(shape[1] // columns):
                at = column_of(row * rows, column * columns, shape, rows)
                more, scales = scales_at(op, atom, (row * rows, column * columns), k)
                form = b.constant(b.i32, bits | more)
                operands = [place(at), left.at(row, k), right.at(column, k), form]
                operands += [_adds(b, acc, k), *map(place, scales)]
                _multiply(b, _element(op, atom), atom, operands)


def _multiply(
    b: Builder, element: str, atom: TensorAtom, operands: list[ir.Value]
) -> None:
    """One instruction: D, A, B, its descriptor, whether it adds to D, and factors."""
    kind = kind_of(element, atom.suffix)
    if len(operands) > _PLAIN:
        block = atom.shape[2] // atom.factors
        attributes = {
            "kind": b.attribute(f"#nvvm.block_scale_kind<{kind}>"),
            "ctaGroup": b.attribute(_ONE_CTA),
        }
        if block < _WIDE_BLOCK:
            text = f"#nvvm.tcgen05_mma_block_scale<block{block}>"
            attributes["blockScale"] = b.attribute(text)
        b.create("nvvm.tcgen05.mma.block_scale", [], operands, attributes)
        return
    attributes = {
        "kind": b.attribute(f"#nvvm.tcgen05_mma_kind<{kind}>"),
        "ctaGroup": b.attribute(_ONE_CTA),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get(list(_SEGMENTS)),
    }
    b.create("nvvm.tcgen05.mma", [], operands, attributes)


def _adds(b: Builder, acc: Pending, k: int) -> ir.Value:
    """Whether an instruction adds to what its columns hold (i1)."""
    always = b.constant(b.i1, 1)
    return always if k or acc.holds is None else acc.holds


class _Side:
    """The descriptors of an operand, made where they are asked for.

    Args:
        e: The emitter.
        op: The product.
        role: Which operand.
        atom: The instruction.

    Raises:
        UserError: No descriptor describes its buffer.
    """

    def __init__(
        self, e: Emitter, op: ir.Operation, role: OperandRole, atom: TensorAtom
    ) -> None:
        self._builder, value = e.builder, op.operands[ROLES.index(role)]
        buffer, bits = (
            e.buffer(value),
            element_bits(BufferType(value.type).element_type),
        )
        size = atom.shape[ROLES.index(role)]
        across = TCGEN05.may_lie_across(atom)
        found = describe(buffer.layout, bits, role, size, across)
        if isinstance(found, str) or buffer.base_bytes % found.alignment_bytes:
            why = found if isinstance(found, str) else f"it is at {buffer.base_bytes}"
            raise UserError(
                f"'{op.name}': expected operand {role} in an arrangement that matrix "
                f"descriptors have, got {value.type}: {why}"
            )
        self.found = found
        self._base = _matrix(e, buffer, found.tensor_constant)

    def at(self, number: int, k: int) -> ir.Value:
        """The descriptor (i64) of an instruction.

        LLVM 22 takes the descriptor of B for an address and would write a small number
        that is added to it as one of an address, which only ptxas understands.

        Args:
            number: Its number along M or N.
            k: Its number along K.
        """
        b, offset = self._builder, self.found.start_bytes(number, k) // UNIT_BYTES
        if not offset:
            return self._base
        text = f"add.s64 $0, $1, {offset};"
        (found,) = b.inline_ptx(text, "=l,l", [b.i64], [self._base], side_effects=False)
        return found


def _matrix(e: Emitter, buffer: Buffer, constant: int) -> ir.Value:
    """The descriptor of the whole of a buffer (i64).

    That of slot 0 stays the same in a loop, so that an addition gives the others.
    """
    b, slot = e.builder, buffer.slot
    start = b.op("llvm.ptrtoint", b.i32, buffer.pointer)
    address = e.shared_address() if slot is not None else start
    address = b.add(address, b.constant(b.i32, buffer.base_bytes))
    units = b.op("llvm.lshr", b.i32, address, b.constant(b.i32, n_bits(UNIT_BYTES)))
    first = b.add(b.unsigned(units, b.i64), b.constant(b.i64, constant))
    if slot is None:
        return first
    step = b.constant(b.i32, buffer.slot_bytes // UNIT_BYTES)
    return b.add(first, b.unsigned(b.pinned(b.mul(slot, step)), b.i64))


def _instruction(op: ir.Operation, atom: TensorAtom, flips: tuple[bool, bool]) -> int:
    """The descriptor of the instructions of a product."""
    sums = element_name(pending_tile(op.operands[2])[0])
    first, second = (keyword(op, name, "signed") == "signed" for name in SIGNS)
    types = _element(op, atom), sums
    return instruction_descriptor(atom, types, flips, (first, second))


def _element(op: ir.Operation, atom: TensorAtom) -> str:
    """The element type of the operands, which may be packed in bytes."""
    if atom.packed > 1:
        return atom.types[0].operand
    return element_name(BufferType(op.operands[0].type).element_type)


def _atom_of(op: ir.Operation) -> TensorAtom:
    name = text(op, "atom")
    atom = tensor_atom(name)
    if atom is None:
        raise InternalError(f"emit: no instruction of tensor memory is called {name}")
    return atom
