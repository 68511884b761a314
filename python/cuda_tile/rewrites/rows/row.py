# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which blocks can compute their rows part by part.

A row is a tile with all its elements along one dimension. Its parts are independent if
only elementwise operations, loads and stores through views, and commutative reductions
use it. That holds in loops, too:
- a loop that carries only rows, and neither reduces nor stores any, acts like an
  operation on each part: it is repeated for each part;
- a loop that carries no rows computes with its own rows in each iteration.
A scan carries the last prefix from part to part, in its order.

The contract is in passes/row_tiling.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType, TokenType
from cuda_tile.analysis.bodies import has_wrong_identity, is_commutative
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.control_flow import counted_loop, may_leave
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import elements_of, is_distributed, shape_of
from cuda_tile.ir.traits import (
    COMBINES,
    ELEMENTWISE,
    FOR_LOOPS,
    LOADS,
    REDUCTIONS,
    STORES,
    VIEW_ACCESSES,
    is_pure,
)
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    enclosing_ops,
    nested_ops,
    op_stem,
    taken,
)
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass

ACCESSES = (LOADS | STORES) & VIEW_ACCESSES
PADDINGS = {
    **{None: 0.0, "zero": 0.0, "neg_zero": -0.0, "nan": float("nan")},
    **{"pos_inf": float("inf"), "neg_inf": float("-inf")},
}
_STEPS = ops_by_rule(
    "belongs to each part and its order, and may not be repeated for each",
    *("store_view_tko", "scan"),
)
_IN_ORDER = ops_by_rule(
    "makes rows at a cost, or from part to part: a loop around has it but once",
    *("for", "scan"),
)
_STRUCTURE = ops_by_rule(
    "has no effect of its own", "for", "if", "reduce", "continue", "yield"
)


@dataclass
class Row:
    """A block that computes with rows of one size.

    Attributes:
        block: The block of an entry, or of a loop in it that carries no rows.
        size: Elements of a row.
        steps: The number of reductions of rows before each value.
        inner: The loops in the block that carry no rows, but compute with them.
    """

    block: ir.Block
    size: int
    steps: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    inner: dict[ir.Operation, Row] = field(default_factory=dict[ir.Operation, "Row"])

    @property
    def given(self) -> frozenset[ir.Value]:
        """The rows that exist as a whole, and of which parts are taken."""
        return frozenset()

    def sinks(self) -> list[ir.Operation]:
        """The final uses of the rows of the block: reductions, scans, and stores."""
        return [
            op
            for op in block_ops(self.block)
            if any(map(self.is_long, op.operands))
            and not any(map(self.is_long, op.results))
        ]

    def dim(self, shape: Sequence[int]) -> int:
        """The dimension of a row's shape along which its parts lie."""
        return list(shape).index(self.size)

    def shape_of_part(self, shape: Sequence[int], part: int) -> list[int]:
        """The shape of a part of a row, or of a tile that is combined with it.

        Args:
            shape: The shape of the whole.
            part: Elements of a part.
        """
        return [part if n == self.size else n for n in shape]

    def is_long(self, value: ir.Value) -> bool:
        """Whether a value is a row."""
        return is_distributed(value) and elements_of(value) == self.size

    def touches(self, op: ir.Operation) -> bool:
        """Whether an operand or result of an op is a row."""
        return any(map(self.is_long, (*op.operands, *op.results)))

    def step(self, op: ir.Operation) -> int:
        """The largest number of reductions of rows before the operands of an op."""
        return max((self.steps.get(v, 0) for v in taken(op)), default=0)

    def is_behind(self, value: ir.Value, op: ir.Operation) -> bool:
        """Whether a value is behind more reductions of rows than an op's operands.

        Args:
            value: The value.
            op: The op.
        """
        return self.steps.get(value, 0) > self.step(op)

    def read(self) -> bool:
        """Notes the steps of all values; returns whether the block can be rewritten."""
        has_moved = False
        for op in block_ops(self.block):
            step = self.step(op)
            if not self._is_read(op, step):
                return False
            if has_moved and may_leave(op):  # row_tiling C6
                return False  # ops that move to the end of the block would not run
            has_moved |= self._moves(op, step)
            step += op.name in REDUCTIONS and self.touches(op)
            for result in op.results:
                self.steps[result] = step
        return len({is_reverse(op) for op in self.scans()}) < 2

    def _is_read(self, op: ir.Operation, step: int) -> bool:
        is_loop = op.name in FOR_LOOPS
        if self.touches(op):
            if is_loop:
                return self._carries_rows(op)
            return self._is_possible(op) and not self._captures(op)  # row_tiling C9
        if is_loop and any(map(self.touches, nested_ops(op))):
            return self._computes_inside(op) and (not step or _is_movable(op))
        if self._captures(op):
            return False
        # row_tiling C5
        return not step or is_pure(op) or self._is_plain_store(op) or op == self._last

    def _moves(self, op: ir.Operation, step: int) -> bool:
        """Whether the effect of an op moves to the end of the block."""
        if op_stem(op) == "store_view_tko" and self.touches(op):
            return True
        return bool(step) and (len(op.regions) > 0 or self._is_plain_store(op))

    @property
    def _last(self) -> ir.Operation:
        return block_ops(self.block)[-1]

    def _captures(self, op: ir.Operation) -> bool:
        """Whether regions of an op use rows, or values computed from them."""
        return any(
            self.is_long(v) or self.steps.get(v)
            for inner in nested_ops(op)
            for v in (*inner.operands, *inner.results)
        )

    def _carries_rows(self, op: ir.Operation) -> bool:
        """Whether a loop can be repeated for each part: it carries only rows."""
        if counted_loop(op) is None or not all(map(self.is_long, op.results)):
            return False
        *inner, _ = block_ops(body(op))
        for each in inner:
            if len(each.regions):
                return False
            if not self.touches(each):
                if not is_pure(each):
                    return False
            elif each.name in _STEPS or not self._is_possible(each):
                return False
        return True

    def _computes_inside(self, op: ir.Operation) -> bool:
        """Whether the body of a loop that carries no rows can be rewritten."""
        inner = self.inner[op] = Row(body(op), self.size)
        # row_tiling C10
        return inner.read() and not any(
            each.name in _IN_ORDER for each in inner.captured()
        )

    def captured(self) -> list[ir.Operation]:
        """The ops outside the block that make rows which it uses."""
        around = self.block.owner.operation
        wanted = [v for op in block_ops(self.block) for v in taken(op)]
        found: dict[ir.Operation, None] = {}
        while wanted:
            value = wanted.pop()
            op = defining_op(value)
            if op is None or op in found or not self.is_long(value):
                continue
            if around not in list(enclosing_ops(value)):
                found[op] = None
                wanted += op.operands
        return list(found)

    def _is_possible(self, op: ir.Operation) -> bool:
        stem = op_stem(op)
        rows = [v for v in (*op.operands, *op.results) if self.is_long(v)]
        if any(max(shape_of(row)) != self.size for row in rows):  # row_tiling C8
            return False
        if op.name in ACCESSES:
            return self._is_plain_access(op)
        if op.name in COMBINES:
            has_rows = all(map(self.is_long, op.operands))
            is_body = is_commutative(op) if stem == "reduce" else self._is_scan(op)
            # row_tiling C2, C3
            return has_rows and is_body and not has_wrong_identity(op)
        if stem == "constant":
            return constant_splat(op) is not None
        if stem == "broadcast":
            return elements_of(op.operands[0]) == 1
        if stem == "reshape":
            return len(rows) == len((*op.operands, *op.results))
        return stem == "iota" or op.name in ELEMENTWISE  # row_tiling C1

    def _is_scan(self, op: ir.Operation) -> bool:
        """Whether an op is a scan whose body can be applied to tiles."""
        *inner, _ = block_ops(body(op))
        return all(
            each.name in ELEMENTWISE or op_stem(each) == "constant" for each in inner
        )

    def scans(self) -> list[ir.Operation]:
        """The scans along rows."""
        found = (op for op in block_ops(self.block) if op_stem(op) == "scan")
        return [op for op in found if self.touches(op) and goes_along_row(op)]

    def _is_plain_access(self, op: ir.Operation) -> bool:
        """Whether an access may run at any time, on parts of a row of a view."""
        view = view_operand(op)
        if not isinstance(view.type, PartitionViewType) or not is_free(op):
            return False
        tiling, indices = tiling_of(view), index_operands(op)
        if tiling.padding not in PADDINGS:
            return False
        at = indices[tiling.tile_shape.index(self.size)]
        return not self.steps.get(view) and not self.steps.get(at)  # row_tiling C7

    def _is_plain_store(self, op: ir.Operation) -> bool:
        return op.name in STORES and is_free(op)


def goes_along_row(op: ir.Operation) -> bool:
    """Whether a scan combines elements of a row, not only single elements."""
    return shape_of(op.operands[0])[integer(op, "dim")] > 1


def is_reverse(op: ir.Operation) -> bool:
    """Whether a scan begins with the last element."""
    return ir.BoolAttr(op.attributes["reverse"]).value


def is_free(op: ir.Operation) -> bool:
    """Whether an access is weak and no token orders another access with it."""
    tokens = [v for v in op.operands if isinstance(v.type, TokenType)]
    makers = map(defining_op, tokens)
    return (
        not memory_order(op).is_strong  # row_tiling C4
        and all(m is not None and m.name == "cuda_tile.make_token" for m in makers)
        and not any(list(v.uses) for v in op.results if isinstance(v.type, TokenType))
    )


def _is_movable(op: ir.Operation) -> bool:
    """Whether a loop has no op whose order with other ops matters."""
    return all(
        is_pure(each)
        or each.name in _STRUCTURE
        or (each.name in ACCESSES | STORES and is_free(each))
        for each in nested_ops(op)
    )


def longest_row(ops: Sequence[ir.Operation]) -> int:
    """Elements of the largest tile that ops make."""
    tiles = (v for op in ops for v in op.results if is_distributed(v))
    return max(map(elements_of, tiles), default=0)
