# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: first the thread's own elements, then the lanes of its warp.

Elements in other warps never get here: `stage` has split such reductions.

A *row* is one coordinate of the dimensions that stay. The registers of a row are folded
one after another into one accumulator. Lanes are then folded in one of two ways, for
each bit of the lane number that goes along the dimension:

- *halving*: two partners divide two rows between them, each sends what the other keeps;
- *butterfly*: every lane gets every row of its partner and combines it with its own.

Halving leaves the rows spread over lanes (`layout/reduction.py`); where the result is
to be replicated, each lane fetches every row. For 64 rows and 32 lanes that is 126
exchanges and 62 applications of the body; the butterfly takes 320 of each. For
integers of all lanes there may be one instruction (`emit/redux.py`).

Rows are reduced one after another in the order of the registers, depth first, so that
operands are used soon after they were computed, and few values are live.

A body that may not swap its arguments goes up the bits of the coordinate instead, in
their order; lanes divide what they can there too (`_OrderedRows`).
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_commutative, is_symmetric
from cuda_tile.analysis.lane_folds import halving_steps, step_costs
from cuda_tile.constants import LEAST_PAIRED_REGISTERS
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.emit.float import goes_in_pairs
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.reduce_body import (
    Values,
    body_function,
    columns_of,
    dim_bits,
    exchange,
    registers_of_rows,
    select_row,
)
from cuda_tile.emit.redux import whole_warp
from cuda_tile.emit.select_bodies import Span
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.walk import block_ops, body
from cuda_tile.layout.linear import N_LANE_BITS, Coord
from cuda_tile.layout.reduction import lanes_along, replicated_result, spread_result


@RULES.register("reduce")
def reduce(e: Emitter, op: ir.Operation) -> None:
    """Folds along `dim`; the result's layout says which threads end with it."""
    dim = integer(op, "dim")
    layout = layout_of(op.operands[0])
    if not is_commutative(op):
        _reduce_in_order(e, op, dim)
        return
    bits = layout.bits_along(dim)
    if bits.warp or bits.block:
        raise InternalError("emit: a reduction across warps after stage")
    rows = _Rows(e, op, dim)
    replicated = replicated_result(layout, dim)
    lanes = [1 << bit for bit in lanes_along(layout, dim)]
    if not is_distributed(op.results[0]):
        values = rows.fold_lanes([()], [], lanes)[0]
        for result, value in zip(op.results, values, strict=True):
            e.set(result, value)
        return
    out = layout_of(op.results[0])
    places = replicated.register_offsets()
    most = min(len(lanes), len(replicated.register))
    for count in range(1, most + 1):
        if out == spread_result(layout, dim, count):
            left = len(places) >> count
            groups = [place for i in range(left) for place in places[i::left]]
            found = rows.fold_lanes(groups, lanes[:count], lanes[count:])
            break
    else:
        count = 0
        if not rows.folds_at_once(lanes):
            count = halving_steps(len(places), len(lanes), *step_costs(op))
        found = rows.fold_lanes(places, lanes[:count], lanes[count:])
        found = _from_all(e, found, lanes[:count])
        by_place = dict(zip(places, found, strict=True))
        found = [by_place[place] for place in out.register_offsets()]
    for i, result in enumerate(op.results):
        e.set(result, Fragment(out, tuple(row[i] for row in found)))


def _reduce_in_order(e: Emitter, op: ir.Operation, dim: int) -> None:
    """Pairs of neighbours, then of pairs, up to the highest bit of the coordinate."""
    found = _OrderedRows(e, op, dim).totals()
    for i, result in enumerate(op.results):
        if not is_distributed(result):
            e.set(result, found[()][i])
            continue
        out = layout_of(result)
        values = tuple(found[place][i] for place in out.register_offsets())
        e.set(result, Fragment(out, values))


class _OrderedRows:
    """The rows of a reduction whose body may not swap its arguments.

    Lanes divide the *parts* that a thread has between them. Parts are several rows, and
    parts of one row, of registers whose coordinate bits are above all those of lanes.
    The lower lane of a pair keeps the first of two parts. Divided parts are then folded
    across the same lanes; rows are fetched.
    """

    def __init__(self, e: Emitter, op: ir.Operation, dim: int) -> None:
        layout = layout_of(op.operands[0])
        self._e, self._combine = e, body_function(e, op)
        self._columns, self._bits = columns_of(e, op), dim_bits(layout, dim)
        self._rows = registers_of_rows(layout, dim)

    def totals(self) -> dict[Coord, Values]:
        """Each row's result, the same bits in all lanes, whatever the body."""
        bits, rows = self._bits, self._rows
        above = len(bits)
        while above and bits[above - 1].lane is None:
            above -= 1
        below = above
        while below and bits[below - 1].lane is not None:
            below -= 1
        if below == above:
            below = above = len(bits)
        lanes = [bit.lane for bit in bits[below:above] if bit.lane is not None]
        steps = [bit.step for bit in bits[above:]]
        starts = [0]
        for step in steps:
            starts += [start | step for start in starts]
        parts = [(row, start) for row in rows.values() for start in starts]
        count = min(len(lanes), len(parts).bit_length() - 1)
        halved, size = lanes[:count], 1 << count
        crossed = [*lanes[count:], *halved[: len(steps)]]

        def fold(first: int, bits_left: int) -> Values:
            """The groups of `size` parts from `first` that are of one row."""
            if not bits_left:
                total = self._halve(parts[first : first + size], halved, below)
                for lane in crossed:
                    total = self._across(total, lane)
                return total
            earlier = fold(first, bits_left - 1)
            later = fold(first + (size << bits_left - 1), bits_left - 1)
            return self._combine(later, earlier)

        left = len(steps[count:])
        found = [fold(first, left) for first in range(0, len(parts), size << left)]
        found = _from_all(self._e, found, halved[len(steps) :])
        return dict(zip(rows, found, strict=True))

    def _halve(
        self, parts: list[tuple[dict[int, int], int]], lanes: list[int], below: int
    ) -> Values:
        """Folds 2**n parts over n lane bits; lane bit i keeps parts with bit i."""
        if not lanes:
            return self._total(*parts[0], below)
        *inner, lane = lanes
        half = len(parts) // 2
        first = self._halve(parts[:half], inner, below)
        second = self._halve(parts[half:], inner, below)
        e, is_later = self._e, self._e.threads.has_bit(lane)
        other = exchange(e, select_row(e, is_later, first, second), lane)
        later = select_row(e, is_later, second, other)
        return self._combine(later, select_row(e, is_later, other, first))

    def _total(self, row: dict[int, int], start: int, count: int) -> Values:
        """Of the elements that the lowest `count` bits tell apart."""
        if not count:
            return [column[row[start]] for column in self._columns]
        bit = self._bits[count - 1]
        earlier = self._total(row, start, count - 1)
        if bit.lane is not None:
            return self._across(earlier, bit.lane)
        return self._combine(self._total(row, start | bit.step, count - 1), earlier)

    def _across(self, own: Values, lane: int) -> Values:
        """Both lanes of a pair put the one before the other."""
        e, is_later = self._e, self._e.threads.has_bit(lane)
        other = exchange(e, own, lane)
        later = select_row(e, is_later, own, other)
        return self._combine(later, select_row(e, is_later, other, own))


class _Rows:
    """The rows of one reduction in one thread, folded when they are asked for."""

    def __init__(self, e: Emitter, op: ir.Operation, dim: int) -> None:
        self._e = e
        self._combine = body_function(e, op)
        self._is_symmetric = is_symmetric(op)
        self._columns = columns_of(e, op)
        self._registers = registers_of_rows(layout_of(op.operands[0]), dim)
        self._whole_warp = whole_warp(e, op)
        inner = block_ops(body(op))[:-1]
        self._in_pairs = all(goes_in_pairs(e, inner_op) for inner_op in inner)

    def folds_at_once(self, lanes: list[int]) -> bool:
        """Whether one instruction folds these lane bits, all that there are."""
        return len(lanes) == N_LANE_BITS and self._whole_warp is not None

    def fold_lanes(
        self, places: list[Coord], halved: list[int], crossed: list[int]
    ) -> list[Values]:
        """Folds rows by halving over some lane bits, by butterfly over others.

        Every lane that holds a row ends with the same bits: a butterfly applies the
        body with the arguments in another order in each lane, so where that may make a
        difference, of zeros or NaNs, all take what the lowest lane has.
        """
        size = 1 << len(halved)
        results: list[Values] = []
        for first in range(0, len(places), size):
            row = self._halve(places[first : first + size], halved)
            if self._whole_warp is not None and self.folds_at_once(crossed):
                results.append(self._whole_warp(row))
                continue
            for lane in crossed:
                row = self._combine(exchange(self._e, row, lane), row)
            if crossed and not self._is_symmetric:
                row = _from_lane(self._e, row, sum(crossed), 0)
            results.append(row)
        return results

    def _halve(self, places: list[Coord], lanes: list[int]) -> Values:
        """Folds 2**n rows over n lane bits; lane bit i keeps rows with bit i."""
        if not lanes:
            return self._fold_registers(places[0])
        *inner, lane = lanes
        half = len(places) // 2
        low = self._halve(places[:half], inner)
        high = self._halve(places[half:], inner)
        is_set, select = self._e.threads.has_bit(lane), self._e.builder.select
        pairs = list(zip(low, high, strict=True))
        sent = [select(is_set, first, second) for first, second in pairs]
        kept = [select(is_set, second, first) for first, second in pairs]
        return self._combine(exchange(self._e, sent, lane), kept)

    def _fold_registers(self, place: Coord) -> Values:
        first, *others = registers = list(self._registers[place].values())
        if self._in_pairs and len(registers) >= LEAST_PAIRED_REGISTERS:
            return self._fold_pairs(registers)
        total = [column[first] for column in self._columns]
        spans = [Span(self._e.offsets, value) for value in total]
        for register in others:
            element = [column[register] for column in self._columns]
            pairs = zip(element, spans, strict=True)
            orders = [span.take(value) for value, span in pairs]
            total = self._combine(element, total, orders)
        return total

    def _fold_pairs(self, registers: list[int]) -> Values:
        """Registers with even places and those with odd ones at once, then the two."""
        packer = self._e.packer
        neighbours = zip(registers[0::2], registers[1::2], strict=True)
        rows = [
            [packer.pack_values([column[i], column[j]]) for column in self._columns]
            for i, j in neighbours
        ]
        total, *others = rows
        for row in others:
            total = self._combine(row, total)
        low, high = zip(*(packer.split(value, 2) for value in total), strict=True)
        return self._combine(list(high), list(low))


# Lanes --------------------------------------------------------------------------------


def _from_lane(e: Emitter, row: Values, mask: int, bits: int) -> Values:
    """A row as the lane has it whose number has `bits` instead of ours in `mask`."""
    b = e.builder
    kept = [bit & ~mask for bit in (1, 2, 4, 8, 16)]
    source = e.threads.linear_form(kept)
    if bits:
        source = b.op("llvm.or", b.i32, source, b.constant(b.i32, bits))
    return [shuffle(b, "idx", value, source) for value in row]


def _from_all(e: Emitter, rows: list[Values], lanes: list[int]) -> list[Values]:
    """Every row in every lane, after halving over `lanes`."""
    if not lanes:
        return rows
    results: list[Values] = []
    for row in rows:
        for index in range(1 << len(lanes)):
            bits = sum(lane for i, lane in enumerate(lanes) if index >> i & 1)
            results.append(_from_lane(e, row, sum(lanes), bits))
    return results
