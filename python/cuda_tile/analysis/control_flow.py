# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow of structured ops: successors, and the values that edges forward.

C++ knows the control flow of every op with regions (`getControlEdges` in
`dialect/lib/IR/ControlFlow.cpp`); this module gives it the form that analyses walk.
Control arrives at *points*: the start of a region, or the end of an op. An *edge*
leads from an op with regions, or from a terminator, to a point, and forwards some
operands of its source to arguments of the region or to results of the op. A
terminator may leave several ops: `break` in an `if` in a `loop` goes to the end of the
loop, `return` to the end of the entry.

An op with regions whose control flow C++ does not describe is an error, never skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.dialects import cuda_tile as dialect
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import block_ops, location_text, nested_ops
from cuda_tile.records import dataclass


class Point(NamedTuple):
    """A point of control flow: the start of a region or the end of an op.

    Attributes:
        op: An op with regions.
        region: Number of the region that starts here; None for the op's end.
    """

    op: ir.Operation
    region: int | None

    @property
    def has_block(self) -> bool:
        """Whether there are ops at the point: an `if` may lack a second branch."""
        return self.region is not None and len(self.op.regions[self.region].blocks) > 0

    @property
    def block(self) -> ir.Block:
        """The first block of the region; only for the start of a region."""
        if self.region is None:
            raise InternalError(f"expected the start of a region of '{self.op.name}'")
        return self.op.regions[self.region].blocks[0]

    @property
    def values(self) -> list[ir.Value]:
        """The region's arguments, or the op's results."""
        if self.region is None:
            return list(self.op.results)
        return list(self.block.arguments)


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the control-flow graph.

    Attributes:
        source: An op with regions, or a terminator.
        target: Where control arrives.
        operands: Numbers of the operands of `source` that it forwards.
        inputs: Numbers of the values of `target` that they become, in order.
    """

    source: ir.Operation
    target: Point
    operands: range
    inputs: range

    @property
    def sent(self) -> list[ir.Value]:
        """The values that are forwarded."""
        if not self.operands:
            return []
        return list(self.source.operands)[self.operands.start : self.operands.stop]

    @property
    def pairs(self) -> list[tuple[ir.Value, ir.Value]]:
        """Each forwarded value, with the value that it becomes."""
        if not self.operands:
            return []
        received = self.target.values
        return list(zip(self.sent, (received[i] for i in self.inputs), strict=True))


def successors(op: ir.Operation) -> list[Edge]:
    """The edges out of an op with regions, or out of a terminator.

    Other ops have none: control goes on to the next op.

    Raises:
        InternalError: The control flow of `op` is not described.
    """
    edges = _cuda_tile.control_edges(op)
    if edges is None:
        raise InternalError(
            f"expected the control flow of '{op.name}' to be known, got an op with "
            f"regions, or a terminator, without RegionBranch interface",
            location_text(op),
        )
    return [
        Edge(
            op,
            Point(edge.target, edge.region),
            range(edge.first_operand, edge.first_operand + edge.count),
            range(edge.first_input, edge.first_input + edge.count),
        )
        for edge in edges
    ]


def may_leave(op: ir.Operation) -> bool:
    """Whether control may leave an op other than at its end, as by a `return`."""
    inside = {op, *nested_ops(op)} if len(op.regions) else set[ir.Operation]()
    return any(
        edge.target.op not in inside
        for each in inside
        if len(each.regions) or not len(each.results)
        for edge in successors(each)
    )


class ControlFlow:
    """The points, ops and edges of one entry, each looked up in the IR once.

    They are valid as long as no op of the entry is added or removed.

    Args:
        entry: An entry at level T or W.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self.entry = entry
        self._steps: dict[Point, list[tuple[ir.Operation, list[Point]]]] = {}
        self._edges: dict[ir.Operation, list[Edge]] = {}
        self._values: dict[Point, list[ir.Value]] = {}
        self._incoming: dict[ir.Value, list[ir.Value]] | None = None
        self._all: list[ir.Operation] = []

    def steps(self, point: Point) -> list[tuple[ir.Operation, list[Point]]]:
        """The ops of a region in order, each with the starts of its own regions."""
        found = self._steps.get(point)
        if found is None:
            ops = block_ops(point.block) if point.has_block else []
            found = self._steps[point] = [(op, regions_of(op)) for op in ops]
        return found

    def values(self, point: Point) -> list[ir.Value]:
        """The values of a point."""
        found = self._values.get(point)
        if found is None:
            found = self._values[point] = point.values
        return found

    def edges(self, op: ir.Operation) -> list[Edge]:
        """The successors of an op with regions, or of a terminator."""
        found = self._edges.get(op)
        if found is None:
            found = self._edges[op] = successors(op)
        return found

    def ops(self) -> Iterator[ir.Operation]:
        """Every op of the entry, in program order."""
        if not self._all:
            self._add_under(regions_of(self.entry))
        return iter(self._all)

    def _add_under(self, points: list[Point]) -> None:
        for point in points:
            for op, regions in self.steps(point):
                self._all.append(op)
                if regions:
                    self._add_under(regions)

    def branches(self) -> Iterator[Edge]:
        """Every edge of the entry."""
        yield from self.edges(self.entry)
        for op in self.ops():
            if len(op.regions) or not len(op.results):
                yield from self.edges(op)

    def incoming(self, value: ir.Value) -> list[ir.Value]:
        """The values that are forwarded to a region argument or to a result of an op.

        There are none if the op itself computes `value`.
        """
        if self._incoming is None:
            self._incoming = {}
            for edge in self.branches():
                for sent, received in edge.pairs:
                    self._incoming.setdefault(received, []).append(sent)
        return self._incoming.get(value, [])


def regions_of(op: ir.Operation) -> list[Point]:
    """The starts of an op's regions that hold ops."""
    count = len(op.regions)
    if not count:
        return []
    points = [Point(op, number) for number in range(count)]
    return [point for point in points if point.has_block]


@dataclass(frozen=True)
class CountedLoop:
    """The operands of a `for`, by name.

    Attributes:
        lower: First value of the induction variable.
        upper: Exclusive upper bound of the induction variable.
        step: The increment per iteration, above 0.
        index: The induction variable.
        is_unsigned: Whether the three are compared as unsigned integers.
    """

    lower: ir.Value
    upper: ir.Value
    step: ir.Value
    index: ir.Value
    is_unsigned: bool


def counted_loop(op: ir.Operation) -> CountedLoop | None:
    """The bounds of a `for`; None for any other op."""
    loop = op.opview
    if not isinstance(loop, dialect.ForOp):
        return None
    return CountedLoop(
        loop.lowerBound,
        loop.upperBound,
        loop.step,
        Point(op, 0).block.arguments[0],
        loop.unsignedCmp,
    )
