# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of buffers that instructions read through matrix descriptors.

Such a buffer must have an arrangement that a matrix descriptor can describe. Elements
of other widths than an engine's `widths_across` must be contiguous along K.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import (
    Product,
    conversions_of,
    renamed_buffer,
    source_load,
)
from cuda_tile.ir.cta_pairs import PAIR_CTAS, halved_dim
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import element_bits, element_of, shape_of
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.descriptors import (
    UNIT_BYTES,
    OperandRole,
    describe,
    panel_buffer,
)
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.records import dataclass

ROLES: tuple[OperandRole, OperandRole] = ("a", "b")
"""The operands that may lie in shared memory."""


@dataclass(frozen=True)
class Read:
    """An operand that instructions read from the buffer to which it was copied.

    Attributes:
        operand: The operand, which renames a loaded tile.
        index: Number of the operand in its product.
        plan: The plan of the product.
    """

    operand: ir.Value
    index: int
    plan: ProductPlan

    def suits(self, shared: SharedLayout) -> bool:
        """Whether instructions can read the operand if the loaded tile has a layout."""
        bits = element_bits(element_of(self.operand))
        renamed = renamed_buffer(shared, self.operand)
        return describes(renamed, bits, self.index, self.plan)

    @property
    def count(self) -> int:
        """Rows or columns of the operand that one instruction reads."""
        return self.plan.atom.shape[self.index ^ self.plan.swap]


def copied_buffer(
    tile: ir.Value, contiguous: int, reads: Sequence[Read]
) -> SharedLayout:
    """The layout of a copy's buffer, with the widest swizzle that suits all readers.

    If warpgroups divide few columns, no panel may be wider than the part of one
    warpgroup: each of two warpgroups reads 32 of 64 columns, which are 64 bytes. If
    a pair of CTAs copies a tile, each has half of the columns of the product.

    Args:
        tile: The loaded tile.
        contiguous: The dimension whose elements are neighbours in memory.
        reads: The operands that instructions read there; threads read any layout.
    """
    bits, dim = element_bits(element_of(tile)), halved_dim(defining_op(tile))
    shape = tuple(
        n // PAIR_CTAS if d == dim else n for d, n in enumerate(shape_of(tile))
    )

    def buffer(part: int | None = None) -> SharedLayout:
        own = panel_buffer(shape, bits, contiguous, part)
        return own if dim is None else own.beside_peer(dim)

    part = shape[contiguous]
    while part * bits >= UNIT_BYTES * 8:
        found = buffer(part)
        if all(read.suits(found) for read in reads):
            return found
        part //= 2
    return buffer()


def describes(shared: SharedLayout, bits: int, index: int, plan: ProductPlan) -> bool:
    """Whether an instruction reads an operand of a product from a buffer.

    Args:
        shared: The layout of the buffer.
        bits: Bits of an element.
        index: Which operand.
        plan: How the product is computed.
    """
    role, atom = ROLES[index ^ plan.swap], plan.atom
    if not plan.engine.reads_shared:
        return False
    shared = shared.permute((1, 0)) if plan.swap else shared
    across = plan.engine.may_lie_across(atom)
    found = describe(shared.own, bits, role, count_of(plan, role), across)
    return not isinstance(found, str)


def readable_buffer(
    op: ir.Operation, index: int, plan: ProductPlan, near: int
) -> SharedLayout | None:
    """A layout that an instruction can read an operand from, or None if there is none.

    Args:
        op: The product.
        index: Which operand.
        plan: How it is computed.
        near: The dimension that is contiguous if that is possible.
    """
    operand = op.operands[index]
    shape, bits = shape_of(operand), element_bits(element_of(operand))
    for dim in (near, 1 - near):
        if shape[dim] * bits < UNIT_BYTES * 8:
            continue
        part = None if dim == 1 - index else plan.atom.shape[index ^ plan.swap]
        layout = panel_buffer(shape, bits, dim, part)
        if describes(layout, bits, index, plan):
            return layout
    return None


def count_of(plan: ProductPlan, role: OperandRole) -> int:
    """Rows of A or columns of B that one instruction reads in a CTA's memory.

    Args:
        plan: How the product is computed.
        role: Which operand.
    """
    return plan.engine.rows_read(plan.atom)[ROLES.index(role)]


def is_readable(
    product: Product, index: int, plan: ProductPlan, facts: FactsAnalysis | None
) -> bool:
    """Whether an operand can lie in shared memory as the instruction needs it.

    Args:
        product: The product.
        index: Which operand.
        plan: How the product is computed.
        facts: Facts of the entry; None before there are any.
    """
    operand = product.op.operands[index]
    load = source_load(operand)
    bits = product.operand_bits
    if facts is None or load is None:
        if bits != 16:  # rows of other widths would be stored element by element
            return False
        return readable_buffer(product.op, index, plan, 1) is not None
    if conversions_of(operand):  # by threads, which the instruction does not wait for
        return False
    tile, access = load.results[0], describe_access(load, facts)
    if shape_of(tile)[access.fastest] * bits < UNIT_BYTES * 8:
        return False
    read = Read(operand, index, plan)
    return read.suits(copied_buffer(tile, access.fastest, [read]))
