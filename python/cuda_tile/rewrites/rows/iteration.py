# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of a loop over the parts of a row: one iteration, for one part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.scalars import (
    add,
    branch,
    compare,
    constant,
    constant_of,
    extended,
    multiply,
    widened,
)
from cuda_tile.ir.tile_values import (
    constant_like,
    constant_number,
    one_for_all,
)
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import CONSTANTS, FOR_LOOPS, SCANS
from cuda_tile.ir.walk import block_ops, body, defining_op, op_stem
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.hoisted import HoistedSum, Step
from cuda_tile.rewrites.rows.parts import Parts, tensor_of
from cuda_tile.rewrites.rows.row import PADDINGS, goes_along_row, is_reverse


@dataclass
class Iteration:
    """Builds the ops of one iteration, and those of iterations of inner loops.

    Attributes:
        parts: How rows are divided.
        index: The number of the part.
        is_inside: Whether all views surely have the part.
        around: The iteration around this one, if it is of an inner loop.
        made: Parts of rows that were computed, and new values of the loop's scalars.
        given: The values that are carried into the iteration, by reduction or scan.
        views: As those of `parts`, for views that are made in the iteration.
        last: The last prefix that the iteration has computed, by scan.
    """

    parts: Parts
    index: ir.Value
    is_inside: bool
    around: Iteration | None = None
    given: Mapping[ir.Operation, list[ir.Value]] = field(
        default_factory=dict[ir.Operation, list[ir.Value]]
    )
    views: dict[ir.Value, tuple[ir.Value, ir.Value]] = field(
        default_factory=dict[ir.Value, tuple[ir.Value, ir.Value]]
    )
    made: dict[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])
    last: dict[ir.Operation, list[ir.Value]] = field(
        default_factory=dict[ir.Operation, list[ir.Value]]
    )

    def make(
        self, sinks: Sequence[ir.Operation], hoisted: Sequence[HoistedSum]
    ) -> list[ir.Value]:
        """Computes the part of each sink, and hoisted sums; returns the carried values.

        Args:
            sinks: The reductions, scans and stores that the loop serves.
            hoisted: The sums that are hoisted into it.
        """
        given, after = self.given, self.last
        for op in sinks:
            if op in given:
                parts = [self.value(v) for v in op.operands]
                after[op] = _joined(op, given[op], parts)
            else:
                self._access(op, self.value(op.operands[0]))
        for each in hoisted:
            (old,), (new,) = given[each.anchor], after[each.anchor]
            step = Step(self.index, old, new, self.value)
            after[each.total] = each.iterate(given[each.total], step)
        return [value for op in given for value in after[op]]

    def value(self, value: ir.Value) -> ir.Value:
        """The part of a row; the present form of other values."""
        iteration: Iteration | None = self
        while iteration is not None:
            if value in iteration.made:
                return iteration.made[value]
            iteration = iteration.around
        if not self.parts.row.is_long(value):
            return self.parts.now(value)
        op = defining_op(value)
        assert op is not None, "rows are no arguments of the block"
        if value in self.parts.row.given:
            self.made[value] = self._taken(value)
        elif op.name in FOR_LOOPS:
            self._repeat(op)
        elif op.name in SCANS:
            self._scan(op)
        else:
            self._make(op)
        return self.made[value]

    def _taken(self, value: ir.Value) -> ir.Value:
        """The part of a row that exists as a whole."""
        shape = shape_of(value)
        at = [constant(0) for _ in shape]
        at[self.parts.row.dim(shape)] = self.index
        return cuda_tile.ExtractOp(self.parts.type_of(value), value, at).result

    def _repeat(self, op: ir.Operation) -> None:
        """Repeats a loop that carries rows, for their parts."""
        loop, block = counted_loop(op), body(op)
        assert loop is not None, "only loops that count carry rows"
        ops = block_ops(block)
        for value in (v for each in ops for v in each.operands):
            if _home(value) != block and self.parts.row.is_long(value):
                self.value(value)  # once, not in each iteration
        first, last, step, *starts = (self.value(v) for v in op.operands)
        types = [value.type for value in starts]
        made = cuda_tile.ForOp(
            types, first, last, step, starts, unsignedCmp=loop.is_unsigned
        )
        now = made.operation.regions[0].blocks.append(first.type, *types)
        iteration = Iteration(self.parts, self.index, is_inside=False, around=self)
        iteration.made.update(zip(block.arguments, now.arguments, strict=True))
        with ir.InsertionPoint(now):
            iteration.follow(ops)
        self.made.update(zip(op.results, made.operation.results, strict=True))

    def _scan(self, op: ir.Operation) -> None:
        """The part of a scan; notes its last prefix for the next part."""
        local = self._again(op)
        for result in local.results:
            result.set_type(self.parts.type_of(result))
        if not goes_along_row(op):
            self.made.update(zip(op.results, local.results, strict=True))
            return
        like, backward = local.results[0], is_reverse(op)
        first = constant(self.parts.count - 1 if backward else 0)
        is_first = one_for_all(compare("equal", self.index, first), like)
        before = [one_for_all(v, like) for v in self.given[op]]
        both = _joined(op, before, list(local.results))
        done = [
            cuda_tile.SelectOp(is_first, own, joined).result
            for own, joined in zip(local.results, both, strict=True)
        ]
        dim = self.parts.row.dim(shape_of(op.operands[0]))
        place = [0] * len(shape_of(like))
        place[dim] = 0 if backward else self.parts.size - 1
        at = [constant(number) for number in place]
        one = [TileType.get([1] * len(place), element_of(value)) for value in done]
        self.last[op] = [
            cuda_tile.ExtractOp(ty, value, at).result
            for ty, value in zip(one, done, strict=True)
        ]
        self.made.update(zip(op.results, done, strict=True))

    def follow(self, ops: Sequence[ir.Operation]) -> None:
        """The body of a loop that carries rows; `ops` are those of the text."""
        for op in ops[:-1]:
            if not self.parts.row.touches(op):
                self.made.update(zip(op.results, self._again(op).results, strict=True))
        cuda_tile.ContinueOp([self.value(v) for v in ops[-1].operands])

    def _again(self, op: ir.Operation) -> ir.Operation:
        """The same op with the present forms of its operands."""
        return clone_with(op, [self.value(v) for v in op.operands])

    def _make(self, op: ir.Operation) -> None:
        """An op that makes rows, applied to their parts."""
        stem, result = op_stem(op), op.results[0]
        if stem == "load_view_tko":
            self.made[result] = self._access(op, None)
            return
        if stem == "constant":
            self.made[result] = constant_like(op, self.parts.type_of(result))
            return
        made = self._again(op)
        for old, new in zip(op.results, made.results, strict=True):
            new.set_type(self.parts.type_of(old))
            self.made[old] = self._counted_on(new) if stem == "iota" else new

    def _counted_on(self, numbers: ir.Value) -> ir.Value:
        """Numbers that count from the part's first element on."""
        element, part = element_of(numbers), self.parts.size
        scalar = TileType.get([], element)
        index: ir.Value = self.index
        width = ir.IntegerType(element).width
        if width > 32:
            index = cuda_tile.ExtIOp(scalar, index, "unsigned").result
        elif width < 32:
            index = cuda_tile.TruncIOp(scalar, index).result
        size = constant(part & ((1 << width) - 1), scalar)
        first = cuda_tile.MulIOp(index, size).result
        return cuda_tile.AddIOp(numbers, one_for_all(first, numbers)).result

    def _access(self, op: ir.Operation, tile: ir.Value | None) -> ir.Value:
        """The load of a part; or the store of `tile` as a part, returning `tile`."""
        view, count = self._view(op)
        first, ty = self.parts.first(op), self.parts.index_type(op)
        at = extended(self.index, ty)
        if constant_of(first) != 0:
            at = add(multiply(extended(self.value(first), ty), self.parts.count), at)
        if self.is_inside:
            return self._plain_access(op, tile, view, at)
        inside = compare("less_than", *widened(at, count))
        types = [] if tile is not None else [self.parts.type_of(op.results[0])]
        with branch(inside, types) as made:
            loaded = self._plain_access(op, tile, view, at)
            if types:
                cuda_tile.YieldOp([loaded])
        if tile is not None:
            return tile
        with ir.InsertionPoint(made.regions[1].blocks.append()):
            cuda_tile.YieldOp([self._padding(op, types[0])])
        return made.results[0]

    def _view(self, op: ir.Operation) -> tuple[ir.Value, ir.Value]:
        """The view of parts for an access, and how many parts it has."""
        view = view_operand(op)
        if view in self.parts.views:
            return self.parts.views[view]
        if view not in self.views:
            self.views[view] = self.parts.view_of(op, self.value(tensor_of(view)))
        return self.views[view]

    def _plain_access(
        self, op: ir.Operation, tile: ir.Value | None, view: ir.Value, at: ir.Value
    ) -> ir.Value:
        indices = [extended(self.value(v), at.type) for v in index_operands(op)]
        indices[self.parts.dim(op)] = at
        made = op.clone()
        first = list(op.operands).index(view_operand(op))
        for place, value in enumerate(op.operands):
            if not self.parts.row.is_long(value):
                made.operands[place] = self.value(value)
        for place, value in enumerate((view, *indices), first):
            made.operands[place] = value  # indices follow their view
        if tile is not None:
            made.operands[0] = tile
            return tile
        made.results[0].set_type(self.parts.type_of(op.results[0]))
        return made.results[0]

    def _padding(self, op: ir.Operation, ty: ir.Type) -> ir.Value:
        return constant_number(ty, PADDINGS[tiling_of(view_operand(op)).padding])


def _home(value: ir.Value) -> ir.Block:
    """The block that a value is made in."""
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block


def _joined(
    op: ir.Operation, sums: Sequence[ir.Value], parts: Sequence[ir.Value]
) -> list[ir.Value]:
    """A reduction's body applied to two parts, element by element."""
    block = op.regions[0].blocks[0]
    *inner, end = block_ops(block)
    pairs = [v for pair in zip(parts, sums, strict=True) for v in pair]
    known: dict[ir.Value, ir.Value] = {}
    known.update(zip(block.arguments, pairs, strict=True))
    shape = list(shape_of(parts[0]))

    def here(value: ir.Value) -> ir.Value:
        """A scalar that the body takes from outside, repeated for each element."""
        return known[value] if value in known else one_for_all(value, parts[0])

    for each in inner:
        if each.name in CONSTANTS:
            ty = TileType.get(shape, element_of(each.results[0]))
            known[each.results[0]] = constant_like(each, ty)
            continue
        types = [TileType.get(shape, element_of(result)) for result in each.results]
        made = clone_with(each, [here(value) for value in each.operands], types)
        known.update(zip(each.results, made.results, strict=True))
    return [here(value) for value in end.operands]
