# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families memory and view: accesses prefer layouts in which they coalesce."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.operand_sources import is_brought_to_threads
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.ir.copy_plan import TMA, read_load, read_store
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import VIEW_LOADS
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import (
    Constraint,
    Demand,
    Meets,
    Prefer,
    Related,
    Same,
)
from cuda_tile.place.cost import sector_cycles, trip_count
from cuda_tile.place.rules import RULES, PlaceContext


def prefer(
    ctx: PlaceContext, op: ir.Operation, operand: int | None, *, can_convert: bool
) -> Prefer:
    """The cheapest layout of an access, and the cost of other layouts.

    Args:
        ctx: Plan, facts and chip.
        op: The access.
        operand: Number of the operand that is stored; None for a load's result.
        can_convert: Whether the tile may be converted next to the access.
    """
    access = describe_access(op, ctx.facts)
    n_bytes = prod(access.shape) * access.element_bytes

    def cycles(layout: LinearLayout) -> float:
        # Of several warps with copies one stores, but each of them loads.
        free = layout.free_bits()
        copies = free.warp.bit_count() + free.block.bit_count()
        copies = copies if operand is None else 0
        return (access.sectors(layout) << copies) * sector_cycles(ctx.target)

    return Prefer(
        op,
        operand,
        access.best_layout(ctx.plan.num_warps, n_blocks=ctx.plan.cluster),
        cycles,
        n_bytes,
        trip_count(op),
        can_convert,
    )


def is_read_back(load: ir.Operation) -> bool:
    """Whether an engine copies a tile that threads then read from shared memory.

    Products read other copied tiles there, or parts of them.
    """
    is_copied = load.name in VIEW_LOADS and read_load(load).is_copy
    return is_copied and is_brought_to_threads(load)


def prefer_any(ctx: PlaceContext, load: ir.Operation) -> Prefer:
    """Any layout is equally good for a tile that is read back from shared memory.

    Args:
        ctx: The context of placement.
        load: The load.
    """
    return replace(prefer(ctx, load, None, can_convert=False), cycles=_nothing)


def _nothing(layout: LinearLayout) -> float:
    """The cost of an access that any layout suits: 0."""
    del layout
    return 0.0


@RULES.register("load_view_tko")
def load_view_tko(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """The loaded tile is cheapest in the access's own layout.

    The threads that have elements of a slice need its position.
    """
    if is_read_back(op):
        return [prefer_any(ctx, op)]
    constraints: list[Constraint] = [prefer(ctx, op, None, can_convert=True)]
    sparse = tiling_of(view_operand(op)).sparse_dim
    if sparse is not None:
        back = partial(_along, dim=sparse)
        constraints.append(Related(op, 1 + sparse, 0, forward=None, backward=back))
    return constraints


@RULES.register("store_view_tko")
def store_view_tko(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """The stored tile is converted if its own layout would waste sectors.

    A tile that the copy engine stores goes through shared memory unchanged.
    """
    if read_store(op).engine == TMA:
        return []
    return write_to_view(ctx, op, 0)


def write_to_view(
    ctx: PlaceContext, op: ir.Operation, operand: int
) -> list[Constraint]:
    """A write of an operand; a scattered tile comes in the access's own layout.

    Args:
        ctx: The context of placement.
        op: The store.
        operand: The number of the operand that is stored.
    """
    wanted = prefer(ctx, op, operand, can_convert=True)
    sparse = tiling_of(view_operand(op)).sparse_dim
    if sparse is None:
        return [wanted]
    positions = list(op.operands).index(index_operands(op)[sparse])
    return [
        wanted,
        Demand(op, operand, wanted.layout),
        Demand(op, positions, _along(wanted.layout, sparse)),
    ]


def _along(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout of one value per coordinate along `dim`, where a thread needs it."""
    extents = [1] * layout.rank
    extents[dim] = layout.shape[dim]
    source = layout.broadcast_source(extents).drop_redundant_registers()
    return source.reshape((layout.shape[dim],))


@RULES.register("load_ptr_tko")
def load_ptr_tko(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Pointers, mask, padding and result belong to the same threads."""
    tiles = tuple(v for v in (*op.operands, *op.results) if is_distributed(v))
    return [Same(tiles), prefer(ctx, op, None, can_convert=False)]


@RULES.register("store_ptr_tko")
def store_ptr_tko(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Pointers, mask and value belong to the same threads."""
    return write_at_pointers(ctx, op)


def write_at_pointers(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A write of operand 1 at the pointers of operand 0.

    Args:
        ctx: The context of placement.
        op: The store, or an atomic whose result nobody uses.
    """
    pointers, value, *others = op.operands
    tiles = (v for v in (*others, *op.results) if is_distributed(v))
    wanted = prefer(ctx, op, 1, can_convert=False)
    if not is_distributed(value):
        return [Same((pointers, *tiles)), wanted]
    return [Same((pointers, *tiles)), Meets(wanted, 0)]
