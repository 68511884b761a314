# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that threads keep in shared memory from one loop to the next, by attributes.

A load of the first loop puts its tile of iteration i in slot i, if there is such a
slot; the same load of a later loop takes it from there instead of from global memory.
Each thread puts and takes its own registers, so no other thread ever reads what it put,
and no barrier is needed. To the interpreter both are plain loads.
"""

from __future__ import annotations

from dataclasses import asdict

from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import attribute_of, value_of
from cuda_tile.ir.tiles import element_bits, element_of, layout_of
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES

REUSE_ATTRIBUTE = "tileas.reuse"
VECTOR_BYTES = 16
"""What a thread puts or takes at once: its longest access."""


@dataclass(frozen=True)
class Reuse:
    """The attribute of a load that keeps its tiles, or takes kept ones.

    Attributes:
        tile: Number of the loaded tile, the same for all loads of it.
        again: 1 if the load takes tiles that another load kept.
        index: Number of the operand that is the iteration.
        iterations: Largest possible number of iterations; 0 if that is not known.
        slots: Number of tiles that fit; 0 before `allocate`.
        offset: Byte offset of the first slot in the kernel's shared memory.
    """

    tile: int
    again: int
    index: int
    iterations: int = 0
    slots: int = 0
    offset: int = 0

    def write(self, op: ir.Operation) -> None:
        """Sets the attribute on a load."""
        op.attributes[REUSE_ATTRIBUTE] = attribute_of(asdict(self))


def read_reuse(op: ir.Operation) -> Reuse | None:
    """The attribute of a load; None if it has none."""
    if REUSE_ATTRIBUTE not in op.attributes:
        return None
    return Reuse(**value_of(op.attributes[REUSE_ATTRIBUTE]))


def slot_bytes(op: ir.Operation, num_warps: int) -> int:
    """Shared memory of a CTA that holds the tile of one iteration.

    Args:
        op: The load.
        num_warps: Warps of a CTA.
    """
    tile = op.results[0]
    own = layout_of(tile).n_registers * element_bits(element_of(tile)) // 8
    return own * num_warps * WARP_LANES
