# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers in shared memory, as rules take them: a pointer, bytes from it, a layout.

The pointer is the start of the kernel's shared memory, or that of a slot of a ring,
which is computed once per `take` or `acquire`; what is constant stays apart, so that it
becomes the immediate of an instruction.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Buffer:
    """A shared-memory buffer.

    Attributes:
        pointer: Where its memory, or its slot of a ring, begins.
        base_bytes: From there to the buffer.
        layout: Offset bits to coordinates.
        element: Element type at tile level.
        moves: Whether it is a slot, so that the pointer differs from iteration to
            iteration.
        full: Address of the mbarrier at which bulk copies into it arrive.
        is_of_pair: Whether that is the one of the CTA that leads a pair.
        slot: Number of the slot (i32); None where the ring has one, or it is no slot.
        slot_bytes: From one slot to the next.
    """

    pointer: ir.Value
    base_bytes: int
    layout: SharedLayout
    element: ir.Type
    moves: bool = False
    full: ir.Value | None = None
    slot: ir.Value | None = None
    slot_bytes: int = 0
    is_of_pair: bool = False
