# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loads are duplicated for late products: `plan` asks, a pass does it.

A late product runs an iteration behind the others of its loop. A slot is read in one
iteration only, so a tile that other products read, too, is loaded again for it. The
contract is in passes/load_duplication.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import LoadedOperand, renamed_uses, source_load
from cuda_tile.analysis.tokens import TokenOrder
from cuda_tile.errors import InternalError
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import FOR_LOOPS, LOADS, VIEW_LOADS
from cuda_tile.ir.walk import defining_op, enclosing_entry
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class SharedOperand:
    """An operand of a late product whose load others use as well.

    Attributes:
        product: The late product.
        index: The number of the operand.
        load: The load, in the same block.
    """

    product: ir.Operation
    index: int
    load: ir.Operation


def shared_operands(late: Iterable[ir.Operation]) -> list[SharedOperand]:
    """The operands of late products whose loads others use as well."""
    late = list(late)
    found: list[SharedOperand] = []
    for product in late:
        for index in (0, 1):
            load = source_load(product.operands[index])
            if load is None or load.block != product.block:
                continue  # load_duplication C6
            # load_duplication C7
            if not {op for op, _ in renamed_uses(load.results[0])} <= set(late):
                found.append(SharedOperand(product, index, load))
    return found


def may_duplicate(shared: Iterable[SharedOperand]) -> bool:
    """Whether the loads of some operands, all of one block, may be made twice."""
    loads = {operand.load for operand in shared}
    if not loads:
        return True
    loop = next(iter(loads)).block.owner.operation
    order = TokenOrder(enclosing_entry(loop))
    return loop.name in FOR_LOOPS and all(  # load_duplication C4
        load.name in VIEW_LOADS
        and not memory_order(load).is_strong  # load_duplication C1
        and not order.writes_after(load)  # load_duplication C2
        for load in loads
    )


def counted_twice(
    operands: Iterable[LoadedOperand], shared: Iterable[SharedOperand]
) -> list[LoadedOperand]:
    """The loaded operands; a load that is duplicated appears once for each copy.

    Args:
        operands: The loaded operands.
        shared: The loads that are made twice.
    """
    again = {(operand.product, operand.index) for operand in shared}
    found: list[LoadedOperand] = []
    for operand in operands:
        second = tuple(use for use in operand.uses if use in again)
        first = tuple(use for use in operand.uses if use not in again)
        found += [replace(operand, uses=uses) for uses in (first, second) if uses]
    return found


def duplicate(shared: Iterable[SharedOperand]) -> None:
    """Duplicates the loads of some operands, with the ops on their tiles."""
    made: dict[ir.Operation, ir.Operation] = {}
    for operand in shared:
        product, index = operand.product, operand.index
        product.operands[index] = _again(product.operands[index], made)


def _again(value: ir.Value, made: dict[ir.Operation, ir.Operation]) -> ir.Value:
    """A value recomputed from another load, by copies of the existing ops."""
    op = defining_op(value)
    if op is None:
        raise InternalError("expected an operand that is made of a load")
    if op not in made:
        source = None if op.name in LOADS else _again(op.operands[0], made)
        # load_duplication C3, C5
        twin = op.clone(ip=ir.InsertionPoint.after(op)).operation
        if source is not None:
            twin.operands[0] = source
        made[op] = twin
    return made[op].results[0]
