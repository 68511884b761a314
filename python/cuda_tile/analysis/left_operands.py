# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of warpgroups' sums, and of left operands that they read from registers.

An instruction reads its right operand from shared memory; 8-bit elements must be
contiguous along K. An operand of bytes that lies along M or N becomes the left operand
instead: threads load it from the slot of a copy to registers, and `ldmatrix.trans`
transposes it. For a right operand this needs the transposed product B^T A^T (`swap` in
the plan).

Contract `transposed_products`
    Law: A B is the transpose of B^T A^T: each element sums the same products over the
    same K.

    | | condition | near misses |
    |---|---|---|
    | C1 types | the right operand lies as bytes | words |
    | C2 types | warpgroups have an instruction for the types | doubles |
    | C3 flags | signs stay with their operands | unsigned_left |
    | C4 values | conversions are those of the program | floats_with_nans |
    | C5 values | sums begin with what the program says | from_seven, no_iteration |
    | C6 order | an engine copies it, by the contract of copies | acquire_of_the_loop |
    | - blocks | slots and registers are of one tile block | |
    | - indices | loads keep their indices; only names of dimensions change | |
    | C7 extents | a warpgroup has 64 columns, and as many rows and as much of K as | |
    | | an instruction; what is outside is padded | few_rows, few_columns |
    | | | odd_extents |
    | C8 extents | 16 bytes or more lie along N, whatever the tile is called | |
    | | | lies_along_k, renamed |
    | - aliasing | tokens order its load, by the contract of copies | |
    | C9 captures | a loop carries the sum, nothing else in it uses that; what goes | |
    | | on with it elsewhere gets it in its own layout | sum_that_the_loop_uses |
    | | | two_products_of_a_sum, carried_under_another_number |
    | | | goes_on_with_another_loop |
    | C10 captures | products alone use the tile | bytes_that_something_else_uses |
    | | | bytes_of_two_products |
"""

from __future__ import annotations

from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import source_load
from cuda_tile.engines.wgmma import as_wgmma, groups_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.copy_plan import read_load
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import element_bits, element_of, shape_of
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.wgmma import atom_of_sums, tile_wgmma
from cuda_tile.targets import REGISTER_BITS

TRANSPOSED = (1, 0)
"""The order of dimensions of a transposed matrix."""


def is_brought(op: ir.Operation, plan: ProductPlan) -> bool:
    """Whether threads load the left operand from the slot of a copy to registers.

    Args:
        op: The product.
        plan: The plan of the product.
    """
    load = source_load(op.operands[plan.swap]) if plan.lhs == "register" else None
    return load is not None and read_load(load).is_copy


def sums_layout(op: ir.Operation, plan: ProductPlan) -> LinearLayout:
    """The layout of the result of a product that warpgroups compute.

    Rows come in pairs if threads load an operand of bytes. In a transposed product the
    pair comes first if each sum has a register: the two are neighbours in memory.

    Args:
        op: The product.
        plan: The plan of the product.
    """
    atom, shape = as_wgmma(plan.atom), shape_of(op.results[0])
    load = source_load(op.operands[plan.swap])
    is_bytes = load is not None and element_bits(element_of(load.results[0])) == 8
    if is_bytes and is_brought(op, plan):
        atom = atom.in_pairs
    found = tile_wgmma(_transposed(shape, plan), groups_of(plan), "c", atom)
    if not plan.swap:
        return found
    first, second, *rest = found.register
    if element_bits(element_of(op.results[0])) == REGISTER_BITS:
        found = replace(found, register=(second, first, *rest))
    return found.permute(TRANSPOSED)


def left_layout(
    op: ir.Operation, plan: ProductPlan, sums: LinearLayout
) -> LinearLayout:
    """The layout of the operand that instructions read from registers.

    Args:
        op: The product.
        plan: The plan of the product.
        sums: The layout of its result.

    Returns:
        The layout of the operand as it is in `op`: for B^T that of B.

    Raises:
        InternalError: No warpgroups compute the product.
    """
    own = sums.permute(TRANSPOSED) if plan.swap else sums
    atom = atom_of_sums(plan.atom.name, own)
    if atom is None:
        raise InternalError(f"expected an instruction of warpgroups, got {plan.atom}")
    shape = _transposed(shape_of(op.operands[plan.swap]), plan)
    found = tile_wgmma(shape, groups_of(plan), "a", atom)
    return found.permute(TRANSPOSED) if plan.swap else found


def _transposed(shape: tuple[int, ...], plan: ProductPlan) -> tuple[int, ...]:
    return shape[::-1] if plan.swap else shape
