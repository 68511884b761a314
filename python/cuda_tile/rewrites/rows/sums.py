# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory as rows: their epilogue can be computed part by part.

Threads load a sum after its loop, and may do so a few columns at a time. All values
computed from it up to the stores have the same columns, and so have the tiles that they
are combined with. `Row` describes a tile with all elements along one dimension; here
the columns of a matrix, its last dimension, are the elements of a row.

The contract is in passes/row_tiling.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.control_flow import may_leave
from cuda_tile.analysis.registers import MADE_IN_PLACE
from cuda_tile.analysis.tensor_sums import IsMine, product_of_sum
from cuda_tile.analysis.tiling import tiling_of, view_operand
from cuda_tile.ir.tiles import is_distributed, shape_of
from cuda_tile.ir.traits import (
    CONSTANTS,
    ELEMENTWISE,
    FOR_LOOPS,
    LOADS,
    STORES,
)
from cuda_tile.ir.walk import block_ops, defining_op, nested_ops, op_stem
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.row import ACCESSES, PADDINGS, Row, is_free


@dataclass
class SumColumns(Row):
    """A block with the epilogue of sums in tensor memory.

    Attributes:
        sums: The sums, with as many columns as a row has elements.
        made: The values that are computed from them.
        others: The values that are combined with those.
    """

    sums: list[ir.Value] = field(default_factory=list[ir.Value])
    made: set[ir.Value] = field(default_factory=set[ir.Value])
    others: set[ir.Value] = field(default_factory=set[ir.Value])

    @property
    def given(self) -> frozenset[ir.Value]:
        """The sums: their columns are loaded where they are needed."""
        return frozenset(self.sums)

    def is_long(self, value: ir.Value) -> bool:
        """Whether a value is a sum, computed from one, or combined with one."""
        return value in self.made or value in self.others or value in self.sums

    def touches(self, op: ir.Operation) -> bool:
        """Whether an op uses sums, or computes an operand of an op that does."""
        is_maker = any(v in self.sums for v in op.results)
        values = (*op.operands, *op.results)
        return not is_maker and any(map(self.is_long, values)) and self._is_own(op)

    def _is_own(self, op: ir.Operation) -> bool:
        return not op.results or op.name in STORES or self.is_long(op.results[0])

    def sinks(self) -> list[ir.Operation]:
        """The stores of values that are computed from sums."""
        values = self.made.union(self.sums)
        return [
            op
            for op in block_ops(self.block)
            if op.name in STORES and any(v in values for v in op.operands)
        ]

    def dim(self, shape: Sequence[int]) -> int:
        """The last dimension."""
        return len(shape) - 1

    def shape_of_part(self, shape: Sequence[int], part: int) -> list[int]:
        """The shape of some columns.

        Args:
            shape: The shape of the whole.
            part: Columns of a part.
        """
        return [*shape[:-1], part]

    def scans(self) -> list[ir.Operation]:
        """No scans: none is combined with sums."""
        return []

    def read(self) -> bool:
        """Notes the values computed from sums; whether all can be computed in parts."""
        work = list(self.sums)
        while work:
            for use in work.pop().uses:
                op = use.owner.operation
                if op.block != self.block or not self._follows(op):
                    return False
                work += [v for v in op.results if v not in self.made and self._is(v)]
                self.made.update(filter(self._is, op.results))
        sinks = self.sinks()
        return bool(sinks) and not self._leaves(sinks[0]) and self._read_others()

    def _is(self, value: ir.Value) -> bool:
        return is_distributed(value) and shape_of(value)[-1] == self.size

    def _follows(self, op: ir.Operation) -> bool:
        """Whether an op maps each column of a sum to one column, or stores it."""
        if op.name in STORES:
            return op.name in ACCESSES and self._is_access(op)
        return op.name in ELEMENTWISE or self._renames(op)

    def _renames(self, op: ir.Operation) -> bool:
        """Whether an op gives a tile another shape, but no column another place."""
        return op_stem(op) == "reshape" and all(
            map(self._is, (*op.operands, *op.results))
        )

    def _leaves(self, first: ir.Operation) -> bool:
        """Whether control may leave the block behind the first store."""
        ops = block_ops(self.block)
        return any(may_leave(op) for op in ops[ops.index(first) : -1])

    def _read_others(self) -> bool:
        """Notes the values combined with sums; whether they can come in parts."""
        makers = {op for v in self.made if (op := defining_op(v)) is not None}
        work = [v for op in (*makers, *self.sinks()) for v in op.operands]
        while work:
            value = work.pop()
            if self.is_long(value) or not self._is(value):
                continue
            op = defining_op(value)
            if op is None or not self._can_make(op):
                return False
            self.others.add(value)
            work += op.operands
        return True

    def _can_make(self, op: ir.Operation) -> bool:
        """Whether the columns of a tile can be computed in parts."""
        if op.name in LOADS:
            return op.name in ACCESSES and self._is_access(op)
        if op.name in CONSTANTS:
            return constant_splat(op) is not None
        return op.name in ELEMENTWISE | MADE_IN_PLACE or self._renames(op)

    def _is_access(self, op: ir.Operation) -> bool:
        """Whether an access may be made at any time, of some columns of a view."""
        view = view_operand(op)
        if not isinstance(view.type, PartitionViewType) or not is_free(op):
            return False
        tiling = tiling_of(view)
        return tiling.padding in PADDINGS and tiling.tile_shape[-1] == self.size


def sum_columns(entry: ir.Operation, is_mine: IsMine) -> Iterator[SumColumns]:
    """The blocks of an entry that can compute epilogues of sums in parts.

    Args:
        entry: The entry, at level T.
        is_mine: Tells whether the sum of a product is in tensor memory.
    """
    found: dict[tuple[ir.Block, int], list[ir.Value]] = {}
    for op in nested_ops(entry):
        for value in op.results if op.name in FOR_LOOPS else ():
            if product_of_sum(value, is_mine) is not None:
                found.setdefault((op.block, shape_of(value)[-1]), []).append(value)
    for (block, size), sums in found.items():
        columns = SumColumns(block, size, sums=sums)
        if columns.read():
            yield columns
