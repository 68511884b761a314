# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row that no registers hold is served in parts, by loops over them.

A kernel loads a row as one tile, reduces it, and stores what it makes of it and of the
results. Where a thread would have to spill most of its part of the tile, the entry is
written anew: for each reduction, and for the stores at the end, a loop over parts of
the row that loads them, again if need be, and computes what that step needs. What the
first loop loads is kept for the others as far as there is room (`stage/held.py`).

That is possible where loads are weak and their tokens after no access: by the language
they may then be made at any time, and so more than once. Of a reduction, parts are
joined element by element first, which asks for a body that is seen to be commutative,
as clusters do.

A loop of the author's over a longer row is treated alike where it carries tiles that
leave no registers for what it does: it is repeated for each part of these, and a loop
that carries none has a loop over parts in it (`plan_rows.py`).

A tile may go beyond its tensor, its parts must not lie outside: the loops go as far as
all views reach. What is left, mostly nothing, is computed in a loop of its own, in
which loads outside a view are its padding and stores there are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.cost import register_limit
from cuda_tile.analysis.feeds import TileRegisters
from cuda_tile.analysis.held_tiles import repeated_tiles
from cuda_tile.analysis.registers import estimate, live_tiles
from cuda_tile.analysis.tiling import view_operand
from cuda_tile.ir.plan import PRODUCTS, add_remark
from cuda_tile.ir.scalars import (
    add,
    constant,
    constant_of,
    multiply,
    subtract,
)
from cuda_tile.ir.tiles import element_of, elements_of, is_distributed, shape_of
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    location_text,
    nested_ops,
    op_stem,
)
from cuda_tile.options import Options
from cuda_tile.passes.plan_online import EarlySum, online_sums
from cuda_tile.passes.plan_rows import ACCESSES, Row, is_reverse, longest_row
from cuda_tile.passes.plan_squares import sums_of_squares
from cuda_tile.passes.plan_turns import Parts, Turn, constant_tile, plain_type
from cuda_tile.targets import (
    MOST_CLUSTER,
    PORTABLE_CLUSTER,
    WARP_COUNTS,
    WARP_LANES,
    Target,
)

MOST_CLUSTER_WARPS = 128
"""Warps of a cluster: 8 in each of 16 CTAs have enough bytes in flight."""
PART_ELEMENTS = 8
"""Elements of a part in each thread: two accesses of 16 bytes of f32."""
SCANNED_ELEMENTS = 16
"""The same where a row is scanned: the exchanges between warps serve twice as many."""


def divide_rows(
    entry: ir.Operation,
    ops: list[ir.Operation],
    options: Options,
    hints: Mapping[str, int],
) -> dict[str, int] | None:
    """Writes an entry in parts if no registers hold its rows, whatever the plan.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        options: The user's choices.
        hints: The producer's.

    Returns:
        What its plan must have then; None if its rows are no longer than that, or if
        that is not possible.
    """
    if any(op.name in PRODUCTS for op in ops):
        return None
    size, target = longest_row(ops), options.target
    warps = options.num_warps or max(WARP_COUNTS)
    held = warps * WARP_LANES * register_limit(target, warps, 1)
    if options.persistent or hints.get("occupancy", 1) > 1:
        return None
    if size < held and not _is_crowded(entry, ops, target, warps):
        return None
    cluster = 1
    if target.has_clusters and suits_clusters(ops):
        hinted = hints.get("num_cta_in_cga", 1)
        if size < max(PORTABLE_CLUSTER, min(hinted, MOST_CLUSTER)) * held:
            return None
        cluster = PORTABLE_CLUSTER if options.abi == "tile" else MOST_CLUSTER
    warps = min(warps, MOST_CLUSTER_WARPS // cluster)
    is_scanned = any(op.name == "cuda_tile.scan" for op in ops)
    each = SCANNED_ELEMENTS if is_scanned else PART_ELEMENTS
    part = cluster * warps * WARP_LANES * each
    is_online, may_repeat = cluster == 1, size >= held
    if not write_in_parts(
        entry, size, part, is_online=is_online, may_repeat=may_repeat
    ):
        return None
    add_remark(
        entry,
        f"{location_text(entry)}: wanted a row of {size} elements in registers, it is "
        f"computed in parts of {part}, which are loaded again for each reduction where "
        "shared memory does not hold them; smaller tiles need fewer registers",
    )
    hold = int(bool(repeated_tiles(entry)))
    return {"num_warps": warps, "cluster": cluster, "hold": hold}


def _is_crowded(
    entry: ir.Operation, ops: Sequence[ir.Operation], target: Target, warps: int
) -> bool:
    """Whether what loops carry leaves too few registers for what they do."""
    threads, limit = warps * WARP_LANES, register_limit(target, warps, 1)
    carried = (
        sum(elements_of(value) for value in op.results if is_distributed(value))
        for op in ops
        if op.name == "cuda_tile.for"
    )
    if max(carried, default=0) < threads * limit // 4:
        return False
    live = live_tiles(entry, lambda op, index: False)
    return estimate(live, TileRegisters({}, warps), lambda op: 0).registers > limit


def write_in_parts(
    entry: ir.Operation, size: int, part: int, *, is_online: bool, may_repeat: bool
) -> bool:
    """Writes an entry anew, with loops over parts of its rows.

    Args:
        entry: The entry, at level T; it is left alone where that is not possible.
        size: Elements of a row.
        part: Elements of a part.
        is_online: Whether sums may be computed together with their maximum.
        may_repeat: Whether a loop that carries rows may be needed in several steps:
            that may read more than spills do.

    Returns:
        Whether it was done.
    """
    row = Row(body(entry), size)
    if not row.read():
        return False
    writer = _Writer(row, part, is_online=is_online)
    if not may_repeat and writer.repeats_loops():
        return False
    writer.write()
    return True


class _Writer:
    """Writes the loops behind all ops of a block, and erases what they replace."""

    def __init__(self, row: Row, part: int, *, is_online: bool) -> None:
        self._row, self._is_online = row, is_online
        self._ops = block_ops(row.block)
        self._parts = Parts(row, part)
        self._reach: ir.Value | None = None
        self._sums: dict[ir.Operation, EarlySum] = {}
        self._early: dict[ir.Operation, tuple[list[ir.Value], ir.Value]] = {}
        self._sinks = sinks = [
            op
            for op in self._ops
            if any(map(row.is_long, op.operands))
            and not any(map(row.is_long, op.results))
        ]
        if is_online and not any(map(is_reverse, row.scans())):
            squares = sums_of_squares(sinks, part)
            self._sums = {each.total: each for each in (*online_sums(sinks), *squares)}

    def repeats_loops(self) -> bool:
        """Whether several steps need what one loop leaves."""
        row = self._row
        seen: set[ir.Value] = set()
        for step in {row.step(op) for op in self._sinks}:
            sinks = [op for op in self._sinks if row.step(op) == step]
            sinks = [op for op in sinks if op not in self._sums]
            early = (e for e in self._sums.values() if e.anchor in sinks)
            needed = self._needed([*sinks, *(each.total for each in early)])
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
            _Writer(inner, self._parts.size, is_online=self._is_online).write()
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
            op.erase()

    def _accesses(self) -> Iterator[tuple[ir.Operation, bool]]:
        """The accesses to rows, and whether a loop that carries rows has them."""
        for op in filter(self._row.touches, self._ops):
            is_loop = op.name == "cuda_tile.for"
            for each in nested_ops(op) if is_loop else (op,):
                if op_stem(each) in ACCESSES and self._row.touches(each):
                    yield each, is_loop

    def _find_reach(self) -> None:
        """How many parts all views have of the row that the block accesses."""
        parts = self._parts
        self._reach = constant(parts.count)
        seen: set[tuple[ir.Value, ir.Value]] = set()
        for op, is_in_loop in self._accesses():
            parts.add_view(op)
            view, at = view_operand(op), parts.first(op)
            if is_in_loop or (view, at) in seen:
                continue
            seen.add((view, at))
            count = parts.views[view][1]
            if constant_of(at) != 0:
                count = subtract(count, multiply(at, parts.count))
            self._reach = cuda_tile.MinIOp(self._reach, count, "signed").result

    def _copy(self, op: ir.Operation) -> None:
        """An op on few elements, or a loop, behind what it needs now."""
        made = op.clone()
        for each in (made, *nested_ops(made)):
            for place, value in enumerate(each.operands):
                each.operands[place] = self._parts.now(value)
        self._note(op, made)

    def _note(self, op: ir.Operation, made: ir.Operation) -> None:
        self._parts.known.update(zip(op.results, made.results, strict=True))

    def _loops(self, sinks: Sequence[ir.Operation]) -> None:
        """The loops of one step: reductions and stores."""
        parts = self._parts
        for op in (op for op in sinks if op in self._sums):
            found, joined = self._early.pop(op)
            self._reduce(op, [self._sums[op].finish(found, joined, parts.now)])
        sinks = [op for op in sinks if op not in self._sums]
        if not sinks:
            return
        assert self._reach is not None, "views are read first"
        reductions = [op for op in sinks if op.name == "cuda_tile.reduce"]
        early = [each for each in self._sums.values() if each.anchor in reductions]
        starts = {op: self._identities(op, parts.size) for op in reductions}
        scans = self._scans([*sinks, *(each.total for each in early)])
        starts |= {op: self._identities(op, 1) for op in scans}
        for each in early:
            starts[each.total] = each.begin(parts.type_of(each.total.operands[0]))
        carried = [value for values in starts.values() for value in values]
        most, zero, one = constant(parts.count), constant(0), constant(1)
        ranges = [(zero, self._reach), (self._reach, most)]
        ranges = ranges[: 1 if constant_of(self._reach) else 2]
        is_backward = any(map(is_reverse, scans))
        for first, last in ranges[::-1] if is_backward else ranges:
            end = subtract(add(first, last), one) if is_backward else None
            types = [value.type for value in carried]
            loop = cuda_tile.ForOp(types, first, last, one, carried).operation
            block = loop.regions[0].blocks.append(zero.type, *types)
            index, *given = block.arguments
            with ir.InsertionPoint(block):
                number = index if end is None else subtract(end, index)
                shares = _like(starts, given)
                turn = Turn(parts, number, is_inside=first is zero, given=shares)
                cuda_tile.ContinueOp(turn.make(sinks, early))
            carried = list(loop.results)
        ends = _like(starts, carried)
        for op in reductions:
            self._reduce(op, ends[op])
        for each in early:
            self._early[each.total] = ends[each.total], ends[each.anchor][0]

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
            wanted += (*op.operands, *(v for i in nested_ops(op) for v in i.operands))
        return needed

    def _reduce(self, op: ir.Operation, values: Sequence[ir.Value]) -> None:
        """The same reduction, of what its parts were joined to."""
        made = op.clone()
        for place, value in enumerate(values):
            made.operands[place] = value
        self._note(op, made)

    def _identities(self, op: ir.Operation, extent: int) -> list[ir.Value]:
        """What a reduction's parts begin with, or what precedes those of a scan."""
        found: list[ir.Value] = []
        for value, attribute in zip(
            op.operands, ir.ArrayAttr(op.attributes["identities"]), strict=True
        ):
            shape = [extent if n == self._row.size else n for n in shape_of(value)]
            ty = TileType.get(shape, element_of(value))
            splat = ir.DenseElementsAttr.get_splat(plain_type(ty), attribute)
            found.append(constant_tile(ty, splat))
        return found


def _is_of_loop(value: ir.Value) -> bool:
    op = defining_op(value)
    return op is not None and op.name == "cuda_tile.for"


def _like(
    shares: Mapping[ir.Operation, Sequence[ir.Value]], values: Sequence[ir.Value]
) -> dict[ir.Operation, list[ir.Value]]:
    """Values in one row, to each op as many as in `shares`."""
    rest = iter(values)
    return {op: list(islice(rest, len(own))) for op, own in shares.items()}
