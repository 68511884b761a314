# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small exchanges between warps that do not depend on each other share one barrier.

A reduction across warps exchanges a few bytes; its cost is the barrier between its
store and its load. So independent reductions of one block are brought together: first
all stores, then all loads.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.constants import MOST_EXCHANGED_BYTES
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import COMBINES, is_pure
from cuda_tile.ir.walk import block_ops, defining_op, nested_ops, taken
from cuda_tile.stage.conversion import conversion_source


def join_exchanges(entry: ir.Operation) -> None:
    """Moves small conversions of a block that can be made together next to each other.

    What a later one is made of moves up with it, as far as it is pure.
    """
    for block in {op.block for op in nested_ops(entry) if _is_small(op)}:
        first: ir.Operation | None = None
        for op in block_ops(block):
            if not _is_small(op):
                continue
            sources = None if first is None else _made_after(op, first)
            if first is None or sources is None:
                first = op
                continue
            for source in sources:
                source.move_before(first)
            op.move_after(_last_of_run(first))


def hoist_store(load: ir.Operation) -> None:
    """Moves the store of an exchange before the loads of those right before it.

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
        and tile_bytes(op.results[0]) <= MOST_EXCHANGED_BYTES
        and conversion_source(op.results[0]) is not None
    )


def _made_after(op: ir.Operation, first: ir.Operation) -> list[ir.Operation] | None:
    """What an op needs of what its block makes behind `first`, in order.

    None if that needs `first`, or is more than values.
    """
    ops = block_ops(op.block)
    between = ops[ops.index(first) : ops.index(op)]
    wanted = set(op.operands)
    found: list[ir.Operation] = []
    for other in reversed(between):
        if wanted.isdisjoint(other.results):
            continue
        if other == first or _is_small(other) or not _can_move(other):
            return None
        wanted.update(taken(other))
        found.append(other)
    return found[::-1]


def _can_move(op: ir.Operation) -> bool:
    """Whether an op only computes; the body of a reduction does nothing else."""
    return is_pure(op) or op.name in COMBINES


def _last_of_run(first: ir.Operation) -> ir.Operation:
    """The last of the small conversions that follow each other from `first` on."""
    ops = block_ops(first.block)
    place = ops.index(first)
    while place + 1 < len(ops) and _is_small(ops[place + 1]):
        place += 1
    return ops[place]
