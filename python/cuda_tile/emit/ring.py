# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family ring: slots of shared memory that copies fill and threads or products drain.

Iteration t uses slot t mod S. Where `sync` is `groups`, each thread waits for its own
copies and then all threads for each other, so that the slot is full for everybody and
the one before it drained by everybody.

Where it is `mbarriers`, a slot has one for its being full and one for its being empty.
Each of the two runs one phase per iteration of the slot: phase (t div S) mod 2. So a
take waits for the phase of its iteration; an acquire for the one before, which in the
first iteration of a slot counts as over.
"""

from __future__ import annotations

from contextlib import nullcontext

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.slots import users_of
from cuda_tile.emit import mbarriers
from cuda_tile.emit.blocks import (
    barrier,
    one_thread,
    proxy_fence,
    warp_barrier,
    when,
)
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.cta_pairs import arrive_at_peer, feeds_pair, in_leader
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.pending import wait_for_products
from cuda_tile.emit.tensor_memory import commit, fence, in_warp_that_issues, issuing
from cuda_tile.engines.registry import engine_of_op
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.attributes import integer, text
from cuda_tile.ir.cta_pairs import PAIR_CTAS
from cuda_tile.ir.rings import (
    MBARRIER_BYTES,
    RingPlaces,
    copied_by_threads,
    is_drained_by_one,
    is_drained_by_products,
    is_filled_by_products,
    is_released_by_a_commit,
    mbarriers_of,
    places_in,
    ring_of,
)
from cuda_tile.ir.roles import Role, role_around
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.tiles import buffer_layout_of
from cuda_tile.ir.traits import ACQUIRES, RINGS, TAKES
from cuda_tile.ir.walk import block_ops, defining_op, enclosing_ops
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES


@dataclass(frozen=True)
class Iteration:
    """An iteration of a ring, as an op that advances it names it.

    Attributes:
        ring: The `tileas.ring`.
        places: What lies where in it.
        slot: Number of the slot (i32).
        parity: Parity of the phase of this iteration (i32).
    """

    ring: ir.Operation
    places: RingPlaces
    slot: ir.Value
    parity: ir.Value

    @classmethod
    def of(cls, e: Emitter, op: ir.Operation) -> Iteration:
        """The iteration of an op.

        Args:
            e: The emitter.
            op: The op, which advances the ring.
        """
        ring, b, iteration = ring_of(op), e.builder, e.scalar(op.operands[1])
        places = places_in(ring)
        slot, phase = _divided(e, iteration, places.slots)
        parity = b.binary("and", phase, 1)
        return cls(ring, places, slot, parity)

    def full(self, e: Emitter) -> ir.Value:
        """Address of the mbarrier that tells that the slot is full."""
        return self._mbarrier(e, self.places.full)

    def empty(self, e: Emitter) -> ir.Value:
        """Address of the one that tells that it is empty."""
        return self._mbarrier(e, self.places.empty)

    def full_in_leader(self, e: Emitter) -> ir.Value:
        """Address of the first one in the CTA that leads a pair."""
        return self._mbarrier(e, self.places.full, e.leader_address())

    def _mbarrier(
        self, e: Emitter, first: int, start: ir.Value | None = None
    ) -> ir.Value:
        b = e.builder
        step = b.mul(self.slot, MBARRIER_BYTES)
        address = b.add(e.shared_address() if start is None else start, step)
        pointer = b.pinned(b.op("llvm.inttoptr", b.shared_pointer, address))
        return b.byte_offset(pointer, mbarriers_of(self.ring) + first)


def _divided(e: Emitter, iteration: ir.Value, slots: int) -> tuple[ir.Value, ir.Value]:
    """An iteration's slot and how often that was used before.

    Where the division takes a product, LLVM would take the parity from the product and
    not from the quotient, and both need it shifted: so the quotient is pinned. So is
    the slot on chips with tensor memory, which may have columns for each: ptxas 13.5
    would compute it once more, without the bits that an mbarrier's address drops.
    """
    b = e.builder
    count = b.constant(b.i32, slots)
    phase = b.binary("udiv", iteration, count)
    if not slots & slots - 1:
        return b.binary("urem", iteration, count), phase
    phase = b.pinned(phase)
    slot = b.sub(iteration, b.mul(phase, count))
    return b.pinned(slot) if TCGEN05.is_on(e.target) else slot, phase


@RULES.register("tileas.ring")
def ring(e: Emitter, op: ir.Operation) -> None:
    """Groups: nothing. The last one of rings in a row initialises the mbarriers of all.

    Raises:
        Unsupported: A ring with mbarriers in a loop, where these would be made anew.
    """
    if "offset" not in op.attributes:
        raise InternalError("emit: a ring without an offset; run allocate")
    if not _has_mbarriers(op):
        return
    if any(_cuda_tile.is_loop(outer) for outer in enclosing_ops(op.results[0])):
        raise Unsupported(f"{op.name}: expected a ring with mbarriers before all loops")
    ops = block_ops(op.block)
    last = first = ops.index(op)
    if last + 1 < len(ops) and _has_mbarriers(ops[last + 1]):
        return
    while first and _has_mbarriers(ops[first - 1]):
        first -= 1
    with when(e, e.threads.is_first()):
        for one in ops[first : last + 1]:
            _make_mbarriers(e, one)
        mbarriers.fence_init(e)
    barrier(e)


def _has_mbarriers(op: ir.Operation) -> bool:
    return op.name in RINGS and text(op, "sync") == "mbarriers"


def _make_mbarriers(e: Emitter, op: ir.Operation) -> None:
    """Makes those of one ring.

    A slot is full after an arrival of the thread that makes bulk copies, of each thread
    that makes its own, beside these or alone, or of each warp that stores; it is empty
    after one of each warp that loads, or of those that issue one of the products that
    read it; or after one that follows products, and one of a thread where threads read
    it, too.
    """
    places, start = places_in(op), mbarriers_of(op)
    filling = _role(e, op, "tileas.publish")
    draining = _role(e, op, "tileas.release")
    beside = filling.threads if copied_by_threads(op) else 0
    filled = {"tma": 1 + beside, "cp_async": filling.threads, "threads": filling.warps}
    full = 2 if is_filled_by_products(op) else filled[text(op, "fill")]
    empty = draining.warps // _warps_that_speak(op)
    if is_drained_by_one(op):
        empty = 1 + _has_readers(op)
    if is_filled_by_products(op) and e.is_pair:  # which are those of both CTAs
        empty *= PAIR_CTAS
    for first, arrivals in ((places.full, full), (places.empty, empty)):
        for slot in range(places.slots):
            distance = start + first + slot * MBARRIER_BYTES
            pointer = e.builder.byte_offset(e.shared_pointer(), distance)
            mbarriers.init(e, pointer, arrivals)


def is_read_by_threads(take: ir.Operation) -> bool:
    """Whether more than products read a slot; a barrier before its release waits then.

    Args:
        take: The take of the slot.
    """
    users = (user for buffer in take.results for user in users_of(buffer))
    return not all(map(runs_by_itself, users))


def _has_readers(ring: ir.Operation) -> bool:
    """Whether more than products read slots of a ring."""
    users = (use.owner.operation for use in ring.results[0].uses)
    return any(is_read_by_threads(op) for op in users if op.name in TAKES)


def _warps_that_speak(ring: ir.Operation) -> int:
    """Warps that give a slot back together: those that issue a product of it."""
    if not is_drained_by_products(ring):
        return 1
    return engine_of_op(text(ring, "drain")).issuing_warps


def _role(e: Emitter, op: ir.Operation, name: str) -> Role:
    """The threads that run the ops of a name on a ring."""
    for use in op.results[0].uses:
        user = use.owner.operation
        if user.name == name:
            return role_around(user) or e.role
    return e.role


@RULES.register("tileas.acquire")
def acquire(e: Emitter, op: ir.Operation) -> None:
    """Groups: nothing to wait for, the barrier of a `take` came before."""
    made = ring_of(op)
    if not _has_mbarriers(made):
        _set_buffers(e, op)
        return
    iteration = Iteration.of(e, op)
    full, is_pair = iteration.full(e), feeds_pair(e, made)
    if text(made, "fill") == "tma":
        sizes, own = iteration.places.buffer_bytes, copied_by_threads(made)
        all_wait = bool(own) or e.threads.chosen is not None
        if all_wait:
            _wait_empty(e, iteration)
        if all_wait and not own:
            warp_barrier(e)  # no lane may still wait when the next phase but one begins
        with one_thread(e):
            if not all_wait:
                _wait_empty(e, iteration)
            n_bytes = sum(size for n, size in enumerate(sizes) if n not in own)
            with in_leader(e, is_pair=is_pair):
                mbarriers.expect(e, full, n_bytes * (PAIR_CTAS if is_pair else 1))
    else:
        _wait_empty(e, iteration)
    if is_filled_by_products(made):
        fence(e, "after")
    if is_pair:
        full = iteration.full_in_leader(e)
    _set_buffers(e, op, full, is_of_pair=is_pair)


def _wait_empty(e: Emitter, iteration: Iteration) -> None:
    b = e.builder
    before = b.binary("xor", iteration.parity, 1)
    mbarriers.wait(e, iteration.empty(e), before)


@RULES.register("tileas.publish")
def publish(e: Emitter, op: ir.Operation) -> None:
    """Groups: each iteration commits its copies as one group, which may be empty.

    Bulk copies arrive by themselves, those of threads beside them with these.
    """
    made = ring_of(op)
    if not _has_mbarriers(made):
        e.builder.create("nvvm.cp.async.commit.group", [], [])
        return
    match text(made, "fill"):
        case "cp_async":
            mbarriers.arrive_with_copies(e, Iteration.of(e, op).full(e))
        case "tma":
            if copied_by_threads(made):
                mbarriers.arrive_with_copies(e, Iteration.of(e, op).full(e))
        case "threads":
            _arrive_by_warps(e, Iteration.of(e, op).full(e), 1)
        case _:
            pointer = Iteration.of(e, op).full(e)
            with issuing(e):
                commit(e, pointer)
                mbarriers.arrive(e, pointer)  # a commit says nothing of the word


@RULES.register("tileas.take")
def take(e: Emitter, op: ir.Operation) -> None:
    """Groups: waits for those of this thread, then for all threads.

    What threads or `cp.async` wrote is made visible to products, which read through
    another proxy. With groups each thread does so for its own writes, before the
    barrier; with mbarriers for what the wait acquired (PTX ISA, "Async proxy").
    """
    made, b = ring_of(op), e.builder
    if feeds_pair(e, made) and e.follows:
        pass  # the CTA that leads waits for the copies of both
    elif _has_mbarriers(made):
        iteration = Iteration.of(e, op)
        alone = is_drained_by_one(made) and not is_read_by_threads(op)
        with in_warp_that_issues(e) if alone else nullcontext():
            mbarriers.wait(e, iteration.full(e), iteration.parity)
            is_bulk = text(made, "fill") == "tma" and not copied_by_threads(made)
            if is_drained_by_products(made) and not is_bulk:
                proxy_fence(e)
        if is_filled_by_products(made):
            fence(e, "after")
    else:
        groups = integer(op, "groups") if "groups" in op.attributes else 0
        count = ir.IntegerAttr.get(b.i32, groups)
        b.create("nvvm.cp.async.wait.group", [], [], {"n": count})
        if is_drained_by_products(made):
            proxy_fence(e)
        barrier(e)
    _set_buffers(e, op)


@RULES.register("tileas.release")
def release(e: Emitter, op: ir.Operation) -> None:
    """Groups: the barrier of a later `take` says so to all threads.

    Before it, each of them has waited for the products that read the slot. Products
    that one thread starts say so themselves, by a commit, which says nothing of what
    threads have read: where they do, that one speaks for them behind a barrier.
    """
    made = ring_of(op)
    if is_released_by_a_commit(made):
        empty = Iteration.of(e, op).empty(e)
        with issuing(e):
            commit(e, empty)
            if _has_readers(made):
                mbarriers.arrive(e, empty)
        return
    _, _, *after = op.operands
    if after:
        wait_for_products(
            e, op, integer(op, "groups") if "groups" in op.attributes else 0
        )
    if is_filled_by_products(made):
        fence(e, "before")
    if _has_mbarriers(made):
        empty, warps = Iteration.of(e, op).empty(e), _warps_that_speak(made)
        to_both = e.is_pair and is_filled_by_products(made)
        _arrive_by_warps(e, empty, warps, to_both=to_both)


def _arrive_by_warps(
    e: Emitter, pointer: ir.Value, warps: int, *, to_both: bool = False
) -> None:
    """One arrival for so many warps, of one thread once its warp is there.

    Warps that issue products together have waited for the same ones, so that one of
    them speaks for the others. A sum is free once the warps of both CTAs of a pair have
    loaded theirs.
    """
    if e.role.is_single:
        with one_thread(e):
            mbarriers.arrive(e, pointer)
        return
    if warps == 1:
        warp_barrier(e)
    b, threads = e.builder, warps * WARP_LANES
    place = b.binary("and", e.threads.index, threads - 1)
    with when(e, b.icmp("eq", place, 0)):
        mbarriers.arrive(e, pointer)
        if to_both:
            arrive_at_peer(e, pointer)


def _set_buffers(
    e: Emitter,
    op: ir.Operation,
    full: ir.Value | None = None,
    *,
    is_of_pair: bool = False,
) -> None:
    """Sets the buffers of a slot, whose start is computed here once."""
    made = ring_of(op)
    places, offset = places_in(made), integer(made, "offset")
    pointer, slot = _slot(e, op)
    for result, start in zip(op.results, places.buffers, strict=True):
        element = BufferType(result.type).element_type
        layout, moves = buffer_layout_of(result), places.slots > 1
        e.set(
            result,
            Buffer(
                *(pointer, offset + start, layout, element, moves, full),
                slot=slot,
                slot_bytes=places.slot_bytes,
                is_of_pair=is_of_pair,
            ),
        )


def _slot(e: Emitter, op: ir.Operation) -> tuple[ir.Value, ir.Value | None]:
    """The start of shared memory, moved by the slot of an iteration; and that slot.

    The ring's own offset is left to the immediates of instructions.
    """
    places = places_in(ring_of(op))
    if places.slots == 1:
        return e.shared_pointer(), None
    b, iteration = e.builder, e.scalar(op.operands[1])
    taken = _taken_before(op)
    if taken is not None:
        return _slot_later(e, *taken, places), None
    slot, _ = _divided(e, iteration, places.slots)
    if not places.has_mbarriers:
        slot = b.pinned(slot)
    distance = b.mul(slot, places.slot_bytes)
    address = b.add(e.shared_address(), distance)
    return b.pinned(b.op("llvm.inttoptr", b.shared_pointer, address)), slot


def _taken_before(op: ir.Operation) -> tuple[ir.Operation, int] | None:
    """The take in the same block that is a constant number of iterations ahead."""
    ring, iteration = op.operands[0], op.operands[1]
    made = defining_op(iteration)
    if op.name not in ACQUIRES or made is None or made.name != "cuda_tile.addi":
        return None
    distance = constant_of(made.operands[1])
    if distance is None or distance < 0:
        return None
    for use in made.operands[0].uses:
        user = use.owner.operation
        is_take = user.name in TAKES and user.operands[0] == ring
        if is_take and user.block == op.block and user.is_before_in_block(op):
            return user, distance
    return None


def _slot_later(
    e: Emitter, take: ir.Operation, distance: int, places: RingPlaces
) -> ir.Value:
    """The start of the slot so many iterations behind one that is taken.

    One comparison in place of a division: slots lie one behind the other.
    """
    b, taken, later = e.builder, e.buffer(take.results[0]), distance % places.slots
    if taken.slot is None:
        raise InternalError("emit: expected the slot of a ring with several")
    wraps = b.icmp("uge", taken.slot, places.slots - later)
    there, back = (
        b.constant(b.i32, n * places.slot_bytes) for n in (later, later - places.slots)
    )
    address = b.op("llvm.ptrtoint", b.i32, taken.pointer)
    moved = b.add(address, b.select(wraps, back, there))
    return b.pinned(b.op("llvm.inttoptr", b.shared_pointer, moved))
