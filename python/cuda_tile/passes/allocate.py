"""Assigns offsets to shared buffers; those not live together may share bytes.

Contract: in, staged level W; out, every `alloc_shared` has an `offset` in
bytes and the entry `tileas.shared_bytes`, and `tileas.scratch` where ops need memory
beside their tiles (`analysis/scratch.py`). Buffers that are live at the same time
(`analysis/liveness.py`) do not overlap. Small buffers overlap with no other one as
long as there is space: sharing costs a barrier, which is not worth it for a few bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.liveness import conflicts
from cuda_tile.analysis.scratch import SCRATCH_ATTRIBUTE, scratch_bytes
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import read_plan, read_target
from cuda_tile.ir.tiles import element_bits
from cuda_tile.ir.walk import entries, entry_name, location_text
from cuda_tile.options import Options

SHARED_BYTES_ATTRIBUTE = "tileas.shared_bytes"
ALIGNMENT_BYTES = 128
"""Whole bank rows, so that a layout's bank arithmetic holds at any place."""
SMALL_BYTES = 1024
"""Buffers below this size get bytes of their own if there is space."""


@dataclass(frozen=True)
class Request:
    """One buffer that needs an offset.

    Attributes:
        size_bytes: Its size, rounded up to the alignment.
        conflicts: Numbers of the requests that it must not overlap.
    """

    size_bytes: int
    conflicts: frozenset[int]


def run(module: ir.Operation, options: Options) -> None:
    """Allocates every entry of `module`."""
    del options
    for entry in entries(module):
        apart = conflicts(entry)
        numbers = {op: number for number, op in enumerate(apart)}
        requests = [
            Request(buffer_bytes(op), frozenset(numbers[other] for other in others))
            for op, others in apart.items()
        ]
        places, total = choose(requests, _space_bytes(entry))
        total = _add_scratch(entry, total)
        _check_fits(entry, list(apart), total)
        i64 = ir.IntegerType.get_signless(64)
        for op, place in zip(apart, places, strict=True):
            op.attributes["offset"] = ir.IntegerAttr.get(i64, place)
        entry.attributes[SHARED_BYTES_ATTRIBUTE] = ir.IntegerAttr.get(i64, total)


def _add_scratch(entry: ir.Operation, total: int) -> int:
    """Scratch memory behind all buffers, where ops need some; gives the new end."""
    size = scratch_bytes(entry)
    if size:
        i64 = ir.IntegerType.get_signless(64)
        entry.attributes[SCRATCH_ATTRIBUTE] = ir.IntegerAttr.get(i64, total)
    return total + size


def choose(requests: Sequence[Request], space_bytes: int) -> tuple[list[int], int]:
    """Offsets for all requests and their end, small ones apart if they fit so."""
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


def buffer_bytes(op: ir.Operation) -> int:
    """Size of an `alloc_shared` in bytes, rounded up to the alignment."""
    ty = BufferType(op.results[0].type)
    size = prod(ty.shape) * element_bits(ty.element_type) // 8
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def pack(requests: Sequence[Request]) -> tuple[list[int], int]:
    """The lowest free offset for each request, largest first; and the end of all."""
    places: dict[int, int] = {}
    for number in sorted(
        range(len(requests)), key=lambda i: (-requests[i].size_bytes, i)
    ):
        request, offset = requests[number], 0
        taken = sorted((places[i], i) for i in request.conflicts if i in places)
        for start, other in taken:
            if offset + request.size_bytes <= start:
                break
            offset = max(offset, start + requests[other].size_bytes)
        places[number] = offset
    ordered = [places[i] for i in range(len(requests))]
    ends = (places[i] + request.size_bytes for i, request in enumerate(requests))
    return ordered, max(ends, default=0)


def _space_bytes(entry: ir.Operation) -> int:
    """What a CTA may take without keeping the planned number of CTAs off its SM."""
    target = read_target(entry)
    ctas = max(1, read_plan(entry).min_ctas)
    share = target.shared_bytes_per_sm // ctas - target.shared_bytes_reserved
    return min(target.shared_bytes_per_cta, share)


def _check_fits(entry: ir.Operation, allocs: list[ir.Operation], total: int) -> None:
    target = read_target(entry)
    limit = target.shared_bytes_per_cta
    if total <= limit:
        return
    lines = "; ".join(
        f"{buffer_bytes(op)} bytes for {op.results[0].type} at {location_text(op)}"
        for op in allocs
    )
    raise UserError(
        f"kernel @{entry_name(entry)} expected at most {limit} bytes of shared memory "
        f"on {target.name}, got {total}: {lines}; smaller tiles need less",
        location_text(entry),
    )
