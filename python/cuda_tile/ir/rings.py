# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the parts of a ring lie in shared memory.

A ring of S slots has the bytes of S slots, then its mbarriers: first one "full"
mbarrier per slot, then one "empty" mbarrier per slot. `allocate` places the mbarriers
elsewhere if something that reuses the bytes of slots would not fit between them. The
buffers of a slot follow each other, each at a multiple of 1024 bytes: the 128-byte
swizzles of bulk copies and matrix instructions repeat after 1024 bytes (PTX ISA,
"Swizzling modes").
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, RingType
from cuda_tile.engines.registry import engine_of_op
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import THREADS
from cuda_tile.ir.attributes import integer, text
from cuda_tile.ir.copies import copy_engine
from cuda_tile.ir.copy_plan import CP_ASYNC, TMA
from cuda_tile.ir.tiles import element_bits
from cuda_tile.ir.traits import ACQUIRES, COPIES, RINGS
from cuda_tile.ir.walk import defining_op, location_text
from cuda_tile.records import dataclass

RING = "tileas.ring"
SLOT_ALIGNMENT_BYTES = 1024
MBARRIERS_ATTRIBUTE = "tileas.mbarriers"
"""On a ring: where in shared memory its mbarriers are, if not behind its slots."""
FLAG_BYTES = 4
"""What a sum in tensor memory takes of shared memory in a ring: a word that is not 0
where a product was added to it."""
MBARRIER_BYTES = 8
"""An mbarrier object (PTX ISA, "Size and alignment of mbarrier object")."""


@dataclass(frozen=True)
class RingPlaces:
    """Offsets in a ring, in bytes from its start, or from its first mbarrier.

    Attributes:
        slots: How many slots it has.
        buffer_bytes: Bytes of each buffer of a slot.
        has_mbarriers: Whether its users wait for mbarriers.
    """

    slots: int
    buffer_bytes: tuple[int, ...]
    has_mbarriers: bool

    @property
    def buffers(self) -> tuple[int, ...]:
        """Byte offset of each buffer in its slot."""
        starts = [0]
        for size in self.buffer_bytes:
            starts.append(starts[-1] + _aligned(size))
        return tuple(starts[:-1])

    @property
    def slot_bytes(self) -> int:
        """Bytes from one slot to the next."""
        return slot_bytes_of(self.buffer_bytes)

    @property
    def data_bytes(self) -> int:
        """Bytes of all slots."""
        return self.slots * self.slot_bytes

    @property
    def mbarrier_bytes(self) -> int:
        """Bytes of all mbarriers."""
        return 2 * self.slots * MBARRIER_BYTES if self.has_mbarriers else 0

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole ring, if its mbarriers follow its slots."""
        return self.data_bytes + self.mbarrier_bytes

    @property
    def full(self) -> int:
        """Byte offset of the "full" mbarriers from the first mbarrier."""
        return 0

    @property
    def empty(self) -> int:
        """Byte offset of the "empty" mbarriers from the first mbarrier."""
        return self.slots * MBARRIER_BYTES


def slot_bytes_of(sizes: Iterable[int]) -> int:
    """Bytes of a slot that holds buffers of these sizes."""
    return sum(map(_aligned, sizes))


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // SLOT_ALIGNMENT_BYTES) * SLOT_ALIGNMENT_BYTES


@cache
def ring_places(
    slots: int, buffer_bytes: tuple[int, ...], *, has_mbarriers: bool
) -> RingPlaces:
    """The offsets in a ring, which need not be in the IR yet.

    Args:
        slots: Slots of the ring.
        buffer_bytes: Bytes of each buffer of a slot.
        has_mbarriers: Whether the ring waits by mbarriers.
    """
    return RingPlaces(slots, buffer_bytes, has_mbarriers)


def places_in(ring: ir.Operation) -> RingPlaces:
    """The offsets in the ring of a `tileas.ring`."""
    ty = RingType(ring.results[0].type)
    sizes = tuple(map(buffer_type_bytes, ty.buffers))
    if is_filled_by_products(ring):
        sizes = (FLAG_BYTES,) * len(sizes)
    has_mbarriers = text(ring, "sync") == "mbarriers"
    return ring_places(ty.slots, sizes, has_mbarriers=has_mbarriers)


def mbarriers_of(ring: ir.Operation) -> int:
    """Offset in shared memory of the mbarriers of a ring that `allocate` placed."""
    if MBARRIERS_ATTRIBUTE in ring.attributes:
        return integer(ring, MBARRIERS_ATTRIBUTE)
    return integer(ring, "offset") + places_in(ring).data_bytes


def buffer_type_bytes(ty: ir.Type) -> int:
    """Bytes of a CTA's buffer, from its type."""
    buffer = BufferType(ty)
    _, *others = buffer.layout.groups
    whole = prod(buffer.shape) * element_bits(buffer.element_type) // 8
    return whole >> sum(map(len, others))


def ring_of(op: ir.Operation) -> ir.Operation:
    """The `tileas.ring` of an op that advances one; rings never pass through a block.

    Raises:
        InternalError: The operand comes from elsewhere.
    """
    ring = defining_op(op.operands[0])
    if ring is None or ring.name not in RINGS:
        raise InternalError(
            f"expected '{op.name}' to use a ring made by '{RING}'", location_text(op)
        )
    return ring


def is_drained_by_products(ring: ir.Operation) -> bool:
    """Whether asynchronous products, and not threads, read the slots of a ring."""
    return text(ring, "drain") != THREADS


def is_drained_by_one(ring: ir.Operation) -> bool:
    """Whether one thread starts the products that read a ring's slots.

    The other threads neither wait for its slots, which might be filled twice meanwhile,
    nor release them.
    """
    return (
        is_drained_by_products(ring)
        and engine_of_op(text(ring, "drain")).is_issued_by_one
    )


def is_released_by_a_commit(ring: ir.Operation) -> bool:
    """Whether a slot is released without a thread that waits for the products."""
    return text(ring, "sync") == "mbarriers" and is_drained_by_one(ring)


def is_filled_by_products(ring: ir.Operation) -> bool:
    """Whether the slots of a ring are sums in tensor memory."""
    return text(ring, "fill") not in (TMA, CP_ASYNC, THREADS)


def copied_by_threads(ring: ir.Operation) -> list[int]:
    """The numbers of the buffers of a ring's slots that `cp.async` fills.

    These are all buffers, or those that no bulk copy fills.

    Args:
        ring: The ring.
    """
    users = (use.owner.operation for use in ring.results[0].uses)
    slots = (value for op in users if op.name in ACQUIRES for value in op.results)
    return sorted(
        {
            ir.OpResult(value).result_number
            for value in slots
            for use in value.uses
            if (copy := use.owner.operation).name in COPIES
            and copy_engine(copy) == CP_ASYNC
        }
    )


def slots_that_fit(places: RingPlaces, left_bytes: int) -> int:
    """How many slots of a ring fit into so many bytes.

    Args:
        places: Where the parts of the ring lie.
        left_bytes: Bytes of shared memory that are left.
    """
    each = places.slot_bytes + places.mbarrier_bytes // max(1, places.slots)
    return max(0, left_bytes // each)
