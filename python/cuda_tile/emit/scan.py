# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce, scans: the running combination of a row of elements.

The bits of the coordinate along the dimension are taken in runs from the lowest: bits
that tell registers of a thread apart, and bits that tell lanes apart. After each run a
thread knows, of the block of elements that the bits so far enumerate, its own prefixes
and the total of all:

- over registers it goes serially, each block taking the total of those before it;
- over lanes it exchanges totals with one partner per bit. A lane keeps the total of
  the blocks before its own, and in the end combines each of its prefixes with that.

For 1024 elements in a warp, four neighbours to a thread, that is 8 runs of 5 exchanges.
Elements in other warps never get here: `stage` has split such scans.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.reduce_body import (
    DimBit,
    Values,
    body_function,
    columns_of,
    dim_bits,
    exchange,
    registers_of_rows,
    select_row,
)
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import layout_of
from cuda_tile.layout.convert import register_map

Row = dict[int, int]
"""Registers by what they add to the coordinate along the dimension."""


@RULES.register("scan")
def scan(e: Emitter, op: ir.Operation) -> None:
    """Row by row, along the dimension or against it."""
    dim, layout = integer(op, "dim"), layout_of(op.operands[0])
    scanner = _Scanner(e, op, dim_bits(layout, dim))
    columns: list[list[ir.Value | None]] = [
        [None] * layout.n_registers for _ in op.results
    ]
    for row in registers_of_rows(layout, dim).values():
        for step, values in scanner.row(row).prefixes.items():
            for column, value in zip(columns, values, strict=True):
                column[row[step]] = value
    # Copies of a register get what the first of them has.
    first = register_map(layout, layout)
    for result, column in zip(op.results, columns, strict=True):
        values = [column[register] for register in first]
        filled = tuple(value for value in values if value is not None)
        e.set(result, Fragment(layout, filled))


@dataclass(frozen=True)
class _Block:
    """What a thread has of a block of elements.

    Attributes:
        prefixes: Of its own elements, by their step along the dimension.
        total: Of the whole block.
    """

    prefixes: dict[int, Values]
    total: Values


class _Scanner:
    """Scans rows of registers that have one layout."""

    def __init__(self, e: Emitter, op: ir.Operation, bits: list[DimBit]) -> None:
        self._e, self._combine = e, body_function(e, op)
        self._columns = columns_of(e, op)
        self._is_reverse = ir.BoolAttr(op.attributes["reverse"]).value
        self._runs = [
            (is_lanes, list(run))
            for is_lanes, run in groupby(bits, lambda bit: bit.lane is not None)
        ]

    def row(self, row: Row) -> _Block:
        """The prefixes of one row."""
        return self._block(row, len(self._runs), 0)

    def _block(self, row: Row, count: int, start: int) -> _Block:
        """The block that the lowest `count` runs of bits enumerate."""
        if not count:
            element = [column[row[start]] for column in self._columns]
            return _Block({start: element}, element)
        is_lanes, bits = self._runs[count - 1]
        if is_lanes:
            block = self._block(row, count - 1, start)
            is_last = count == len(self._runs)
            return self._over_lanes(block, bits, is_last=is_last)
        return self._over_registers(row, count, start)

    def _over_registers(self, row: Row, count: int, start: int) -> _Block:
        steps = [0]
        for bit in self._runs[count - 1][1]:
            steps += [step | bit.step for step in steps]
        if self._is_reverse:
            steps.reverse()
        prefixes: dict[int, Values] = {}
        total: Values | None = None
        for step in steps:
            block = self._block(row, count - 1, start | step)
            if total is None:
                prefixes.update(block.prefixes)
                total = block.total
                continue
            before = total
            moved = {
                place: self._combine(prefix, before)
                for place, prefix in block.prefixes.items()
            }
            prefixes.update(moved)
            is_single = count == 1
            total = (
                moved[start | step] if is_single else self._combine(block.total, before)
            )
        assert total is not None, "a run has blocks"
        return _Block(prefixes, total)

    def _over_lanes(
        self, block: _Block, bits: list[DimBit], *, is_last: bool
    ) -> _Block:
        e, total = self._e, block.total
        before: Values | None = None
        mask = 0
        for bit in bits:
            lane = bit.lane or 0
            other, is_later = exchange(e, total, lane), self._is_behind(lane)
            if before is None:
                before = other
            else:
                further = self._combine(before, other)
                has_some = self._is_behind(mask)
                found = select_row(e, has_some, further, other)
                before = select_row(e, is_later, found, before)
            mask |= lane
            if not is_last or bit is not bits[-1]:
                later = select_row(e, is_later, total, other)
                earlier = select_row(e, is_later, other, total)
                total = self._combine(later, earlier)
        if before is None:
            return block
        has_some = self._is_behind(mask)
        prefixes = {
            place: select_row(e, has_some, self._combine(prefix, before), prefix)
            for place, prefix in block.prefixes.items()
        }
        return _Block(prefixes, total)

    def _is_behind(self, mask: int) -> ir.Value:
        """Whether a lane is not the first, in order, of those that differ in `mask`."""
        threads = self._e.threads
        return threads.lacks_bit(mask) if self._is_reverse else threads.has_bit(mask)
