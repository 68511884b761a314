# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small exchanges between warps that do not depend on each other share one barrier.

A reduction across warps exchanges a few bytes; its cost is the barrier between its
store and its load. So independent reductions of one block are grouped: first all
stores, then all loads.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.constants import MOST_EXCHANGED_BYTES
from cuda_tile.ir.slices import needed_since
from cuda_tile.ir.tiles import is_distributed, tile_bytes
from cuda_tile.ir.traits import COMBINES, is_pure
from cuda_tile.ir.walk import block_ops, defining_op, nested_ops, taken
from cuda_tile.stage.conversion import conversion_source


def join_exchanges(entry: ir.Operation) -> None:
    """Moves small conversions of a block next to each other if they are independent.

    The ops that compute a later conversion's operand move up with it if they are pure.
    If they are not, such as a load, the earlier conversions move down, together with
    their users in between if these are few.
    """
    for block in {op.block for op in nested_ops(entry) if _is_small(op)}:
        run: list[ir.Operation] = []
        for op in block_ops(block):
            if not _is_small(op):
                continue
            if not (run and (_hoist(op, run) or _sink(run, op))):
                run = []
            run.append(op)


def _hoist(op: ir.Operation, run: Sequence[ir.Operation]) -> bool:
    """Moves a conversion up behind others, if that is allowed."""
    sources = needed_since(run[0], op, _can_move)
    if sources is None:
        return False
    for source in sources:
        source.move_before(run[0])
    op.move_after(run[-1])
    return True


def _sink(run: Sequence[ir.Operation], op: ir.Operation) -> bool:
    """Moves conversions, and few ops that use them, down to another one."""
    made = {value for each in run for value in each.results}
    behind: list[ir.Operation] = []
    ops = block_ops(op.block)
    for other in ops[ops.index(run[-1]) + 1 : ops.index(op) + 1]:
        if made.isdisjoint(taken(other)):
            continue
        if other == op or not (_can_move(other) and _is_little(other)):
            return False
        made.update(other.results)
        behind.append(other)
    for each in run:
        each.move_before(op)
    for each in reversed(behind):
        each.move_after(op)
    return True


def hoist_store(load: ir.Operation) -> None:
    """Moves the store of an exchange before the loads of exchanges right before it.

    Args:
        load: The load, right behind its buffer and the store to it.
    """
    alloc = defining_op(load.operands[0])
    assert alloc is not None, "the buffer of an exchange is made for it"
    ops = block_ops(load.block)
    place = ops.index(alloc)
    store = ops[place + 1]
    first = place
    while first and ops[first - 1].name == "tileas.load_shared":
        first -= 1
    loads = ops[first:place]
    if tile_bytes(load.results[0]) > MOST_EXCHANGED_BYTES:
        return
    source = defining_op(store.operands[0])
    if loads and (source is None or source not in loads):
        alloc.move_before(loads[0])
        store.move_before(loads[0])


def _is_small(op: ir.Operation) -> bool:
    return (
        op.name == "tileas.convert_layout"
        and _is_little(op)
        and conversion_source(op.results[0]) is not None
    )


def _is_little(op: ir.Operation) -> bool:
    """Whether the results of an op take few registers."""
    return all(
        not is_distributed(value) or tile_bytes(value) <= MOST_EXCHANGED_BYTES
        for value in op.results
    )


def _can_move(op: ir.Operation) -> bool:
    """Whether an op is pure; the body of a reduction always is."""
    return (is_pure(op) or op.name in COMBINES) and not _is_small(op)
