# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuses neighbouring reductions that do the same into one with more rows.

Contract: in and out, level W from `place`. A sum of a row and the sum of its squares
each combine over lanes and warps separately. One reduction of a tile with the rows of
both shares that work: lanes halve the rows between them, so that a shuffle serves both,
and the partial results of all warps are one tile in shared memory. In each thread the
two tiles follow each other along a new leading dimension, so that only registers are
renamed.

Ops that compute a later operand move up to the first reduction, if they are pure and
the operand takes few registers. Reductions are fused if lanes then take fewer issue
slots or if they combine over warps. Reductions whose results lanes divide are not,
since these have enough rows. Reductions with different bodies still share a barrier
(`stage/exchanges.py`).

Contract `join_reductions`
    Law: a reduction folds each row by itself; rows of one tile behind those of another
    are rows of one tile.

    | | condition | near misses |
    |---|---|---|
    | C1 types | operands have the same element types | other_types |
    | C2 flags | bodies are the same, op for op, with all that ops are told | |
    | | | flushed, other_body |
    | C3 values | identities are the same | other_identity |
    | C4 order | what moves up only computes | relaxed_between |
    | - blocks | no memory is touched | |
    | C5 indices | both fold the same dimension | other_dim |
    | C6 extents | tiles have one shape and one layout | other_shape |
    | - aliasing | no memory is touched | |
    | C7 captures | bodies take the same values from outside | other_capture, |
    | | | same_capture |
    | C8 captures | no one is made of another's result | dependent |
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.bodies import body_key
from cuda_tile.analysis.lane_folds import (
    fold_slots,
    halving_steps,
    redux_kinds,
    step_costs,
)
from cuda_tile.analysis.registers import held_registers
from cuda_tile.constants import MOST_JOINED_REGISTERS
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.slices import needed_since
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    is_distributed,
    layout_of,
    shape_of,
    tile_type,
)
from cuda_tile.ir.traits import PRODUCTS, REDUCTIONS, is_pure
from cuda_tile.ir.walk import block_ops, nested_ops
from cuda_tile.layout.linear import N_LANE_BITS
from cuda_tile.layout.part import part_layout
from cuda_tile.layout.reduction import lanes_along, replicated_result
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.stage.build import extract, join_along, reshape
from cuda_tile.targets import Target


@each_kernel
def run(entry: ir.Operation) -> None:
    """Joins reductions of an entry."""
    target = read_target(entry)
    found = [op for op in nested_ops(entry) if op.name in REDUCTIONS]
    for block in dict.fromkeys(op.block for op in found):
        for alike in _alike(block, target):
            _join_all(alike)


def _alike(block: ir.Block, target: Target) -> list[list[ir.Operation]]:
    """Groups of reductions of a block that can be fused, in program order."""
    groups: dict[Hashable, list[list[ir.Operation]]] = {}
    for op in block_ops(block):
        if op.name not in REDUCTIONS or not _pays(op, target):
            continue
        known = groups.setdefault(_key(op), [])
        if not any(_gather(op, group) for group in known):
            known.append([op])
    return [group for alike in groups.values() for group in alike]


def _key(op: ir.Operation) -> Hashable:
    """A key that is equal for reductions that do the same."""
    attributes = (str(op.attributes[name]) for name in ("dim", "identities"))
    operands = tuple(value.type for value in op.operands)
    results = tuple(value.type for value in op.results)
    # join_reductions C1, C2, C3, C5, C6, C7
    return (*attributes, operands, results, body_key(op))


def _pays(op: ir.Operation, target: Target) -> bool:
    """Whether fusing two such reductions pays and keeps the layout of their results."""
    dim, layout = integer(op, "dim"), layout_of(op.operands[0])
    replicated = replicated_result(layout, dim)
    result = op.results[0]
    if is_distributed(result) and layout_of(result) != replicated:
        return False
    bits, lanes = layout.bits_along(dim), len(lanes_along(layout, dim))
    if bits.warp or bits.block:
        return True
    if lanes == N_LANE_BITS and redux_kinds(op, target) is not None:
        return False
    rows, costs = replicated.n_registers, step_costs(op)

    def slots(n_rows: int) -> float:
        halved = halving_steps(n_rows, lanes, *costs)
        return fold_slots(n_rows, lanes, *costs, halved)

    return slots(2 * rows) < 2 * slots(rows)


def _gather(op: ir.Operation, group: list[ir.Operation]) -> bool:
    """Moves a reduction behind others of its group, if that is allowed."""
    sources = needed_since(group[0], op, _can_move)  # join_reductions C4, C8
    if sources is None:
        return False
    if sources and len(group) * _registers(op) > MOST_JOINED_REGISTERS:
        return False
    for source in sources:
        source.move_before(group[0])
    op.move_after(group[-1])
    group.append(op)
    return True


def _can_move(op: ir.Operation) -> bool:
    return is_pure(op) and op.name not in PRODUCTS


def _registers(op: ir.Operation) -> int:
    """Registers of a thread for the operands of a reduction."""
    return sum(
        held_registers(layout_of(tile).n_registers, element_bits(element_of(tile)))
        for tile in op.operands
    )


def _join_all(alike: Sequence[ir.Operation]) -> None:
    """Fuses the largest power of two of them, then the rest."""
    while len(alike) > 1:
        count = 1 << len(alike).bit_length() - 1
        with ir.InsertionPoint(alike[count - 1]), alike[0].location:
            _join(alike[:count])
        alike = alike[count:]


def _join(ops: Sequence[ir.Operation]) -> None:
    """Replaces reductions by one of a tile with the rows of all."""
    first, dim = ops[0], integer(ops[0], "dim")
    tiles = [
        join_along([_in_front(tile) for tile in column], 0)
        for column in zip(*(op.operands for op in ops), strict=True)
    ]
    layout = replicated_result(layout_of(tiles[0]), dim + 1)
    types = [tile_type(element_of(tile), layout) for tile in tiles]
    joined = clone_with(first, tiles, types)
    i32 = ir.IntegerType.get_signless(32)
    joined.attributes["dim"] = ir.IntegerAttr.get(i32, dim + 1)
    for number, op in enumerate(ops):
        for old, new in zip(op.results, joined.results, strict=True):
            old.replace_all_uses_with(_part(new, number, old.type))
        op.erase()


def _in_front(tile: ir.Value) -> ir.Value:
    """A tile with a new leading dimension of extent 1."""
    return reshape(tile, (1, *shape_of(tile)))


def _part(joined: ir.Value, number: int, ty: ir.Type) -> ir.Value:
    """The result of one of the fused reductions."""
    _, *shape = shape_of(joined)
    layout = part_layout(layout_of(joined), (1, *shape))
    part = extract(joined, [number, *(0 for _ in shape)], layout)
    return cuda_tile.ReshapeOp(ty, part).result
