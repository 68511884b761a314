# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads by threads start together: each right behind the one before it.

A thread waits for memory when it first uses a loaded value. A load after that point,
such as one of weights that are used after the sum of a row, makes the thread wait once
more. So it is hoisted to the load before it; the language allows a load without a token
to move above any op.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.registers import held_registers
from cuda_tile.constants import MOST_HOISTED_REGISTERS
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.slices import needed_since
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed, layout_of
from cuda_tile.ir.traits import COMBINES, LOADS, STORES, is_pure
from cuda_tile.ir.walk import block_ops, nested_ops


def start_loads_together(entry: ir.Operation) -> None:
    """Moves weak loads of a block up to the load before them, as far as they may."""
    blocks = dict.fromkeys(op.block for op in nested_ops(entry) if _is_load(op))
    for block in blocks:
        room, before = MOST_HOISTED_REGISTERS, None
        for op in block_ops(block):
            if not _is_load(op):
                continue
            room -= _registers(op)
            sources = None if before is None else _made_between(before, op)
            if before is not None and sources is not None and room >= 0:
                for moved in (*sources, op):
                    moved.move_after(before)
                    before = moved
            else:
                before, room = op, MOST_HOISTED_REGISTERS


def _is_load(op: ir.Operation) -> bool:
    return (
        op.name in LOADS
        and is_distributed(op.results[0])
        and not memory_order(op).is_strong
    )


def _may_pass(op: ir.Operation) -> bool:
    """Whether ops after an op always run if it does: loads may move above it."""
    if op.name in LOADS | STORES:
        return not memory_order(op).is_strong
    return is_pure(op) or op.name in COMBINES


def _registers(op: ir.Operation) -> int:
    tile = op.results[0]
    return held_registers(layout_of(tile).n_registers, element_bits(element_of(tile)))


def _made_between(first: ir.Operation, op: ir.Operation) -> list[ir.Operation] | None:
    """The ops of a block after another load that a load needs, in order.

    None if some are not pure, such as ops that a token stands for.
    """
    ops = block_ops(first.block)
    between = ops[ops.index(first) + 1 : ops.index(op)]
    if not all(map(_may_pass, between)):
        return None
    return needed_since(first, op, is_pure)
