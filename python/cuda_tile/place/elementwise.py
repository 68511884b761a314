# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families integer, bitwise, float, math, convert: all tiles share one layout."""

from __future__ import annotations

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.place.constraints import Constraint, Same
from cuda_tile.place.rules import RULES, PlaceContext


def same_layout(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """All tiles of the op have one layout; a thread works on its own elements.

    Args:
        ctx: The context of placement.
        op: The op.
    """
    del ctx
    return [Same(tuple(v for v in (*op.operands, *op.results) if is_distributed(v)))]


RULES.register(*(name for name, op in ods.ops().items() if "elementwise" in op.traits))(
    same_layout
)
