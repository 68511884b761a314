# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of global memory that waste requests or sectors: why, and the way out.

Narrow: a thread uses many instructions although a few of 16 bytes would suffice.
Uncoalesced: lanes of a warp touch more sectors than their bytes fill. Costs are clocks
of a multiprocessor for one tile block, multiplied by the trip counts of loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import (
    MAX_VECTOR_BYTES,
    SECTOR_BYTES,
    Access,
    describe_access,
    divisor,
    view_dims,
)
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.tiling import (
    tensor_view_op,
    tensor_view_parts,
    view_operand,
)
from cuda_tile.constants import INSTRUCTION_CLOCKS, WAVEFRONT_BYTES, WAVEFRONT_CLOCKS
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.traits import LOADS, POINTER_ACCESSES, STORES, VIEW_ACCESSES
from cuda_tile.ir.walk import (
    enclosing_entry,
    location_text,
    named_operands,
    nested_ops,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.cost import sector_cycles, trip_count
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES


@dataclass(frozen=True)
class SlowAccess:
    """One access that could be faster.

    Attributes:
        place: Its location in the source.
        code: `narrow-access` or `uncoalesced-access`.
        text: The problem, its reason, and the way out.
        clocks: Estimated cost for a tile block.
    """

    place: str
    code: str
    text: str
    clocks: float

    @property
    def remark(self) -> str:
        """The remark as `remarks.read_remark` reads it."""
        cost = f"about {self.clocks:.0f} clocks of a tile block"
        return f"{self.place}: {self.text} ({cost}) [{self.code}]"


def slow_accesses(entry: ir.Operation) -> list[SlowAccess]:
    """The accesses of an entry at level W that waste requests, dearest first."""
    facts = FactsOnDemand(entry)
    found = [
        slow
        for op in nested_ops(entry)
        if op.name in (LOADS | STORES) & (VIEW_ACCESSES | POINTER_ACCESSES)
        if is_distributed(_tile(op))
        for slow in _judge(op, facts)
    ]
    return sorted(found, key=lambda slow: -slow.clocks)


def _tile(op: ir.Operation) -> ir.Value:
    """The tile that an access moves between registers and memory."""
    if op.name in LOADS:
        return op.results[0]
    name = "tile" if op.name in VIEW_ACCESSES else "value"
    return named_operands(op, name)[0]


def _judge(op: ir.Operation, facts: FactsAnalysis) -> Iterator[SlowAccess]:
    access, layout = describe_access(op, facts), layout_of(_tile(op))
    target, trips = read_target(enclosing_entry(op)), trip_count(op)
    verb, place = "loads" if op.name in LOADS else "stores", location_text(op)
    requests = _Requests(access, layout)
    if requests.count > requests.least and requests.lost_clocks > 0:
        text = (
            f"{requests.count} {verb} of {requests.bytes} bytes per thread where "
            f"{requests.least} of {requests.widest} would do: "
            f"{_cause(op, access, requests, facts)}"
        )
        yield SlowAccess(place, "narrow-access", text, requests.lost_clocks * trips)
    sectors, least = access.sectors(layout), _least_sectors(access)
    if sectors >= 2 * least:
        clocks = (sectors - least) * sector_cycles(target) * trips
        text = (
            f"{verb} touch {sectors} sectors of {SECTOR_BYTES} bytes, {least} would "
            f"hold the tile: {_scatter(op, access)}"
        )
        yield SlowAccess(place, "uncoalesced-access", text, clocks)


class _Requests:
    """The instructions of a thread that move a tile, and the fewest possible.

    Attributes:
        count: Instructions of a thread.
        bytes: Bytes of one instruction.
        least: Instructions of a thread if they were the widest.
        widest: Bytes of one of the widest instructions.
        vector: Elements of one of the widest instructions.
        lost_clocks: Clocks of a multiprocessor that the difference costs.
    """

    def __init__(self, access: Access, layout: LinearLayout) -> None:
        free = layout.free_bits()
        elements = layout.n_registers >> free.register.bit_count()
        vector, size = access.vector_in(layout), access.element_bytes
        self.vector = vector
        self.count, self.bytes = max(1, elements // vector), vector * size
        self.widest = min(MAX_VECTOR_BYTES, elements * size)
        self.least = -(-elements * size // MAX_VECTOR_BYTES)
        warps = layout.n_warps >> free.warp.bit_count()
        now = self.count * _request_clocks(self.bytes)
        best = self.least * _request_clocks(self.widest)
        self.lost_clocks = warps * (now - best)


def _request_clocks(n_bytes: int) -> float:
    """Clocks of a warp's request with some bytes per lane."""
    wavefronts = max(1.0, WARP_LANES * n_bytes / WAVEFRONT_BYTES)
    return INSTRUCTION_CLOCKS + wavefronts * WAVEFRONT_CLOCKS


def _least_sectors(access: Access) -> int:
    return -(-prod(access.shape) * access.element_bytes // SECTOR_BYTES)


def _cause(
    op: ir.Operation, access: Access, requests: _Requests, facts: FactsAnalysis
) -> str:
    """Why a thread's elements do not form vectors, and the way out."""
    if access.run > requests.vector:
        return (
            "the tile's layout, which suits its other uses, gives a thread no more "
            "neighbours"
        )
    wanted = requests.widest // access.element_bytes
    if op.name not in VIEW_ACCESSES:
        return (
            f"addresses and mask are known to go together by {access.run} only; "
            f"assume div_by<{requests.widest}> on the base and div_by<{wanted}> on "
            "offsets and limits, or use a view"
        )
    return _view_cause(op, access, wanted, facts)


def _view_cause(
    op: ir.Operation, access: Access, wanted: int, facts: FactsAnalysis
) -> str:
    """Which stride, extent, index or base is not known to be a multiple."""
    if not access.contiguous:
        return "no stride of the view is known to be 1; lay the tensor out so"
    for d, dim in enumerate(view_dims(op, facts)):
        is_row = d != access.fastest
        if is_row and divisor(dim.stride, facts) < wanted:
            return _of_number("row stride", dim.stride, wanted)
        if not is_row and dim.may_stick_out and dim.extent_divisor < wanted:
            return _of_number("extent", dim.extent, wanted)
        if not is_row and dim.start_divisor < wanted:
            return f"its index along dimension {d} is not known to be one of {wanted}"
    base = tensor_view_parts(tensor_view_op(view_operand(op))).base
    known, size = facts.of(base).divisor, wanted * access.element_bytes
    if known < size:
        return (
            f"the base is known to be a multiple of {known} bytes only; assume "
            f"div_by<{size}> on it"
        )
    return f"elements are known to lie together by {access.run} only"


def _of_number(what: str, number: int | ir.Value, wanted: int) -> str:
    if isinstance(number, int):
        padded = -(-number // wanted) * wanted
        return f"{what} {number} is no multiple of {wanted}; pad to {padded}"
    return (
        f"{what} is not known to be a multiple of {wanted}; assume div_by<{wanted}> "
        "on it where it is"
    )


def _scatter(op: ir.Operation, access: Access) -> str:
    """Why lanes touch so many sectors."""
    if access.contiguous:
        return "neighbouring lanes are not neighbours in memory in the tile's layout"
    if op.name in POINTER_ACCESSES:
        return "neighbouring elements are not known to be neighbours in memory"
    return "no stride of the view is known to be 1; lay the tensor out so"
