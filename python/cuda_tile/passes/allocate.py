"""Gives shared buffers their places, reusing what is no longer live.

Contract: in, staged level W; out, every `alloc_shared` has an `offset` in
bytes and the entry `tileas.shared_bytes`. Buffers that live at the same time do
not overlap. A buffer lives from its first to its last access in program order;
one made outside a loop and used inside lives through the whole loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import TARGET_ATTRIBUTE
from cuda_tile.ir.tiles import element_bits
from cuda_tile.ir.walk import entries, entry_name, location_text, nested_ops
from cuda_tile.options import Options
from cuda_tile.targets import find_target

SHARED_BYTES_ATTRIBUTE = "tileas.shared_bytes"
ALIGNMENT_BYTES = 128
"""Whole bank rows, so that a layout's bank arithmetic holds at any place."""


@dataclass
class Interval:
    """One buffer: where it is used and where it lies.

    Attributes:
        op: The `alloc_shared`.
        size_bytes: Its size, rounded up to the alignment.
        first: Position of the first access in program order.
        last: Position of the last access.
        offset_bytes: Its place, once chosen.
    """

    op: ir.Operation
    size_bytes: int
    first: int
    last: int
    offset_bytes: int = 0

    def lives_with(self, other: Interval) -> bool:
        """Whether both hold data at some time."""
        return self.first <= other.last and other.first <= self.last


def run(module: ir.Operation, options: Options) -> None:
    """Allocates every entry of `module`."""
    del options
    for entry in entries(module):
        intervals = live_intervals(entry)
        total = pack(intervals)
        _check_fits(entry, intervals, total)
        i64 = ir.IntegerType.get_signless(64)
        for interval in intervals:
            offset = ir.IntegerAttr.get(i64, interval.offset_bytes)
            interval.op.attributes["offset"] = offset
        entry.attributes[SHARED_BYTES_ATTRIBUTE] = ir.IntegerAttr.get(i64, total)


def live_intervals(entry: ir.Operation) -> list[Interval]:
    """The buffers of an entry in program order, with their lifetimes."""
    order = list(nested_ops(entry))
    position = {op: i for i, op in enumerate(order)}
    intervals: list[Interval] = []
    for op in order:
        if op.name != "tileas.alloc_shared":
            continue
        uses = [
            _span_in_block_of(op, use.owner.operation, position)
            for use in op.results[0].uses
        ]
        first = min((span[0] for span in uses), default=position[op])
        last = max((span[1] for span in uses), default=position[op])
        intervals.append(Interval(op, buffer_bytes(op), first, last))
    return intervals


def _span_in_block_of(
    alloc: ir.Operation, use: ir.Operation, position: dict[ir.Operation, int]
) -> tuple[int, int]:
    """Positions of `use`, widened to the loop that it sits in and `alloc` does not."""
    user = use
    while user.parent is not None and user.block != alloc.block:
        user = user.parent.operation
    inner = list(nested_ops(user))
    last = inner[-1] if inner else user
    return position[user], position[last]


def buffer_bytes(op: ir.Operation) -> int:
    """Size of an `alloc_shared` in bytes, rounded up to the alignment."""
    ty = BufferType(op.results[0].type)
    size = prod(ty.shape) * element_bits(ty.element_type) // 8
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def pack(intervals: list[Interval]) -> int:
    """Places every buffer at the lowest free offset, largest first; gives the end."""
    placed: list[Interval] = []
    for interval in sorted(intervals, key=lambda i: (-i.size_bytes, i.first)):
        offset = 0
        for other in sorted(placed, key=lambda i: i.offset_bytes):
            if not interval.lives_with(other):
                continue
            if offset + interval.size_bytes <= other.offset_bytes:
                break
            offset = max(offset, other.offset_bytes + other.size_bytes)
        interval.offset_bytes = offset
        placed.append(interval)
    return max((i.offset_bytes + i.size_bytes for i in intervals), default=0)


def _check_fits(entry: ir.Operation, intervals: list[Interval], total: int) -> None:
    gpu = ir.StringAttr(entry.attributes[TARGET_ATTRIBUTE]).value
    limit = find_target(gpu).shared_bytes_per_cta
    if total <= limit:
        return
    lines = "; ".join(
        f"{interval.size_bytes} bytes for {interval.op.results[0].type} at "
        f"{location_text(interval.op)}"
        for interval in intervals
    )
    raise UserError(
        f"kernel @{entry_name(entry)} expected at most {limit} bytes of shared memory "
        f"on {gpu}, got {total}: {lines}; smaller tiles need less",
        location_text(entry),
    )
