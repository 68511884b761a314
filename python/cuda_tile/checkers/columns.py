# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks columns of tensor memory: each read of a sum finds all that was added to it.

The definition, along every path of a kernel at level W:

- a sum lies in columns that the kernel has allocated, and the chip has as many;
- a sum stays in its place if control flow passes it on under another name, or if a
  product adds to it;
- between the op that gives a sum and an op that reads it (a product, an await or the
  end of a change in place), no op gives another sum that shares a column with it.

`analysis/tensor_columns.py` joins names and gives each place columns of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.tensor_columns import (
    is_tensor_product,
    sum_in_place,
    tensor_columns,
)
from cuda_tile.checkers.shared_places import meet
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import begins_sum, runs_by_itself, sum_of
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.tiles import pending_tile
from cuda_tile.ir.walk import defining_op, location_text, user_ops
from cuda_tile.layout.tensor import columns_of, rows_of_sums

Spoiled = frozenset[ir.Value]


class _Contents(ForwardAnalysis[Spoiled]):
    """Tracks which sums were overwritten, and notes faults.

    Args:
        flow: The control flow of an entry.
        first: The first column of each sum.
    """

    def __init__(self, flow: ControlFlow, first: Mapping[ir.Value, int]) -> None:
        super().__init__(flow)
        self.ranges = {
            value: _range(value, start)
            for value, start in first.items()
            if isinstance(value.type, PendingType)
        }
        makers = map(defining_op, self.ranges)
        self.touching = {op for op in makers if op is not None}
        self.touching.update(op for op in flow.ops() if begins_sum(op))
        for value in self.ranges:
            self.touching.update(user_ops(value))
        self.faults: dict[ir.Operation, str] = {}

    def forward(self, edge: Edge, state: Spoiled) -> Spoiled:
        """A sum under another name keeps its state if it stays in its place."""
        after = set(state)
        for sent, received in edge.pairs:
            if received not in self.ranges:
                continue
            self._check_stays(edge.source, sent, received)
            (after.add if sent in state else after.discard)(received)
        return frozenset(after)

    def transfer(self, op: ir.Operation, state: Spoiled) -> Spoiled:
        if op not in self.touching:
            return state
        for value in (*op.operands, *_changed(op)):
            if value in self.ranges and value in state:
                self.faults[op] = (
                    f"expected '{op.name}' to find a sum in {self._text(value)}, got "
                    "columns that something was written to since"
                )
        if runs_by_itself(op) and op.results[0] in self.ranges:
            self._check_stays(op, sum_of(op), op.results[0])
        for value in op.results:
            if own := self.ranges.get(value):
                over = (v for v, other in self.ranges.items() if meet(own, other))
                state = (state | frozenset(over)) - {value}
        return state

    def _check_stays(self, op: ir.Operation, one: ir.Value, other: ir.Value) -> None:
        if self.ranges.get(one) != self.ranges[other]:
            self.faults[op] = (
                f"expected '{op.name}' to leave a sum in {self._text(other)}, got it "
                f"in {self._text(one)}"
            )

    def _text(self, value: ir.Value) -> str:
        if value not in self.ranges:
            return "no columns"
        first, end = self.ranges[value]
        return f"columns {first} to {end}"


def check(entry: ir.Operation, flow: ControlFlow) -> None:
    """Judges the columns of a kernel.

    Args:
        entry: An entry after `allocate`.
        flow: Its control flow.

    Raises:
        InternalError: A sum may be overwritten, or lies outside; says where.
    """
    if not any(map(is_tensor_product, flow.ops())):
        return
    columns = tensor_columns(entry, flow)
    most = min(columns.allocated, read_target(entry).tensor_columns)
    for op, fault in faults_of(flow, columns.first, most).items():
        raise InternalError(f"allocate: {fault}", location_text(op))


def faults_of(
    flow: ControlFlow, first: Mapping[ir.Value, int], most: int
) -> dict[ir.Operation, str]:
    """The faults of columns, each with an op that meets it.

    Args:
        flow: The control flow of an entry.
        first: The first column of each sum in tensor memory.
        most: Number of columns.
    """
    contents = _Contents(flow, first)
    contents.solve(frozenset())
    for value, (start, end) in contents.ranges.items():
        op = defining_op(value)
        if op is not None and (start < 0 or end > most):
            contents.faults[op] = (
                f"expected sums in columns 0 to {most}, got {start} to {end}"
            )
    return contents.faults


def _changed(op: ir.Operation) -> list[ir.Value]:
    """The sum that an op changes in place, although another op has awaited it."""
    former = sum_in_place(op) if begins_sum(op) else None
    return [] if former is None else [former]


def _range(value: ir.Value, start: int) -> tuple[int, int]:
    """First column and end of a sum."""
    _, layout = pending_tile(value)
    return start, start + columns_of(layout.shape, rows_of_sums(layout))
