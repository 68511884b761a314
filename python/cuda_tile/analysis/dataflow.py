# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data flow over structured control flow: one driver for each direction.

An analysis defines its states, their join where paths meet, and the transfer function
of an op; the driver walks an entry along the edges of `analysis/control_flow.py` until
the states at all points are stable. A point that control never reaches has no state.
The state after a loop is the join over its exits: of `for` the path past it (zero
iterations) and its last iteration, of `loop` each `break`.

States are immutable and compare by `==`. Joining only moves up
a lattice; if that has long chains, `widen` cuts them short. Transfer functions need
not be monotone (one that inserts a barrier clears what is pending): the state of a
point is joined with all its former states, so it covers every path through the final
states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar, cast

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow, Edge, Point, regions_of

State = TypeVar("State")
Fact = TypeVar("Fact")


class _Analysis(ABC, Generic[State]):
    """The interface that forward and backward analyses share.

    Args:
        flow: The control flow of the entry; analyses of one entry may share it.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self.flow = flow
        self._points: dict[Point, State] = {}
        self._ops: dict[ir.Operation, State] = {}

    def join(self, known: State, news: State) -> State:
        """The join where paths meet; equal to `known` if `news` adds nothing.

        Args:
            known: The state on one path.
            news: The state on another path.

        Returns:
            The result of `|`: the union of sets, or of bits.
        """
        return cast(Any, known) | news

    @abstractmethod
    def transfer(self, op: ir.Operation, state: State) -> State:
        """The state on the far side of an op without regions, or of a terminator.

        Args:
            op: The op.
            state: The state on the side from which paths come.
        """

    def widen(self, known: State, news: State) -> State:
        """`join` at the start of a region, where a loop's iterations meet."""
        return self.join(known, news)

    def at(self, point: Point) -> State | None:
        """The state at a point; None if control never gets there."""
        return self._points.get(point)

    def before(self, op: ir.Operation) -> State | None:
        """The state right before an op; None if control never gets there."""
        return self._ops.get(op)

    def _arrive(self, point: Point, state: State) -> bool:
        """Joins a state into the state of a point; returns whether that changed it."""
        known = self._points.get(point)
        join = self.join if point.region is None else self.widen
        joined = state if known is None else join(known, state)
        if known == joined:
            return False
        self._points[point] = joined
        return True


class ForwardAnalysis(_Analysis[State]):
    """States that describe the paths from the entry's start to an op."""

    def forward(self, edge: Edge, state: State) -> State:
        """The state at an edge's target, from the state at its source.

        Args:
            edge: An edge of the control flow.
            state: The state at its source.
        """
        del edge
        return state

    def begin(self, point: Point, state: State) -> State:
        """The state with which the walk continues from a point.

        Args:
            point: A point of the control flow.
            state: The state there.
        """
        del point
        return state

    def solve(self, initial: State) -> None:
        """Finds all states, from `initial` before the entry."""
        self._structure(self.flow.entry, regions_of(self.flow.entry), initial)

    def _structure(
        self, op: ir.Operation, points: list[Point], state: State
    ) -> State | None:
        """Walks the regions of `op` until states are stable; gives its exit state."""
        self._follow(op, state)
        walked: dict[Point, State] = {}
        while True:
            pending = [p for p in points if self.at(p) != walked.get(p)]
            if not pending:
                return self._begin(Point(op, None))
            for point in pending:
                walked[point] = self._points[point]
                self._block(point)

    def _block(self, point: Point) -> None:
        """Walks the ops of a region as far as control gets."""
        state = self._begin(point)
        steps = self.flow.steps(point)
        for op, regions in steps:
            if state is None:
                return
            self._ops[op] = state
            if regions:
                state = self._structure(op, regions, state)
            else:
                state = self.transfer(op, state)
        last, regions = steps[-1]
        if state is not None and not regions:
            self._follow(last, state)

    def _begin(self, point: Point) -> State | None:
        state = self.at(point)
        return None if state is None else self.begin(point, state)

    def _follow(self, op: ir.Operation, state: State) -> None:
        for edge in self.flow.edges(op):
            self._arrive(edge.target, self.forward(edge, state))


class ValueAnalysis(ForwardAnalysis[tuple[Fact, ...]]):
    """Facts of each value that hold on every path to it.

    A rule notes facts of an op's results. Facts of region arguments and of results of
    structured ops are joined over the edges. The state at a point is the facts of its
    values.
    """

    def __init__(self, flow: ControlFlow) -> None:
        super().__init__(flow)
        self._facts: dict[ir.Value, Fact] = {}

    @abstractmethod
    def unknown(self, value: ir.Value) -> Fact:
        """The fact of a value for which there is no rule."""

    @abstractmethod
    def join_facts(self, known: Fact, news: Fact) -> Fact:
        """The fact that holds if either of two facts holds.

        Args:
            known: The fact so far.
            news: The fact on another path.
        """

    def widen_facts(self, known: Fact, news: Fact) -> Fact:
        """`join_facts` at the head of a loop.

        Args:
            known: The fact so far.
            news: The fact at the end of the body.
        """
        return self.join_facts(known, news)

    @abstractmethod
    def apply(self, op: ir.Operation) -> None:
        """Sets the facts of the results of an op without regions."""

    def made(self, point: Point, number: int) -> Fact:
        """The fact of a value of a point that no edge passes.

        Args:
            point: A point of the control flow.
            number: The number of the value among those of the point.
        """
        return self.unknown(self.flow.values(point)[number])

    def of(self, value: ir.Value) -> Fact:
        """The fact of `value`."""
        found = self._facts.get(value)
        if found is None:
            found = self._facts[value] = self.unknown(value)
        return found

    def set(self, value: ir.Value, fact: Fact) -> None:
        """Notes a fact that a rule found.

        Args:
            value: A result.
            fact: Its fact.
        """
        self._facts[value] = fact

    def forget(self, value: ir.Value) -> None:
        """Removes the fact of an earlier walk, which knew fewer paths."""
        self._facts.pop(value, None)

    def join(self, known: tuple[Fact, ...], news: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Joins value by value."""
        return tuple(map(self.join_facts, known, news))

    def widen(
        self, known: tuple[Fact, ...], news: tuple[Fact, ...]
    ) -> tuple[Fact, ...]:
        """Widens value by value."""
        return tuple(map(self.widen_facts, known, news))

    def transfer(self, op: ir.Operation, state: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Sets facts of the results; the state does not change."""
        self.apply(op)
        return state

    def forward(self, edge: Edge, state: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """The facts of the forwarded values."""
        del state
        sent = dict(zip(edge.inputs, edge.sent, strict=True))
        return tuple(
            self.of(sent[number]) if number in sent else self.made(edge.target, number)
            for number in range(len(self.flow.values(edge.target)))
        )

    def begin(self, point: Point, state: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Notes the facts of the point's values."""
        for value, fact in zip(self.flow.values(point), state, strict=True):
            self.set(value, fact)
        return ()


class BackwardAnalysis(_Analysis[State]):
    """States that describe the paths from an op to the entry's end."""

    @property
    @abstractmethod
    def bottom(self) -> State:
        """The state at an end: `join(bottom, x) == x`."""

    def solve(self, final: State) -> None:
        """Finds all states, from `final` behind the entry."""
        self._structure(self.flow.entry, regions_of(self.flow.entry), final)

    def _structure(self, op: ir.Operation, points: list[Point], state: State) -> State:
        """Walks the regions of `op` until they are stable; gives its start state."""
        self._arrive(Point(op, None), state)
        is_stable = False
        while not is_stable:
            news = [self._arrive(p, self._block(p)) for p in reversed(points)]
            is_stable = not any(news)
        return self._ahead(op)

    def _block(self, point: Point) -> State:
        """Walks the ops of a region from its end."""
        steps = self.flow.steps(point)
        last, regions = steps[-1]
        state = self.bottom if regions else self._ahead(last)
        for op, inner in reversed(steps):
            if inner:
                state = self._structure(op, inner, state)
            else:
                state = self.transfer(op, state)
            self._ops[op] = state
        return state

    def _ahead(self, op: ir.Operation) -> State:
        """The successors of an op with regions, or of a terminator."""
        state = self.bottom
        for edge in self.flow.edges(op):
            ahead = self.at(edge.target)
            if ahead is not None:
                state = self.join(state, ahead)
        return state
