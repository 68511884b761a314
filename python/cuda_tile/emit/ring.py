"""Family ring: slots of shared memory that copies fill and threads or products drain.

Turn t uses slot t mod S. Where `sync` is `groups`, each thread waits for its own copies
and then all threads for each other, so that the slot is full for everybody and the one
before it drained by everybody.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.emit.blocks import barrier, proxy_fence
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.wgmma import wait_for_products
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer, text
from cuda_tile.ir.rings import places_in, ring_of
from cuda_tile.ir.tiles import buffer_layout_of


@RULES.register("tileas.ring")
def ring(e: Emitter, op: ir.Operation) -> None:
    """No instruction: the ring is an offset in the kernel's shared memory."""
    del e
    if "offset" not in op.attributes:
        raise InternalError("emit: a ring without an offset; run allocate")


@RULES.register("tileas.acquire")
def acquire(e: Emitter, op: ir.Operation) -> None:
    """Groups: nothing to wait for, the barrier of a `take` came before."""
    _set_buffers(e, op)


@RULES.register("tileas.publish")
def publish(e: Emitter, op: ir.Operation) -> None:
    """Groups: the copies so far are one; each turn commits one, though it be empty."""
    del op
    e.builder.create("nvvm.cp.async.commit.group", [], [])


@RULES.register("tileas.take")
def take(e: Emitter, op: ir.Operation) -> None:
    """Groups: waits for those of this thread, then for all threads.

    What `cp.async` wrote is made visible to instructions that read shared memory by
    themselves before the barrier, each thread its own writes (PTX ISA, "Async proxy").
    """
    groups = integer(op, "groups") if "groups" in op.attributes else 0
    b = e.builder
    count = ir.IntegerAttr.get(b.i32, groups)
    b.create("nvvm.cp.async.wait.group", [], [], {"n": count})
    if text(ring_of(op), "drain") == "wgmma":
        proxy_fence(e)
    barrier(e)
    _set_buffers(e, op)


@RULES.register("tileas.release")
def release(e: Emitter, op: ir.Operation) -> None:
    """Groups: the barrier of a later `take` says so to all threads.

    Before it, each of them has waited for the products that read the slot.
    """
    _, _, *after = op.operands
    if after:
        wait_for_products(e, integer(op, "groups") if "groups" in op.attributes else 0)


def _set_buffers(e: Emitter, op: ir.Operation) -> None:
    """Sets the buffers of a slot, whose start is computed here once."""
    made = ring_of(op)
    places, offset = places_in(made), integer(made, "offset")
    slot = slot_pointer(e, op)
    for result, start in zip(op.results, places.buffers, strict=True):
        element = BufferType(result.type).element_type
        layout, moves = buffer_layout_of(result), places.slots > 1
        e.set(result, Buffer(slot, offset + start, layout, element, moves))


def slot_pointer(e: Emitter, op: ir.Operation) -> ir.Value:
    """The start of shared memory, moved by the slot of an op's turn.

    The ring's own offset is left to the immediates of instructions.
    """
    places = places_in(ring_of(op))
    if places.slots == 1:
        return e.shared_pointer()
    b = e.builder
    distance = b.mul(slot_number(e, op), b.constant(b.i32, places.slot_bytes))
    return b.pinned(b.byte_offset(e.shared_pointer(), distance))


def slot_number(e: Emitter, op: ir.Operation) -> ir.Value:
    """The slot of an op's turn (i32)."""
    b, slots = e.builder, places_in(ring_of(op)).slots
    turn = e.scalar(op.operands[1])
    return b.op("llvm.urem", b.i32, turn, b.constant(b.i32, slots))
