# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What threads do for an op beside products: clocks of a multiprocessor's units.

Where products give tiles their layouts, every element counts once. In other kernels a
tile has the layout in which its rows are loaded, so that it is known what each warp
repeats of a small one, and what lanes and warps exchange to combine its rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import MAX_VECTOR_BYTES, Access
from cuda_tile.analysis.bodies import is_in_body
from cuda_tile.analysis.lane_folds import combining_slots
from cuda_tile.constants import EXPENSIVE_SLOTS, INSTRUCTION_CLOCKS
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.cta_pairs import copied_bytes
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    elements_of,
    is_distributed,
    shape_of,
    tile_bytes,
)
from cuda_tile.ir.traits import (
    COMBINES,
    ELEMENTWISE,
    EXPENSIVE,
    LOADS,
    POWERS,
    STORES,
    VIEW_STORES,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.targets import WARP_LANES, Target


def clocks_of(
    op: ir.Operation, target: Target, warps: int | None
) -> Mapping[str, float] | None:
    """Clocks of the units that an op needs; None if threads do nothing for it.

    Args:
        op: The op.
        target: The chip.
        warps: Of a CTA; None where products give tiles their layouts.
    """
    if op.name in LOADS:
        return {"L2": copied_bytes(op) / target.l2_bytes_per_clock}
    if op.name in STORES:
        value = op.operands[0 if op.name in VIEW_STORES else 1]
        return {"L2": tile_bytes(value) / target.l2_bytes_per_clock}
    slots = _slots(op, target, warps)
    if not slots:
        return None
    special = elements_of(op.results[0]) if op.name in POWERS else 0
    return {
        "issue slots": slots * INSTRUCTION_CLOCKS,
        "special functions": special / target.exp2_per_clock,
    }


def exchanges(op: ir.Operation, warps: int) -> bool:
    """Whether warps exchange what each has combined.

    Args:
        op: An op of a kernel without products.
        warps: Of a CTA.
    """
    if op.name not in COMBINES:
        return False
    return bool(_layout(op.operands[0], warps).bits_along(integer(op, "dim")).warp)


def _slots(op: ir.Operation, target: Target, warps: int | None) -> float:
    """Issue slots of all warps of a CTA."""
    if op.name in COMBINES and is_distributed(op.operands[0]) and warps is not None:
        return warps * combining_slots(op, _layout(op.operands[0], warps), target)
    if op.name not in ELEMENTWISE | COMBINES:
        return 0.0
    if is_in_body(op) or (warps is None and not is_distributed(op.results[0])):
        return 0.0
    elements = elements_of(op.operands[0] if op.name in COMBINES else op.results[0])
    is_long = op.name in EXPENSIVE - POWERS
    slots = max(elements / WARP_LANES, warps or 0)
    return slots * (EXPENSIVE_SLOTS if is_long else 1)


def _layout(value: ir.Value, warps: int) -> LinearLayout:
    """The layout of a tile whose elements lie in memory as in the tile."""
    shape = tuple(shape_of(value))
    n_bytes = max(1, element_bits(element_of(value)) // 8)
    near = (len(shape) - 1,)
    access = Access(shape, n_bytes, near, MAX_VECTOR_BYTES // n_bytes, contiguous=True)
    return access.best_layout(warps)
