# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: products that one thread starts, and that run by themselves.

One lane of the role's first warp starts the instructions of an op, all along K. Nobody
waits there: barriers and rings stand where operands are written, threads hand a sum
over where it is settled, and wait where it is awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.descriptor_reads import ROLES
from cuda_tile.analysis.tensor_columns import DEPOSIT
from cuda_tile.emit.blocks import one_thread
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Pending
from cuda_tile.emit.tensor_descriptors import further, matrix_descriptor
from cuda_tile.emit.tensor_memory import (
    commit_sum,
    elected,
    first_column,
    in_warp_that_issues,
    pointer_of,
)
from cuda_tile.emit.tensor_scales import (
    copy_scales,
    scale_start,
    scales_at,
    store_scales,
)
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError, Unsupported, UserError
from cuda_tile.ir.async_products import copied_scales_of, scales_of
from cuda_tile.ir.attributes import keyword, text
from cuda_tile.ir.tiles import element_bits, element_name, pending_tile
from cuda_tile.layout.descriptors import OperandRole, describe
from cuda_tile.layout.tensor import (
    TENSOR_CAPABILITY,
    TensorAtom,
    column_of,
    instruction_descriptor,
    kind_of,
    tensor_atom,
)

Start = Callable[[], None]
"""Starts an instruction where it is called."""
SIGNS = ("signedness_lhs", "signedness_rhs")
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
    if e.follows:  # the other CTA of the pair starts it
        e.set(op.results[0], Pending(acc.layout, ()))
        return
    if len(copied_scales_of(op)) < len(scales_of(op)):
        store_scales(e, op, _atom_of(op))
    with in_warp_that_issues(e):
        if copied_scales_of(op):
            _start(e, copy_scales(e, op, scale_start(e, op, _atom_of(op))))
        commit = partial(commit_sum, e, op.results[0])
        _start(e, [*_starts(e, op, acc), commit])
    e.set(op.results[0], Pending(acc.layout, ()))


@RULES.register(DEPOSIT)
def deposit(e: Emitter, op: ir.Operation) -> None:
    """The sum is there; a word in shared memory says whether anything was added."""
    b, holds = e.builder, e.pending(op.operands[0]).holds
    buffer = e.buffer(op.operands[1])
    with one_thread(e):
        flag = b.unsigned(b.constant(b.i1, 1) if holds is None else holds, b.i32)
        b.store(flag, b.byte_offset(buffer.pointer, buffer.base_bytes), 4)


def _start(e: Emitter, instructions: Iterable[Start]) -> None:
    """One thread starts them; what they read is computed by the whole warp."""
    ready = list(instructions)
    with elected(e):
        for start in ready:
            start()


def _starts(e: Emitter, op: ir.Operation, acc: Pending) -> Iterator[Start]:
    """What starts each of the instructions, K outermost."""
    b, atom = e.builder, _atom_of(op)
    rows, columns, depth = atom.shape
    shape = acc.layout.shape
    total = BufferType(op.operands[0].type).shape[1] * atom.packed
    left, right = (_Side(e, op, role, atom) for role in ROLES)
    flips = left.found.is_transposed, right.found.is_transposed
    bits = _instruction(op, atom, flips)
    sums, factors = first_column(e, op.results[0]), scale_start(e, op, atom)

    def place(start: tuple[ir.Value, int], column: int) -> ir.Value:
        base, first = start
        return pointer_of(b, b.add(base, b.constant(b.i32, first + column)))

    def start(k: int, row: int, column: int) -> None:
        at = column_of(row * rows, column * columns, shape, rows)
        more, scales = scales_at(op, atom, (row * rows, column * columns), k)
        form = b.constant(b.i32, bits | more)
        operands = [place(sums, at), left.at(row, k), right.at(column, k), form]
        operands += [_adds(b, acc, k), *(place(factors, at) for at in scales)]
        _multiply(b, _element(op, atom), atom, operands)

    counts = (total // depth, shape[0] // rows, shape[1] // columns)
    for number in product(*map(range, counts)):
        yield partial(start, *number)


def _multiply(
    b: Builder, element: str, atom: TensorAtom, operands: list[ir.Value]
) -> None:
    """One instruction: D, A, B, its descriptor, whether it adds to D, and factors."""
    kind = kind_of(element, atom.suffix)
    if len(operands) > _PLAIN:
        block = atom.shape[2] // atom.factors
        attributes = {
            "kind": b.attribute(f"#nvvm.block_scale_kind<{kind}>"),
            "ctaGroup": b.attribute("#nvvm.cta_group<cta_1>"),
        }
        if block < _WIDE_BLOCK:
            text = f"#nvvm.tcgen05_mma_block_scale<block{block}>"
            attributes["blockScale"] = b.attribute(text)
        b.create("nvvm.tcgen05.mma.block_scale", [], operands, attributes)
        return
    attributes = {
        "kind": b.attribute(f"#nvvm.tcgen05_mma_kind<{kind}>"),
        "ctaGroup": b.attribute(f"#nvvm.cta_group<cta_{atom.ctas}>"),
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
        size = TCGEN05.rows_read(atom)[ROLES.index(role)]
        across = TCGEN05.may_lie_across(atom)
        found = describe(buffer.layout.own, bits, role, size, across)
        if isinstance(found, str) or buffer.base_bytes % found.alignment_bytes:
            why = found if isinstance(found, str) else f"it is at {buffer.base_bytes}"
            raise UserError(
                f"'{op.name}': expected operand {role} in an arrangement that matrix "
                f"descriptors have, got {value.type}: {why}"
            )
        self.found = found
        self._base = matrix_descriptor(e, buffer, found.tensor_constant)

    def at(self, number: int, k: int) -> ir.Value:
        """The descriptor (i64) of an instruction.

        Args:
            number: Its number along M or N.
            k: Its number along K.
        """
        distance = self.found.start_bytes(number, k)
        return further(self._builder, self._base, distance)


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
