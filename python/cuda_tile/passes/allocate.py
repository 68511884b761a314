# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocation of shared memory: buffers that are not live together may share bytes.

Contract: in, staged level W; out, every `alloc_shared` and ring has an `offset` in
bytes. The entry has `tileas.shared_bytes`, and `tileas.scratch` if ops need scratch
memory (`analysis/scratch.py`). Tiles that loops keep (`ir/reuse.py`) get the remaining
bytes, if the plan says so. Buffers that are live at the same time
(`analysis/liveness.py`) do not overlap. Small buffers do not overlap with any other as
long as there is space: sharing costs a barrier, too much for a few bytes. A buffer that
is first used after the last op of a ring may take the bytes of its slots, but not those
of its mbarriers, which would have to be invalidated. Mbarriers follow the slots, or
stand apart (`tileas.mbarriers`) if other buffers do not fit between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import Buffers, reads_late
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.liveness import conflicts
from cuda_tile.analysis.scratch import SCRATCH_ATTRIBUTE, scratch_bytes
from cuda_tile.analysis.tensor_columns import tensor_columns, tensor_products
from cuda_tile.constants import SMALL_BYTES
from cuda_tile.errors import NoRoom
from cuda_tile.ir.async_products import begins_sum
from cuda_tile.ir.plan import read_plan, read_target
from cuda_tile.ir.reuse import Reuse, read_reuse, slot_bytes
from cuda_tile.ir.rings import (
    MBARRIER_BYTES,
    MBARRIERS_ATTRIBUTE,
    SLOT_ALIGNMENT_BYTES,
    buffer_type_bytes,
    places_in,
    slots_that_fit,
)
from cuda_tile.ir.tensor_memory import TENSOR_ATTRIBUTE, TENSOR_BYTES
from cuda_tile.ir.traits import RINGS
from cuda_tile.ir.walk import entry_name, location_text, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.records import dataclass

SHARED_BYTES_ATTRIBUTE = "tileas.shared_bytes"
ALIGNMENT_BYTES = 128
"""Whole bank rows, so that a layout's bank arithmetic holds at any place."""


@dataclass(frozen=True)
class Request:
    """One buffer or ring that needs an offset.

    Attributes:
        size_bytes: Its size, rounded up to whole bank rows.
        conflicts: Numbers of the requests that it must not overlap.
        alignment_bytes: Alignment of its offset.
        own_bytes: Bytes at its end that no other request may ever overlap.
    """

    size_bytes: int
    conflicts: frozenset[int]
    alignment_bytes: int = ALIGNMENT_BYTES
    own_bytes: int = 0


@each_kernel
def run(entry: ir.Operation) -> None:
    """Allocates an entry."""
    _give_sums_places(entry)
    flow = ControlFlow(entry)
    apart = conflicts(flow)
    numbers = {op: number for number, op in enumerate(apart)}
    repeating = _repeating(flow)
    requests = [
        _request(op, frozenset(numbers[other] for other in others), repeating)
        for op, others in apart.items()
    ]
    places, total = choose(requests, _space_bytes(entry))
    mbarriers: dict[int, int] = {}
    if total > read_target(entry).shared_bytes_per_cta:
        places, mbarriers, total = choose_apart(requests, _space_bytes(entry))
    total = _add_tensor(entry, _add_scratch(entry, total))
    total = _add_reuse(entry, total)
    _check_fits(entry, list(apart), total)
    i64 = ir.IntegerType.get_signless(64)
    for number, (op, place) in enumerate(zip(apart, places, strict=True)):
        op.attributes["offset"] = ir.IntegerAttr.get(i64, place)
        if number in mbarriers:
            start = ir.IntegerAttr.get(i64, mbarriers[number])
            op.attributes[MBARRIERS_ATTRIBUTE] = start
    entry.attributes[SHARED_BYTES_ATTRIBUTE] = ir.IntegerAttr.get(i64, total)


def _add_scratch(entry: ir.Operation, total: int) -> int:
    """Adds scratch memory behind all buffers if ops need it; returns the new end."""
    size = scratch_bytes(entry)
    if size:
        i64 = ir.IntegerType.get_signless(64)
        entry.attributes[SCRATCH_ATTRIBUTE] = ir.IntegerAttr.get(i64, total)
    return total + size


def _give_sums_places(entry: ir.Operation) -> None:
    """Gives each sum in tensor memory that products change a start of its own."""
    if not tensor_products(entry):
        return
    for op in [op for op in nested_ops(entry) if begins_sum(op)]:
        for use in list(op.results[0].uses)[1:]:
            with ir.InsertionPoint(op), op.location:
                use.owner.operation.operands[use.operand_number] = op.clone().result


def _add_tensor(entry: ir.Operation, total: int) -> int:
    """Adds the mbarriers of products in tensor memory; returns the new end.

    Raises:
        NoRoom: The sums need more columns than the chip has.
    """
    if not tensor_products(entry):
        return total
    columns, most = tensor_columns(entry), read_target(entry).tensor_columns
    if columns.wanted > most:
        raise NoRoom(
            f"expected sums of at most {most} columns of tensor memory, got "
            f"{columns.wanted}: {columns.text()}; plan an atom of mma.sync for some",
            location_text(entry),
            excess_columns=columns.wanted - most,
        )
    i64 = ir.IntegerType.get_signless(64)
    start = -(-total // TENSOR_BYTES) * TENSOR_BYTES
    entry.attributes[TENSOR_ATTRIBUTE] = ir.IntegerAttr.get(i64, start)
    return start + TENSOR_BYTES + MBARRIER_BYTES * len(columns.alone)


def _add_reuse(entry: ir.Operation, total: int) -> int:
    """Adds slots for tiles that loops keep, behind all else; returns the new end.

    All tiles of an iteration get the same number of slots, as many as fit.
    """
    plan = read_plan(entry)
    if not plan.reuse:
        return total
    loads = [(op, reuse) for op in nested_ops(entry) if (reuse := read_reuse(op))]
    sizes = {reuse.tile: slot_bytes(op, plan.num_warps) for op, reuse in loads}
    start = -(-total // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
    slots = max(0, _space_bytes(entry) - start) // max(1, sum(sizes.values()))
    places: dict[int, Reuse] = {}
    for op, reuse in loads:
        if reuse.tile not in places:
            count = min(slots, reuse.iterations) if reuse.iterations else slots
            places[reuse.tile] = replace(reuse, slots=count, offset=start)
            start += count * sizes[reuse.tile]
        own = places[reuse.tile]
        replace(reuse, slots=own.slots, offset=own.offset).write(op)
    return start if slots else total


def choose(requests: Sequence[Request], space_bytes: int) -> tuple[list[int], int]:
    """Offsets for all requests, and their end; small ones stand apart if they fit.

    Args:
        requests: The buffers and rings.
        space_bytes: Bytes of shared memory.
    """
    everyone = frozenset(range(len(requests)))
    small = frozenset(i for i in everyone if requests[i].size_bytes < SMALL_BYTES)
    apart = [
        replace(
            request, conflicts=everyone if i in small else request.conflicts | small
        )
        for i, request in enumerate(requests)
    ]
    places, total = pack(apart)
    return (places, total) if total <= space_bytes else pack(requests)


def choose_apart(
    requests: Sequence[Request], space_bytes: int
) -> tuple[list[int], dict[int, int], int]:
    """Offsets as from `choose`, but the own bytes of each request stand apart from it.

    Args:
        requests: The buffers and rings.
        space_bytes: Bytes of shared memory.

    Returns:
        An offset for each request, those of own bytes by the number of the request, and
        the end of all.
    """
    owners = [i for i, request in enumerate(requests) if request.own_bytes]
    everyone = frozenset(range(len(requests) + len(owners)))
    own = everyone - frozenset(range(len(requests)))
    divided = [
        replace(
            request,
            size_bytes=request.size_bytes - request.own_bytes,
            own_bytes=0,
            conflicts=request.conflicts | own,
        )
        for request in requests
    ]
    divided += [Request(requests[i].own_bytes, everyone) for i in owners]
    places, total = choose(divided, space_bytes)
    mbarriers = dict(zip(owners, places[len(requests) :], strict=True))
    return places[: len(requests)], mbarriers, total


def _repeating(flow: ControlFlow) -> set[ir.Operation]:
    """The buffers that products or bulk copies read asynchronously, swizzled or not."""
    engines = [op for op in flow.ops() if reads_late(op)]
    if not engines:
        return set()
    buffers = Buffers(flow)
    found = (buffers.sources_if_buffer(v) for op in engines for v in op.operands)
    return set[ir.Operation]().union(*found)


def _request(
    op: ir.Operation, apart: frozenset[int], repeating: set[ir.Operation]
) -> Request:
    """The request of a buffer or a ring."""
    size = place_bytes(op)
    if op.name in RINGS:
        return Request(size, apart, SLOT_ALIGNMENT_BYTES, _own_bytes(op))
    if op in repeating:
        return Request(size, apart, SLOT_ALIGNMENT_BYTES)
    return Request(size, apart)


def _own_bytes(ring: ir.Operation) -> int:
    """Bytes from the first mbarrier of a ring to its end; 0 if it has none."""
    places = places_in(ring)
    return place_bytes(ring) - places.data_bytes if places.has_mbarriers else 0


def place_bytes(op: ir.Operation) -> int:
    """Size of an `alloc_shared` or ring in bytes, rounded up to whole bank rows."""
    if op.name in RINGS:
        size = places_in(op).size_bytes
    else:
        size = buffer_type_bytes(op.results[0].type)
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def pack(requests: Sequence[Request]) -> tuple[list[int], int]:
    """The lowest free offset for each request, the largest first; the end of all."""
    places: dict[int, int] = {}
    for number in sorted(
        range(len(requests)), key=lambda i: (-requests[i].size_bytes, i)
    ):
        places[number] = _lowest(requests, number, places)
    ordered = [places[i] for i in range(len(requests))]
    ends = (places[i] + request.size_bytes for i, request in enumerate(requests))
    return ordered, max(ends, default=0)


def _lowest(requests: Sequence[Request], number: int, places: Mapping[int, int]) -> int:
    """The lowest offset at which a request overlaps no conflicting place."""
    request = requests[number]
    taken: list[tuple[int, int]] = []  # no byte of the request may lie in these
    others: list[tuple[int, int]] = []  # none of its own bytes may lie in these
    for i, start in places.items():
        end = start + requests[i].size_bytes
        own = requests[i].own_bytes
        if i in request.conflicts:
            taken.append((start, end))
        elif own:
            taken.append((end - own, end))
        others.append((start, end))
    offset, unit = 0, request.alignment_bytes
    shared_bytes = request.size_bytes - request.own_bytes
    while True:
        least = offset
        for start, end in taken:
            if start < offset + request.size_bytes and offset < end:
                least = max(least, end)
        for start, end in others if request.own_bytes else ():
            if start < offset + request.size_bytes and offset + shared_bytes < end:
                least = max(least, end - shared_bytes)
        if least == offset:
            return offset
        offset = -(-least // unit) * unit


def _space_bytes(entry: ir.Operation) -> int:
    """Bytes that a CTA may take so that the planned number of CTAs fits on an SM."""
    target = read_target(entry)
    ctas = max(1, read_plan(entry).min_ctas)
    share = target.shared_bytes_per_sm // ctas - target.shared_bytes_reserved
    return min(target.shared_bytes_per_cta, share)


def _check_fits(entry: ir.Operation, places: list[ir.Operation], total: int) -> None:
    target = read_target(entry)
    limit = target.shared_bytes_per_cta
    if total <= limit:
        return
    lines = "; ".join(_described(op, limit - total) for op in places)
    raise NoRoom(
        f"kernel @{entry_name(entry)} expected at most {limit} bytes of shared memory "
        f"on {target.name}, got {total}: {lines}; smaller tiles need less",
        location_text(entry),
        excess_bytes=total - limit,
    )


def _described(op: ir.Operation, room_bytes: int) -> str:
    """A buffer or ring, its size and its line.

    Args:
        op: The op that makes it.
        room_bytes: Bytes that are left after everything else, a negative number here.
    """
    size, where = place_bytes(op), location_text(op)
    if op.name not in RINGS:
        return f"{size} bytes for {op.results[0].type} at {where}"
    ring = places_in(op)
    fitting = slots_that_fit(ring, ring.size_bytes + room_bytes)
    return (
        f"{size} bytes for a ring of {ring.slots} slots of {ring.slot_bytes} bytes, of "
        f"which {fitting} would fit, at {where}"
    )
