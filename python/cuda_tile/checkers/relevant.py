# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ops, values and loops of a kernel its rings and roles depend on."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import Buffers
from cuda_tile.analysis.control_flow import ControlFlow, counted_loop
from cuda_tile.checkers.protocol_key import RingValues
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.rings import RING, ring_of
from cuda_tile.ir.roles import ROLES, find_roles
from cuda_tile.ir.traits import AWAITS, LOOPS, RING_STEPS, TERMINATORS
from cuda_tile.ir.walk import defining_op, enclosing_ops_of, nested_in

_STEPS = RING_STEPS | AWAITS | {RING, ROLES}


class Relevant:
    """The ops and values that are followed on a path; all others are irrelevant.

    Args:
        flow: The control flow of the entry.

    Attributes:
        ops: The ops, and those around them.
        values: The values from which these compute iterations and conditions.
        rings: Integers that are nothing but the iteration of a ring.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow, self._buffers = flow, Buffers(flow)
        self._sources: dict[ir.Value, list[ir.Value]] = {}
        self.ops = {op for op in flow.ops() if self._is_step(op)}
        self.values = self._close()
        guards = (v for op in self.ops if len(op.regions) for v in _roots(op))
        self.rings = self._ring_values()
        for value in self._behind(list(guards)):
            self.rings.pop(value, None)

    def _close(self) -> set[ir.Value]:
        """Adds what is around the ops, and what makes values that they need."""
        while True:
            around = {o for op in self.ops for o in enclosing_ops_of(op)}
            needed = self._behind([v for op in self.ops | around for v in _roots(op)])
            makers = (defining_op(v) for v in needed)
            more = {op for op in makers if op is not None and len(op.regions)}
            if more | around <= self.ops:
                return needed
            self.ops |= more | around

    def loops_of_roles(self) -> list[list[ir.Operation]]:
        """For each role its loops; all threads first."""
        loops = [op for op in self._flow.ops() if op in self.ops]
        loops = [op for op in loops if op.name in LOOPS]
        roles = find_roles(self._flow.entry)
        regions = [] if roles is None else list(roles.regions)
        inner = [set(nested_in(region)) for region in regions]
        first = [op for op in loops if not any(op in ops for ops in inner)]
        return [first, *([op for op in loops if op in ops] for ops in inner)]

    def _is_step(self, op: ir.Operation) -> bool:
        name = op.name
        if name in TERMINATORS:
            parent = op.parent
            return parent is not None and any(
                edge.target.op != parent.operation for edge in self._flow.edges(op)
            )
        if name in _STEPS or runs_by_itself(op):
            return True
        return not len(op.regions) and self._uses_ring(op)

    def _uses_ring(self, op: ir.Operation) -> bool:
        access = self._buffers.access(op)
        if access is None:
            return False
        return any(made.name == RING for made in access.reads | access.writes)

    def _behind(self, roots: list[ir.Value]) -> set[ir.Value]:
        """All values that some are computed from."""
        seen, work = set(roots), list(roots)
        while work:
            sources = self._sources_of(work.pop())
            work += [v for v in sources if v not in seen]
            seen.update(sources)
        return seen

    def _sources_of(self, value: ir.Value) -> list[ir.Value]:
        """What a value is computed from, or handed on from."""
        if value not in self._sources:
            sources, op = self._flow.incoming(value), defining_op(value)
            if not sources and op is not None and not len(op.regions):
                sources = list(op.operands)
            self._sources[value] = sources
        return self._sources[value]

    def _ring_values(self) -> RingValues:
        """The integers that are the iteration of one ring, and of no other."""
        found: RingValues = {}
        several: set[ir.Value] = set()
        for op in (op for op in self.ops if op.name in RING_STEPS):
            ring, values = ring_of(op), self._behind([op.operands[1]])
            several |= {v for v in values if found.setdefault(v, ring) != ring}
        return {v: ring for v, ring in found.items() if v not in several}


def _roots(op: ir.Operation) -> list[ir.Value]:
    """The integers that decide what an op does."""
    if op.name in RING_STEPS:
        return [op.operands[1]]
    counted = counted_loop(op)
    if counted is not None:
        return [counted.lower, counted.upper]
    is_branch = len(op.regions) and len(op.operands) and op.name not in LOOPS
    return [op.operands[0]] if is_branch else []
