# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product's operand in shared memory: stored once, as far out as its source allows.

The store stands before the outermost loop in which the source does not change, so that
a loop-invariant operand is stored once, not in each iteration (a loop that never runs
leaves the buffer unread, which does no harm). Products that read one source in one
layout share a buffer.
"""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import LOOPS, TILE_LOOPS
from cuda_tile.ir.walk import enclosing_ops_of
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.records import dataclass
from cuda_tile.stage.conversion import store_in_buffer

_LOOPS = LOOPS - TILE_LOOPS
"""Loops of the program; what stands before `tiles` serves all roles, a buffer one."""


@dataclass(frozen=True)
class Staged:
    """A buffer that holds a source for all ops after the store under `block`."""

    source: ir.Value
    layout: SharedLayout
    block: ir.Block
    buffer: ir.Value


@dataclass
class StagedOperands:
    """The buffers of the operands of one entry.

    Attributes:
        room_bytes: Bytes that buffers which live through a loop may still take. Beyond
            that an operand is stored next to its product, and others may reuse its
            bytes.
        made: The buffers.
        held_bytes: Bytes of buffers that live through a loop.
    """

    room_bytes: int
    made: list[Staged] = field(default_factory=list[Staged])
    held_bytes: int = 0

    def buffer(
        self, op: ir.Operation, source: ir.Value, layout: SharedLayout
    ) -> ir.Value:
        """A buffer of a layout that holds `source` when `op` runs.

        Ops must be asked for in program order.

        Args:
            op: The product.
            source: Its operand.
            layout: The layout of the buffer.
        """
        found = self.find(op, source, layout)
        if found is not None:
            return found
        point = op
        if self.is_hoisted(op, source):
            point = outermost_point(op, source)
            self.room_bytes -= tile_bytes(source)
            self.held_bytes += tile_bytes(source)
        with ir.InsertionPoint(point), op.location:
            buffer = store_in_buffer(source, layout)
        self.made.append(Staged(source, layout, point.block, buffer))
        return buffer

    def find(
        self, op: ir.Operation, source: ir.Value, layout: SharedLayout
    ) -> ir.Value | None:
        """The buffer in which `op` finds `source`, stored for an earlier product.

        Args:
            op: The product.
            source: Its operand.
            layout: The layout of the buffer.
        """
        for staged in self.made:
            if (staged.source, staged.layout) == (source, layout) and (
                staged.block in enclosing_blocks(op)
            ):
                return staged.buffer
        return None

    def is_hoisted(self, op: ir.Operation, source: ir.Value) -> bool:
        """Whether `source` would be stored before a loop around `op`.

        Args:
            op: The product.
            source: Its operand.
        """
        is_outside = outermost_point(op, source) != op
        return is_outside and tile_bytes(source) <= self.room_bytes


def enclosing_blocks(op: ir.Operation) -> list[ir.Block]:
    """The blocks around `op` up to its entry's body, innermost first."""
    return [each.block for each in (op, *enclosing_ops_of(op))]


def outermost_point(op: ir.Operation, source: ir.Value) -> ir.Operation:
    """`op`, or the outermost loop around it that `source` is defined outside of.

    Args:
        op: The product.
        source: Its operand.
    """
    owner = source.owner
    home = owner if isinstance(owner, ir.Block) else owner.operation.block
    point = op
    for around in enclosing_ops_of(op):
        if op.block == home:
            break
        op = around
        point = op if op.name in _LOOPS else point
    return point
