# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `count`: each wait leaves only groups in flight that are not needed yet.

The definition, along every path of a kernel at level W: a wait that may leave N groups
in flight ends when all but the N youngest are complete (PTX ISA, "cp.async.wait_group",
"wgmma.wait_group"). So at least N groups must have been committed after the group that
a `take`, an `await` or a `release` needs: the copies of the oldest iteration that the
ring has published and not taken, or the youngest product of the pending values.

Paths are kept apart, for each ring and for the products, and followed until no new
state appears; they are not merged, unlike in `count`. A path that takes an iteration
which was not published, or that publishes more than the ring has slots, is no path of
the program: it ends there.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import RingType
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import completes_in_groups
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.copies import waits_by_groups
from cuda_tile.ir.rings import RING
from cuda_tile.ir.traits import AWAITS
from cuda_tile.ir.walk import enclosing_ops, entries, location_text
from cuda_tile.options import Options

Ages = tuple[int, ...]
"""Of iterations that are published and not taken, oldest first: the groups since."""
Sums = frozenset[tuple[ir.Value, int]]
"""Pending values, each with the number of products since its youngest one."""
Path = TypeVar("Path", Ages, Sums)


class _Waits(ForwardAnalysis[frozenset[Path]], Generic[Path]):
    """Follows all paths, and notes waits that leave too much in flight.

    Args:
        flow: The control flow of an entry at level W.
        most: Groups of this age count as complete; no wait leaves so many in flight.
    """

    def __init__(self, flow: ControlFlow, most: int) -> None:
        super().__init__(flow)
        self.most = most
        self.faults: dict[ir.Operation, str] = {}

    def check(self, op: ir.Operation, younger: int) -> None:
        """Notes a wait that leaves a group in flight which it needs.

        Args:
            op: The wait.
            younger: Groups that were committed after the group that it needs.
        """
        if left_by(op) > younger:
            self.faults[op] = (
                f"{left_by(op)} where {younger} are younger than what it needs"
            )


class _Copies(_Waits[Ages]):
    """The waits for the copies into one ring."""

    def __init__(self, flow: ControlFlow, most: int, ring: ir.Value) -> None:
        super().__init__(flow, most)
        self._ring = ring

    def transfer(self, op: ir.Operation, state: frozenset[Ages]) -> frozenset[Ages]:
        if op == self._ring.owner:
            return frozenset[Ages]([()])
        if op.name == "tileas.publish" and waits_by_groups(op.operands[0]):
            return self._published(op, state)
        if op.name != "tileas.take" or op.operands[0] != self._ring:
            return state
        for ages in filter(None, state):
            self.check(op, ages[0])
        return frozenset(ages[1:] for ages in state if ages)

    def _published(self, op: ir.Operation, state: frozenset[Ages]) -> frozenset[Ages]:
        own: Ages = (0,) if op.operands[0] == self._ring else ()
        slots = RingType(self._ring.type).slots
        aged = ((*(min(age + 1, self.most) for age in ages), *own) for ages in state)
        return frozenset(ages for ages in aged if len(ages) <= slots)


class _Products(_Waits[Sums]):
    """The waits for products."""

    def forward(self, edge: Edge, state: frozenset[Sums]) -> frozenset[Sums]:
        return frozenset(_handed_on(sums, edge) for sums in state)

    def transfer(self, op: ir.Operation, state: frozenset[Sums]) -> frozenset[Sums]:
        if op.name in AWAITS:
            needed = set(op.operands)
            for sums in state:
                ages = (age for value, age in sums if value in needed)
                self.check(op, min(ages, default=self.most))
        if not completes_in_groups(op):
            return state
        return frozenset(
            frozenset((value, min(age + 1, self.most)) for value, age in sums)
            | {(op.results[0], 0)}
            for sums in state
        )


def left_by(op: ir.Operation) -> int:
    """Groups that a wait may leave in flight."""
    return integer(op, "groups") if "groups" in op.attributes else 0


def check(module: ir.Operation, options: Options) -> None:
    """Judges the counts of each kernel.

    Args:
        module: The output of `count`.
        options: The options of the compilation.

    Raises:
        InternalError: A wait may end too early; says which, and by how much.
    """
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        for op, fault in _faults(flow).items():
            raise InternalError(
                f"count: expected '{op.name}' to leave no group in flight that it "
                f"needs, got {fault}",
                location_text(op),
            )


def _faults(flow: ControlFlow) -> dict[ir.Operation, str]:
    """The wrong waits, each with its fault."""
    ops = list(flow.ops())
    most = 1 + max(map(left_by, ops), default=0)
    faults: dict[ir.Operation, str] = {}
    for op in ops:
        if op.name == RING and waits_by_groups(op.results[0]):
            copies = _Copies(flow, most, op.results[0])
            copies.solve(frozenset[Ages]())
            faults |= copies.faults
    if any(map(completes_in_groups, ops)):
        products = _Products(flow, most)
        products.solve(frozenset([Sums()]))
        faults |= products.faults
    return faults


def _handed_on(sums: Sums, edge: Edge) -> Sums:
    """The pending sums at the target of an edge: renamed, or dropped."""
    ages, inner = dict(sums), edge.target.op
    kept = {v: age for v, age in ages.items() if inner not in enclosing_ops(v)}
    news = {received: ages.get(sent) for sent, received in edge.pairs}
    both = {**kept, **news}
    return frozenset((value, age) for value, age in both.items() if age is not None)
