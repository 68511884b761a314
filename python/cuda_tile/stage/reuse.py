# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that one loop loads are kept for later loops that load them again.

The tiles of the first iterations go to shared memory. Attributes on the loads
(`ir/reuse.py`) note this, since the number of tiles that fit is known only when all
buffers have their places. The tiles of the last iterations stay in registers: the first
loop carries them, and the other loops end with copies of their bodies that use them.
The first loop is unrolled, so that one CTA alone has enough bytes in flight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.analysis.registers import held_registers
from cuda_tile.analysis.reused_tiles import Repeated, counts_from_zero, repeated_tiles
from cuda_tile.constants import (
    BYTES_IN_FLIGHT,
    MOST_ITERATIONS,
    REUSED_ITERATIONS,
    REUSED_REGISTERS,
)
from cuda_tile.ir.carried import carry_all, set_ends
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.reuse import Reuse, slot_bytes
from cuda_tile.ir.scalars import branch, compare, constant, plus, subtract
from cuda_tile.ir.tiles import element_bits, element_of, layout_of
from cuda_tile.ir.walk import block_ops
from cuda_tile.records import dataclass
from cuda_tile.stage.build import zeros
from cuda_tile.stage.unroll import copy_iteration, unroll


@dataclass(frozen=True)
class _Group:
    """The tiles that one loop is the first to load.

    Attributes:
        loads: The loads of that loop.
        later: For each later loop with some of these tiles, their numbers and its
            loads.
    """

    loads: list[ir.Operation]
    later: list[dict[int, ir.Operation]]


def reuse_tiles(entry: ir.Operation) -> None:
    """Keeps the tiles that loops load again, if the plan says so."""
    plan = read_plan(entry)
    if not plan.reuse:
        return
    tiles = repeated_tiles(entry)
    for number, tile in enumerate(tiles):
        for place, op in enumerate(tile.loads):
            Reuse(number, int(place > 0), tile.index, tile.iterations).write(op)
    for group in _groups(tiles):
        _keep_in_registers(group)
        n_bytes = sum(slot_bytes(load, plan.num_warps) for load in group.loads)
        _start_together(_loop_of(group.loads[0]), n_bytes)


def _groups(tiles: Sequence[Repeated]) -> list[_Group]:
    """Groups of a loop and later loops; each later loop is in one group only."""
    first: dict[ir.Operation, list[Repeated]] = {}
    for tile in tiles:
        first.setdefault(_loop_of(tile.loads[0]), []).append(tile)
    found: list[_Group] = []
    busy = set(first)
    for mine in first.values():
        later: dict[ir.Operation, dict[int, ir.Operation]] = {}
        for number, tile in enumerate(mine):
            for load in tile.loads[1:]:
                loop = _loop_of(load)
                if loop not in busy:
                    later.setdefault(loop, {})[number] = load
        busy.update(later)
        found.append(_Group([tile.loads[0] for tile in mine], list(later.values())))
    return found


def _loop_of(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    assert parent is not None, "what repeats stands in loops"
    return parent.operation


def _start_together(loop: ir.Operation, n_bytes: int) -> None:
    """Unrolls a loop whose iterations load `n_bytes` each."""
    times = 1
    while times < MOST_ITERATIONS and times * n_bytes < BYTES_IN_FLIGHT:
        times *= 2
    counted = counts_from_zero(loop)
    if times > 1 and counted is not None and not counted.is_unsigned:
        unroll(loop, times)


def _keep_in_registers(group: _Group) -> None:
    """Gives the last iterations of later loops the tiles that the first loop loaded."""
    counted = counted_loop(_loop_of(group.loads[0]))
    iterations = min(
        REUSED_ITERATIONS, REUSED_REGISTERS // sum(map(_registers, group.loads))
    )
    if not iterations or counted is None or counted.is_unsigned:
        return
    kept = _carry(_loop_of(group.loads[0]), group.loads, iterations)
    for loads in group.later:
        if any(list(load.results[1].uses) for load in loads.values()):
            # Another op waits for the load itself.
            continue  # load_reuse C11
        known: list[dict[ir.Value, ir.Value]] = [
            {load.results[0]: tiles[number] for number, load in loads.items()}
            for tiles in kept
        ]
        _peel(_loop_of(next(iter(loads.values()))), known)


def _registers(op: ir.Operation) -> int:
    tile = op.results[0]
    return held_registers(layout_of(tile).n_registers, element_bits(element_of(tile)))


def _carry(
    loop: ir.Operation, loads: Sequence[ir.Operation], iterations: int
) -> list[list[ir.Value]]:
    """Lets a loop carry the tiles that it loaded in its last iterations.

    Returns:
        For each of these iterations, the last one first, the tiles of all loads.
    """
    with ir.InsertionPoint(loop), loop.location:
        empty = [zeros(load.results[0]) for load in loads]
    count = len(loop.results)
    loop, carried = carry_all(loop, empty * iterations)
    end = block_ops(loop.regions[0].blocks[0])[-1]
    fresh = [load.results[0] for load in loads]
    shifted = [*fresh, *carried[: len(carried) - len(fresh)]]
    set_ends(end, [*end.operands, *shifted])
    found = [cast("ir.Value", value) for value in list(loop.results)[count:]]
    width = len(loads)
    return [found[at : at + width] for at in range(0, len(found), width)]


def _peel(loop: ir.Operation, kept: list[dict[ir.Value, ir.Value]]) -> None:
    """Copies the last iterations of a loop behind it, with kept tiles instead of loads.

    Args:
        loop: The loop.
        kept: For each of these iterations, the last one first, the kept tile for each
            result of a load.
    """
    counted = counted_loop(loop)
    assert counted is not None, "only loops that count are peeled"
    upper = counted.upper
    with ir.InsertionPoint(loop), loop.location:
        least = constant(len(kept), upper.type)
        enough = cuda_tile.MaxIOp(upper, least, "signed").result
        left = subtract(enough, least)  # no overflow, whatever the bound
    uses = [list(result.uses) for result in loop.results]
    carried: list[ir.Value] = list(loop.results)
    behind = _next(loop)
    with ir.InsertionPoint(behind), loop.location:
        for iteration, known in reversed(list(enumerate(kept))):
            # load_reuse C9
            runs = compare("greater_than", upper, constant(iteration, upper.type))
            index = plus(upper, -iteration - 1)
            types = [value.type for value in carried]
            with branch(runs, types) as made:
                after = copy_iteration(loop, [index, *carried], known)
                if types:
                    cuda_tile.YieldOp(after)
            if types:
                with ir.InsertionPoint(made.regions[1].blocks.append()):
                    cuda_tile.YieldOp(carried)
            carried = list(made.results)
    loop.operands[1] = left
    for value, places in zip(carried, uses, strict=True):
        for use in places:
            use.owner.operands[use.operand_number] = value


def _next(op: ir.Operation) -> ir.Operation:
    ops = block_ops(op.block)
    return ops[ops.index(op) + 1]
