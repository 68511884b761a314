# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which columns of tensor memory hold which sums.

A sum passes from product to product, and through loops and branches, under different
names; all of them are one place. Places do not overlap: whoever wants more columns than
the chip has gets a message, never a kernel that traps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType, RingType
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import reader_name, runs_by_itself, sum_of
from cuda_tile.ir.attributes import text
from cuda_tile.ir.rings import is_filled_by_products, ring_of
from cuda_tile.ir.tiles import pending_tile
from cuda_tile.ir.traits import SLOT_GIVERS
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.layout.tensor import allocation, columns_of, tensor_atom
from cuda_tile.records import dataclass

DEPOSIT = "tileas.deposit"


@dataclass(frozen=True)
class TensorColumns:
    """Where sums lie.

    Attributes:
        first: The first column of each pending value in tensor memory, and of each
            slot that is one; that of slot 0 of a ring with several.
        sizes: Columns of each place, and where it is first multiplied into.
        slots: Of each of these in a ring with several slots, the slot that it is.
    """

    first: dict[ir.Value, int]
    sizes: tuple[tuple[int, str], ...]
    slots: dict[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])

    @property
    def wanted(self) -> int:
        """Columns of all places."""
        return sum(size for size, _ in self.sizes)

    @property
    def allocated(self) -> int:
        """Columns that the kernel allocates."""
        return allocation(self.wanted)

    def text(self) -> str:
        """What takes the columns."""
        return ", ".join(f"{size} ({where})" for size, where in self.sizes)


def tensor_products(entry: ir.Operation) -> list[ir.Operation]:
    """The products of an entry whose sums are in tensor memory."""
    return [
        op
        for op in nested_ops(entry)
        if runs_by_itself(op) and reader_name(op) == TCGEN05.op
    ]


def tensor_columns(entry: ir.Operation) -> TensorColumns:
    """The columns of all sums of an entry, in the order of their first products.

    Args:
        entry: The entry, at level W.

    Raises:
        InternalError: A name for which there is no instruction.
    """
    products, slots = tensor_products(entry), list(_slots(entry))
    places, slot_of = _places(entry, products), dict[ir.Value, ir.Value]()
    for op in nested_ops(entry):
        if op.name == DEPOSIT:
            pending, slot = op.operands
            slot_of[places.root(pending)] = slot
            places.join(slot, pending)
    several = {v for v, ring in slots if RingType(ring.type).slots > 1}
    slot_of = {r: v for r, v in slot_of.items() if v in several}
    known = {v: v for v in several}
    pending = list(_pending_values(entry))
    known |= {v: slot_of[r] for v in pending if (r := places.root(v)) in slot_of}
    counts: dict[ir.Value, int] = {}
    for value, ring in slots:
        places.join(ring, value)
        counts[places.root(ring)] = RingType(ring.type).slots
    starts: dict[ir.Value, int] = {}
    sizes: list[tuple[int, str]] = []
    for op in products:
        root = places.root(op.results[0])
        if root not in starts:
            starts[root] = sum(size for size, _ in sizes)
            sizes.append((_columns(op) * counts.get(root, 1), location_text(op)))
    names = (*pending, *(value for value, _ in slots))
    first = {v: starts[places.root(v)] for v in names if places.root(v) in starts}
    return TensorColumns(first, tuple(sizes), known)


def _places(entry: ir.Operation, products: Sequence[ir.Operation]) -> _Places:
    """The places of sums that products and control flow hand on."""
    places = _Places()
    for value in _pending_values(entry):
        for source in places.flow_of(entry).incoming(value):
            places.join(value, source)
    for op in products:
        places.join(op.results[0], sum_of(op))
    return places


def _slots(entry: ir.Operation) -> Iterator[tuple[ir.Value, ir.Value]]:
    """The slots in tensor memory, each with its ring, which has one."""
    for op in nested_ops(entry):
        if op.name in SLOT_GIVERS and is_filled_by_products(ring_of(op)):
            yield from ((value, op.operands[0]) for value in op.results)


def _columns(op: ir.Operation) -> int:
    atom = tensor_atom(text(op, "atom"))
    if atom is None:
        raise InternalError(f"expected an atom of tensor memory in '{op.name}'")
    _, layout = pending_tile(op.results[0])
    return columns_of(layout.shape, atom.shape[0])


class _Places:
    """Names of one place, joined."""

    def __init__(self) -> None:
        self._above: dict[ir.Value, ir.Value] = {}
        self._flow: ControlFlow | None = None

    def flow_of(self, entry: ir.Operation) -> ControlFlow:
        """The control flow of the entry, made on first question."""
        if self._flow is None:
            self._flow = ControlFlow(entry)
        return self._flow

    def root(self, value: ir.Value) -> ir.Value:
        """One name for all of a place."""
        while value in self._above:
            value = self._above[value]
        return value

    def join(self, one: ir.Value, other: ir.Value) -> None:
        """Says that two names are of one place."""
        one, other = self.root(one), self.root(other)
        if one != other:
            self._above[one] = other


def _pending_values(entry: ir.Operation) -> Iterator[ir.Value]:
    """All pending values of an entry."""
    for op in nested_ops(entry):
        for region in op.regions:
            for block in region.blocks:
                yield from (a for a in block.arguments if _is_pending(a))
        yield from (r for r in op.results if _is_pending(r))


def _is_pending(value: ir.Value) -> bool:
    return isinstance(value.type, PendingType)
