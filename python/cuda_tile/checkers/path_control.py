# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a role goes from op to op: into regions, around loops, and out of them."""

from __future__ import annotations

from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType
from cuda_tile.analysis.control_flow import ControlFlow, Edge, Point
from cuda_tile.checkers.integers import Form, Symbol
from cuda_tile.checkers.path_loops import Loops
from cuda_tile.checkers.path_values import PathValues
from cuda_tile.checkers.protocol_state import Frame, Role, Value
from cuda_tile.checkers.protocol_steps import slot_of, views_behind
from cuda_tile.checkers.relevant import Relevant
from cuda_tile.ir.roles import find_roles
from cuda_tile.ir.traits import COUNTED_LOOPS, LOOPS, TERMINATORS

_HELD = BufferType | PendingType
_Sent = dict[ir.Value, Value]
_Views = tuple[ir.Value, ...]


class _Route(NamedTuple):
    """An edge, as roles follow it again and again.

    Attributes:
        target: Where control arrives.
        pairs: Values that count, what they become, and of buffers the views behind.
        is_again: Whether it begins the body of a loop anew.
        around: The region in which it goes on behind an op; None at a role's end.
    """

    target: Point
    pairs: list[tuple[ir.Value, ir.Value, _Views]]
    is_again: bool
    around: Point | None


class Control:
    """Follows the edges of a kernel.

    Args:
        flow: Its control flow.
        relevant: What is followed.
        loops: Its loops.
    """

    def __init__(self, flow: ControlFlow, relevant: Relevant, loops: Loops) -> None:
        self._flow, self._relevant, self.loops = flow, relevant, loops
        self._ends = (flow.entry, find_roles(flow.entry))
        self._known: dict[ir.Operation, list[_Route]] = {}

    def follow(self, role: Role, values: PathValues, op: ir.Operation) -> bool:
        """Follows an edge; whether it begins the body of a loop anew.

        Args:
            role: The role; it is changed.
            values: What it sees.
            op: An op with regions, or a terminator.
        """
        route = self._edge(role, values, op)
        sent: _Sent = {}
        for value, received, views in route.pairs:
            given = self._given(values, value, views)
            if given is not None:
                sent[received] = given
        if route.target.region is None:
            self._left(role, values, route, sent)
            return False
        if route.is_again:
            self._again(role, values, route.target.op, sent)
            return True
        self._entered(role, values, Frame(route.target, 0, sent))
        return False

    def _routes(self, op: ir.Operation) -> list[_Route]:
        if op not in self._known:
            self._known[op] = [self._route(edge) for edge in self._flow.edges(op)]
        return self._known[op]

    def _route(self, edge: Edge) -> _Route:
        """What is handed on along an edge, of that which counts."""
        target, pairs = edge.target, list[tuple[ir.Value, ir.Value, _Views]]()
        for value, received in edge.pairs:
            kind = value.type
            if received in self._relevant.values or isinstance(kind, _HELD):
                is_buffer = isinstance(kind, BufferType)
                views = views_behind(value) if is_buffer else ()
                pairs.append((value, received, views))
        is_again = (
            target.region is not None
            and edge.source.name in TERMINATORS
            and target.op.name in LOOPS
        )
        is_end = target.region is None and target.op in self._ends
        around = None if is_end or target.region is not None else _around(target.op)
        return _Route(target, pairs, is_again, around)

    def _edge(self, role: Role, values: PathValues, op: ir.Operation) -> _Route:
        """Where control goes."""
        edges = self._routes(op)
        if len(edges) == 1:
            return edges[0]
        loop = edges[0].target.op if op.name in TERMINATORS else op
        if loop.name not in COUNTED_LOOPS:
            return edges[0 if values.truth(op.operands[0]) else 1]
        left, step = _trips(values, loop)
        if op != loop:
            left = left.plus(values.counted(loop).plus(Form(1)), -step)
        elif self.loops.has_unknown_step(loop) and not self.loops.is_one_of_several(
            loop
        ):
            left = _distance(values, loop)
        ends = values.at_most(left, 0)
        return next(e for e in edges if (e.target.region is None) == ends)

    def _entered(self, role: Role, values: PathValues, frame: Frame) -> None:
        """Begins a region, which may be the body of a loop."""
        loop = frame.point.op
        if loop.name in LOOPS:
            left, frame.step = _trips(values, loop)
            frame.trips = values.fixed(left)[1]
            counted = self.loops.counted(loop)
            if counted is not None and self.loops.has_unknown_step(loop):
                frame.values[counted.index] = values.form(counted.lower)
            elif counted is not None:
                counts = values.counted(loop)
                first = values.form(counted.lower)
                frame.values[counted.index] = first.plus(counts, frame.step)
        role.frames.append(frame)

    def _again(
        self, role: Role, values: PathValues, loop: ir.Operation, sent: _Sent
    ) -> None:
        """Begins a body anew: what was counted of its iterations is one less."""
        while role.frames[-1].point.op != loop:
            role.frames.pop()
        frame = role.frames[-1]
        symbol = self.loops.index(values.number, loop)
        counted, index = self.loops.counted(loop), None
        if counted is not None:
            index = frame.values.get(counted.index)
        frame.values = {v: _earlier(x, symbol) for v, x in sent.items()}
        frame.iteration, frame.place = frame.iteration + 1, 0
        if counted is not None and self.loops.has_unknown_step(loop):
            index = values.index(loop)
        if counted is not None and index is not None:
            frame.values[counted.index] = index
        inside = self.loops.names.around
        role.left = frozenset(op for op in role.left if loop not in inside(op))

    def _left(self, role: Role, values: PathValues, route: _Route, sent: _Sent) -> None:
        """Goes on behind an op; what its iterations counted is no longer known."""
        if route.around is None:
            role.frames.clear()
            return
        while role.frames[-1].point != route.around:
            role.frames.pop()
        op = route.target.op
        symbol = self.loops.index(values.number, op) if op.name in LOOPS else None
        for value, given in sent.items():
            if not isinstance(given, Form) or symbol not in dict(given.terms):
                role.frames[-1].values[value] = given
        role.frames[-1].place += 1
        if op.name in LOOPS:
            role.left |= {op}

    def _given(
        self, values: PathValues, value: ir.Value, views: _Views
    ) -> Value | None:
        """What an edge hands on."""
        if views:
            return slot_of(values.role, views)
        if isinstance(value.type, PendingType):
            return values.role.lookup(value)
        return values.form(value)


def _trips(values: PathValues, loop: ir.Operation) -> tuple[Form, int]:
    """What a loop's index has before it from its first iteration on; its step."""
    if (step := values.loops.step(loop)) is None:
        return values.trips(loop), 1
    return _distance(values, loop), step


def _distance(values: PathValues, loop: ir.Operation) -> Form:
    """How far the bounds of a counted loop are apart."""
    counted = values.loops.counted(loop)
    assert counted is not None, "what has bounds is counted"
    read = values.unsigned if counted.is_unsigned else values.form
    return read(counted.upper).plus(read(counted.lower), -1)


def _around(op: ir.Operation) -> Point:
    """The region in which an op stands."""
    assert op.parent is not None, "only modules stand nowhere"
    parent, block = op.parent.operation, op.block
    points = (Point(parent, number) for number in range(len(parent.regions)))
    return next(p for p in points if p.has_block and p.block == block)


def _earlier(given: Value, symbol: Symbol) -> Value:
    """A sum in the next iteration of a loop, in which that counts one more."""
    if not isinstance(given, Form):
        return given
    return given.plus(Form(-dict(given.terms).get(symbol, 0)))
