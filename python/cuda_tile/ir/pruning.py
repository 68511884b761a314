# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dead code elimination in a loop, carried values included."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.carried import drop, first_carried
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import LOADS, is_pure
from cuda_tile.ir.walk import block_ops, taken


def is_removable(op: ir.Operation) -> bool:
    """Whether an op may go if nothing uses its results."""
    return is_pure(op) or (op.name in LOADS and not memory_order(op).is_strong)


def prune_loop(loop: ir.Operation) -> ir.Operation:
    """Removes the dead ops and the dead carried values of a loop.

    Args:
        loop: A `for` whose body ends in its only `continue`.
    """
    dead = _dead_carried(loop)
    end = block_ops(loop.regions[0].blocks[0])[-1]
    first_argument = first_carried(loop)[1]
    if dead:
        # A carried value may feed only itself. Its initial value takes its place, so
        # that its update is dead, too.
        arguments = list(loop.regions[0].blocks[0].arguments)
        initial = list(loop.operands)[len(loop.operands) - len(loop.results) :]
        for number in dead:
            end.operands[number] = initial[number]
            arguments[first_argument + number].replace_all_uses_with(initial[number])
    _erase_unused(loop.regions[0].blocks[0])
    return drop(loop, dead) if dead else loop


def _erase_unused(block: ir.Block) -> None:
    for op in reversed(block_ops(block)):
        if is_removable(op) and not any(list(value.uses) for value in op.results):
            op.erase()


def _dead_carried(loop: ir.Operation) -> list[int]:
    """Numbers of the carried values that only feed themselves."""
    body = loop.regions[0].blocks[0]
    ops = block_ops(body)
    end, first = ops[-1], first_carried(loop)[1]
    alive = {n for n, result in enumerate(loop.results) if list(result.uses)}
    work = [end.operands[number] for number in alive]
    for op in ops[:-1]:
        if not is_removable(op):
            work += taken(op)
    seen: set[ir.Value] = set()
    while work:
        value = work.pop()
        owner = value.owner
        if value in seen:
            continue
        seen.add(value)
        if isinstance(owner, ir.Block):
            number = ir.BlockArgument(value).arg_number - first
            if owner == body and number >= 0:
                alive.add(number)
                work.append(end.operands[number])
        elif owner.operation.block == body:
            work += owner.operation.operands
    return [n for n in range(len(loop.results)) if n not in alive]
