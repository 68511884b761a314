# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a use gets a value in another layout: conversion or rematerialisation.

A `tileas.convert_layout` of the value always works, but often a cheaper way exists. An
op that renames elements, or works element by element, can be repeated in the wanted
layout, so that only its operands are converted. So a mask is recomputed from `iota` and
constants (rematerialisation), and a small tile is converted before it is broadcast or
widened. The cheapest way by `place/cost.py` is chosen.
"""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.operand_sources import layout_before
from cuda_tile.constants import MOST_REPEATED_OPS
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.tiles import is_distributed, with_layout
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.cheap import FREE, REPEATABLE
from cuda_tile.place.cost import (
    conversion_cycles,
    instruction_cycles,
    tile_bits,
    trip_count,
)
from cuda_tile.records import dataclass

Key = tuple[ir.Value, LinearLayout]


@dataclass
class Conversions:
    """Makes values in other layouts, each once per layout.

    Attributes:
        defined: The layout in which each distributed value is made; grows.
        replaced: Ops that were repeated, and may have no use any more.
    """

    defined: dict[ir.Value, LinearLayout]
    replaced: list[ir.Operation] = field(default_factory=list[ir.Operation])
    _made: dict[Key, ir.Value] = field(default_factory=dict[Key, ir.Value])

    def get(
        self, value: ir.Value, layout: LinearLayout, *, may_repeat: bool = True
    ) -> ir.Value:
        """`value` in `layout`, right after its definition: it dominates every use.

        Args:
            value: A distributed tile.
            layout: The layout that is wanted.
            may_repeat: Whether its op may be repeated instead.
        """
        if self.defined[value] == layout:
            return value
        key = (value, layout)
        if key not in self._made:
            op = defining_op(value)
            room = MOST_REPEATED_OPS if may_repeat else 0
            repeated = self._repeated_cycles(value, layout, room)
            if op is None or repeated is None or repeated >= self._plain(*key):
                made = _convert(value, layout)
            else:
                made = self._repeat(op, layout)
                self.replaced.append(op)
            self._made[key] = made
            self.defined[made] = layout
        return self._made[key]

    def _plain(self, value: ir.Value, layout: LinearLayout) -> float:
        op = defining_op(value)
        trips = 1 if op is None else trip_count(op)
        cycles = conversion_cycles(self.defined[value], layout, tile_bits(value))
        return cycles * trips

    def _cycles(self, value: ir.Value, layout: LinearLayout, room: int) -> float:
        """Least cost of `value` in `layout`; 0 if it exists."""
        if self.defined[value] == layout or (value, layout) in self._made:
            return 0.0
        plain = self._plain(value, layout)
        repeated = self._repeated_cycles(value, layout, room)
        return plain if repeated is None else min(plain, repeated)

    def _repeated_cycles(
        self, value: ir.Value, layout: LinearLayout, room: int
    ) -> float | None:
        """Cost of repeating the op that makes `value`, and of its operands.

        None if that is impossible, or takes more than `room` ops.
        """
        op = defining_op(value)
        if op is None or room == 0 or op.name not in REPEATABLE:
            return None
        own = 0.0 if op.name in FREE else instruction_cycles(layout) * trip_count(op)
        tiles = [v for v in op.operands if is_distributed(v)]
        share = (room - 1) // max(1, len(tiles))
        return own + sum(
            self._cycles(v, layout_before(op, layout), share) for v in tiles
        )

    def _repeat(self, op: ir.Operation, layout: LinearLayout) -> ir.Value:
        operands = [
            self.get(v, layout_before(op, layout)) if is_distributed(v) else v
            for v in op.operands
        ]
        with ir.InsertionPoint.after(op):
            ty = with_layout(op.results[0], layout)
            return clone_with(op, operands, [ty]).results[0]


def _convert(value: ir.Value, layout: LinearLayout) -> ir.Value:
    owner = value.owner
    if isinstance(owner, ir.Block):
        point = ir.InsertionPoint.at_block_begin(owner)
        location = owner.owner.location
    else:
        point = ir.InsertionPoint.after(owner.operation)
        location = owner.operation.location
    with point, location:
        return tileas.ConvertLayoutOp(with_layout(value, layout), value).result
