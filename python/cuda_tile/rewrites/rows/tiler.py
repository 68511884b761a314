# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites a block that computes with rows, with loops over their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.tensor_sums import IsMine
from cuda_tile.analysis.tiling import view_operand
from cuda_tile.ir.cloned import clone_renamed, clone_with
from cuda_tile.ir.scalars import (
    add,
    branch,
    constant,
    constant_of,
    minimum,
    multiply,
    subtract,
    widened,
)
from cuda_tile.ir.tile_values import constant_tile
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import FOR_LOOPS, REDUCTIONS
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    enclosing_ops,
    nested_ops,
    taken,
)
from cuda_tile.rewrites.rows.hoisted import HoistedSum, is_finite
from cuda_tile.rewrites.rows.iteration import Iteration
from cuda_tile.rewrites.rows.joint_sums import SumsOf, no_sums
from cuda_tile.rewrites.rows.parts import Parts
from cuda_tile.rewrites.rows.row import ACCESSES, Row, is_reverse
from cuda_tile.rewrites.rows.sums import sum_columns


def find_tiler(
    entry: ir.Operation, size: int, part: int, sums_of: SumsOf
) -> RowTiler | None:
    """Finds how to compute the rows of an entry in parts; nothing is written yet.

    Args:
        entry: The entry, at level T.
        size: Elements of a row.
        part: Elements of a part.
        sums_of: Gives the sums of a block that loops of other reductions compute.

    Returns:
        The writer of the loops; None if that is not possible.
    """
    row = Row(body(entry), size)
    return RowTiler(row, part, sums_of) if row.read() else None


def find_sum_tilers(entry: ir.Operation, part: int, is_mine: IsMine) -> list[RowTiler]:
    """Finds how to compute epilogues of sums in tensor memory in parts.

    Args:
        entry: The entry, at level T.
        part: Columns of a part.
        is_mine: Tells whether the sum of a product is in tensor memory.

    Returns:
        The writers of the loops, for each block and width of sums.
    """
    found = (sums for sums in sum_columns(entry, is_mine) if sums.size > part)
    return [RowTiler(sums, part, no_sums) for sums in found]


class RowTiler:
    """Writes the loops behind all ops of a block, and erases the replaced ops."""

    def __init__(self, row: Row, part: int, sums_of: SumsOf) -> None:
        self._row, self._sums_of = row, sums_of
        self._ops = block_ops(row.block)
        self._parts = Parts(row, part)
        self._reach: ir.Value | None = None
        self._is_beyond = True
        self._sums = sums_of(row, part)
        self._hoisted: dict[ir.Operation, tuple[list[ir.Value], ir.Value]] = {}
        self._sinks = row.sinks()

    def _inner(self, row: Row) -> RowTiler:
        """The writer for an inner loop of the block."""
        return RowTiler(row, self._parts.size, self._sums_of)

    @property
    def loads_again(self) -> bool:
        """Whether several loops load a row, since there are several steps."""
        steps = {self._row.step(op) for op in self._sinks if op not in self._sums}
        inner = map(self._inner, self._row.inner.values())
        return len(steps) > 1 or any(each.loads_again for each in inner)

    @property
    def repeats_loops(self) -> bool:
        """Whether several steps need the rows that a loop leaves."""
        row = self._row
        seen: set[ir.Value] = set()
        for step in {row.step(op) for op in self._sinks}:
            sinks = [op for op in self._sinks if row.step(op) == step]
            sinks = [op for op in sinks if op not in self._sums]
            hoisted = (e for e in self._sums.values() if e.anchor in sinks)
            needed = self._needed([*sinks, *(each.total for each in hoisted)])
            loops = {v for v in needed if _is_of_loop(v)}
            if seen & loops:
                return True
            seen |= {
                v for loop in map(defining_op, loops) if loop for v in loop.results
            }
        return False

    def write(self) -> None:
        """Writes everything."""
        row, end, sinks = self._row, self._ops[-1], self._sinks
        for inner in row.inner.values():
            self._inner(inner).write()
        late = [op for op in self._ops[:-1] if row.step(op) and op not in sinks]
        late = [op for op in late if not any(map(row.is_long, op.results))]
        with ir.InsertionPoint(end), end.location:
            self._find_reach()
            for step in range(max(map(row.step, (*sinks, *late)), default=0) + 1):
                for op in late:
                    if row.step(op) == step:
                        self._copy(op)
                self._loops([op for op in sinks if row.step(op) == step])
        for place, value in enumerate(end.operands):
            end.operands[place] = self._parts.now(value)
        gone = [op for op in self._ops[:-1] if op in late or row.touches(op)]
        for op in reversed(gone):
            if op in sinks or not any(list(v.uses) for v in op.results):
                op.erase()

    def _accesses(self) -> Iterator[tuple[ir.Operation, bool]]:
        """The accesses to rows, and whether a loop that carries rows has them.

        They include loads of rows outside the block, which are repeated in it.
        """
        for op in filter(self._row.touches, self._ops):
            is_loop = op.name in FOR_LOOPS
            for each in nested_ops(op) if is_loop else (op,):
                if each.name in ACCESSES and self._row.touches(each):
                    yield each, is_loop
        for op in self._row.captured():
            if op.name in ACCESSES:
                yield op, False

    def _find_reach(self) -> None:
        """How many parts all views have of the row that the block accesses."""
        parts = self._parts
        self._reach = constant(parts.count)
        seen: set[tuple[int | ir.Value, ir.Value]] = set()
        for op, is_in_loop in self._accesses():
            view, at = view_operand(op), parts.first(op)
            if is_in_loop and _around(op) in list(enclosing_ops(view)):
                continue  # each iteration makes its own view
            parts.add_view(op)
            key = parts.extent(op), at
            if is_in_loop or key in seen:
                continue
            seen.add(key)
            count = parts.views[view][1]
            if constant_of(at) != 0:
                count, at = widened(count, at)
                count = subtract(count, multiply(at, parts.count))
            self._reach = minimum(self._reach, count)
        reduces = any(op.name in REDUCTIONS for op in self._sinks)
        self._is_beyond = reduces or len(seen) != 1 or bool(self._row.inner)

    def _copy(self, op: ir.Operation) -> None:
        """Copies an op on few elements, or a loop, behind its new operands."""
        self._note(op, clone_renamed(op, self._parts.known))

    def _note(self, op: ir.Operation, made: ir.Operation) -> None:
        self._parts.known.update(zip(op.results, made.results, strict=True))

    def _loops(self, sinks: Sequence[ir.Operation]) -> None:
        """The loops of one step: reductions and stores."""
        assert self._reach is not None, "views are read first"
        for op in (op for op in sinks if op in self._sums):
            self._finish(self._sums[op])
        sinks = [op for op in sinks if op not in self._sums]
        most, zero = constant(self._parts.count), constant(0)
        ranges = [(zero, self._reach, True), (self._reach, most, False)]
        hoisted = [each for each in self._sums.values() if each.anchor in sinks]
        if sinks:
            is_beyond = self._is_beyond and constant_of(self._reach) is None
            self._serve(sinks, hoisted, ranges[: 2 if is_beyond else 1])

    def _finish(self, each: HoistedSum) -> None:
        """A hoisted sum; the program's sum if it must be finite and is not."""
        op = each.total
        found, joined = self._hoisted.pop(op)
        self._reduce(op, [each.finish(found, joined, self._parts.now)])
        if not each.may_overflow:
            return
        hoisted = self._parts.now(op.results[0])
        # online_softmax C6; welford C3
        with branch(is_finite(hoisted), [hoisted.type]) as made:
            cuda_tile.YieldOp([hoisted])
        with ir.InsertionPoint(made.regions[1].blocks.append()):
            all_parts = constant(0), constant(self._parts.count), False
            self._serve([op], [], [all_parts])
            cuda_tile.YieldOp([self._parts.now(op.results[0])])
        self._note(op, made)

    def _serve(
        self,
        sinks: Sequence[ir.Operation],
        hoisted: Sequence[HoistedSum],
        ranges: Sequence[tuple[ir.Value, ir.Value, bool]],
    ) -> None:
        """Loops over parts that serve some sinks, and the reductions behind them.

        Args:
            sinks: Reductions and stores of one step.
            hoisted: Sums that are computed with them.
            ranges: Numbers of the first and the last part but one of each loop, and
                whether all views surely have these parts.
        """
        parts, one = self._parts, constant(1)
        reductions = [op for op in sinks if op.name in REDUCTIONS]
        starts = {op: self._identities(op, parts.size) for op in reductions}
        scans = self._scans([*sinks, *(each.total for each in hoisted)])
        starts |= {op: self._identities(op, 1) for op in scans}
        for each in hoisted:
            starts[each.total] = each.begin(parts.type_of(each.total.operands[0]))
        carried = [value for values in starts.values() for value in values]
        is_backward = any(map(is_reverse, scans))
        for first, last, is_inside in ranges[::-1] if is_backward else ranges:
            end = subtract(add(first, last), one) if is_backward else None
            types = [value.type for value in carried]
            loop = cuda_tile.ForOp(types, first, last, one, carried).operation
            block = loop.regions[0].blocks.append(one.type, *types)
            index, *given = block.arguments
            with ir.InsertionPoint(block):
                number = index if end is None else subtract(end, index)
                iteration = Iteration(
                    parts, number, is_inside, given=_like(starts, given)
                )
                cuda_tile.ContinueOp(iteration.make(sinks, hoisted))
            carried = list(loop.results)
        ends = _like(starts, carried)
        for op in reductions:
            self._reduce(op, ends[op])
        for each in hoisted:
            self._hoisted[each.total] = ends[each.total], ends[each.anchor][0]

    def _scans(self, ops: Sequence[ir.Operation]) -> list[ir.Operation]:
        """The scans that some ops need, each once."""
        needed = self._needed(ops)
        return [op for op in self._row.scans() if not needed.isdisjoint(op.results)]

    def _needed(self, ops: Sequence[ir.Operation]) -> set[ir.Value]:
        """The rows that some ops need."""
        needed: set[ir.Value] = set()
        wanted = [v for op in ops for v in op.operands]
        while wanted:
            value = wanted.pop()
            op = defining_op(value)
            if op is None or value in needed or not self._row.is_long(value):
                continue
            needed.add(value)
            wanted += taken(op)
        return needed

    def _reduce(self, op: ir.Operation, values: Sequence[ir.Value]) -> None:
        """The same reduction, applied to the joined parts."""
        self._note(op, clone_with(op, values))

    def _identities(self, op: ir.Operation, extent: int) -> list[ir.Value]:
        """The initial values of joined parts, or before a scan's first part."""
        found: list[ir.Value] = []
        for value, attribute in zip(
            op.operands, ir.ArrayAttr(op.attributes["identities"]), strict=True
        ):
            shape = self._row.shape_of_part(shape_of(value), extent)
            ty = TileType.get(shape, element_of(value))
            found.append(constant_tile(ty, attribute))
        return found


def _around(op: ir.Operation) -> ir.Operation:
    """The op that an op stands in."""
    assert op.parent is not None, "accesses stand in an entry"
    return op.parent.operation


def _is_of_loop(value: ir.Value) -> bool:
    op = defining_op(value)
    return op is not None and op.name in FOR_LOOPS


def _like(
    shares: Mapping[ir.Operation, Sequence[ir.Value]], values: Sequence[ir.Value]
) -> dict[ir.Operation, list[ir.Value]]:
    """Divides a list of values among ops, to each as many as in `shares`."""
    rest = iter(values)
    return {op: list(islice(rest, len(own))) for op, own in shares.items()}
