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

A tile may go beyond its tensor, its parts must not lie outside: the loops go as far as
all views reach. What is left, mostly nothing, is computed in a loop of its own, in
which loads outside a view are its padding and stores there are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    PartitionViewType,
    TensorViewType,
    TileType,
    TokenType,
)
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.cost import register_limit
from cuda_tile.analysis.held_tiles import repeated_tiles
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.plan import PRODUCTS, add_remark
from cuda_tile.ir.purity import is_pure
from cuda_tile.ir.scalars import branch, compare, constant, constant_of
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
from cuda_tile.passes.plan_online import EarlySum, Step, online_sums
from cuda_tile.passes.plan_squares import sums_of_squares
from cuda_tile.targets import (
    MOST_CLUSTER,
    PORTABLE_CLUSTER,
    WARP_COUNTS,
    WARP_LANES,
)

MOST_CLUSTER_WARPS = 128
"""Warps of a cluster: 8 in each of 16 CTAs have enough bytes in flight."""
PART_ELEMENTS = 8
"""Elements of a part in each thread: two accesses of 16 bytes of f32."""

_ACCESSES = ("load_view_tko", "store_view_tko")
_PADDINGS = {
    **{None: 0.0, "zero": 0.0, "neg_zero": -0.0, "nan": float("nan")},
    **{"pos_inf": float("inf"), "neg_inf": float("-inf")},
}


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
    if size < held or options.persistent or hints.get("occupancy", 1) > 1:
        return None
    cluster = 1
    if target.has_clusters and suits_clusters(ops):
        hinted = hints.get("num_cta_in_cga", 1)
        if size < max(PORTABLE_CLUSTER, min(hinted, MOST_CLUSTER)) * held:
            return None
        cluster = PORTABLE_CLUSTER if options.abi == "tile" else MOST_CLUSTER
    warps = min(warps, MOST_CLUSTER_WARPS // cluster)
    part = cluster * warps * WARP_LANES * PART_ELEMENTS
    if not write_in_parts(entry, size, part, is_online=cluster == 1):
        return None
    add_remark(
        entry,
        f"{location_text(entry)}: wanted a row of {size} elements in registers, it is "
        f"computed in parts of {part}, which are loaded again for each reduction where "
        "shared memory does not hold them; smaller tiles need fewer registers",
    )
    hold = int(bool(repeated_tiles(entry)))
    return {"num_warps": warps, "cluster": cluster, "hold": hold}


@dataclass
class _Row:
    """An entry that computes with rows of so many elements.

    Attributes:
        entry: The entry.
        size: Elements of a row.
        steps: By value, how many reductions of rows it is behind.
    """

    entry: ir.Operation
    size: int
    steps: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])

    def is_long(self, value: ir.Value) -> bool:
        """Whether a value is a row."""
        return is_distributed(value) and elements_of(value) == self.size

    def step(self, op: ir.Operation) -> int:
        """How many reductions of rows what an op takes is behind."""
        return max((self.steps.get(v, 0) for v in op.operands), default=0)

    def read(self) -> bool:
        """Notes the steps of all values; whether the entry can be written anew."""
        for op in block_ops(body(self.entry)):
            values = (*op.operands, *op.results)
            step = self.step(op)
            if any(map(self.is_long, values)):
                if not self._is_possible(op):
                    return False
                step += op.name == "cuda_tile.reduce"
            elif step and not (is_pure(op) or self._is_plain_store(op)):
                return False
            if any(
                self.is_long(v) or self.steps.get(v)
                for inner in nested_ops(op)
                for v in (*inner.operands, *inner.results)
            ):
                return False
            for result in op.results:
                self.steps[result] = step
        return True

    def _is_possible(self, op: ir.Operation) -> bool:
        stem = op_stem(op)
        rows = [v for v in (*op.operands, *op.results) if self.is_long(v)]
        if any(max(shape_of(row)) != self.size for row in rows):
            return False
        if stem in _ACCESSES:
            return self._is_plain_access(op)
        if stem == "reduce":
            return all(map(self.is_long, op.operands)) and is_commutative(op)
        if stem == "constant":
            return constant_splat(op) is not None
        if stem == "broadcast":
            return elements_of(op.operands[0]) == 1
        if stem == "reshape":
            return len(rows) == len((*op.operands, *op.results))
        return stem in ("iota", "select") or _is_elementwise(op)

    def _is_plain_access(self, op: ir.Operation) -> bool:
        """Whether it may be made at any time, of part `n` of the row of a view."""
        view = view_operand(op)
        if not isinstance(view.type, PartitionViewType) or not _is_free(op):
            return False
        tiling, indices = tiling_of(view), index_operands(op)
        if tiling.padding not in _PADDINGS:
            return False
        return constant_of(indices[tiling.tile_shape.index(self.size)]) == 0

    def _is_plain_store(self, op: ir.Operation) -> bool:
        return op_stem(op) in ("store_view_tko", "store_ptr_tko") and _is_free(op)


def _is_free(op: ir.Operation) -> bool:
    """Whether an access is weak, and no other one is ordered before or behind it."""
    tokens = [v for v in op.operands if isinstance(v.type, TokenType)]
    makers = map(defining_op, tokens)
    return (
        not memory_order(op).is_strong
        and all(m is not None and m.name == "cuda_tile.make_token" for m in makers)
        and not any(list(v.uses) for v in op.results if isinstance(v.type, TokenType))
    )


def _is_elementwise(op: ir.Operation) -> bool:
    stem = op_stem(op)
    return any(
        stem == each.name
        for family in ods.ELEMENTWISE_FAMILIES
        for each in ods.family(family)
    )


def longest_row(ops: Sequence[ir.Operation]) -> int:
    """Elements of the largest tile that ops make."""
    tiles = (v for op in ops for v in op.results if is_distributed(v))
    return max(map(elements_of, tiles), default=0)


def write_in_parts(
    entry: ir.Operation, size: int, part: int, *, is_online: bool = False
) -> bool:
    """Writes an entry anew, with loops over parts of its rows.

    Args:
        entry: The entry, at level T; it is left alone where that is not possible.
        size: Elements of a row.
        part: Elements of a part.
        is_online: Whether sums may be computed together with their maximum.

    Returns:
        Whether it was done.
    """
    row = _Row(entry, size)
    if not row.read():
        return False
    _Writer(row, part, is_online=is_online).write()
    return True


class _Writer:
    """Writes the loops behind all ops of an entry, and erases what they replace."""

    def __init__(self, row: _Row, part: int, *, is_online: bool) -> None:
        self._row, self._part, self._is_online = row, part, is_online
        self._ops = block_ops(body(row.entry))
        self._views: dict[ir.Value, ir.Value] = {}
        self._ends: dict[ir.Value, ir.Value] = {}
        self._known: dict[ir.Value, ir.Value] = {}
        self._reach: ir.Value | None = None
        self._sums: dict[ir.Operation, EarlySum] = {}
        self._early: dict[ir.Operation, tuple[list[ir.Value], ir.Value]] = {}

    def write(self) -> None:
        """Writes everything."""
        row, end = self._row, self._ops[-1]
        sinks = [
            op
            for op in self._ops
            if any(map(row.is_long, op.operands))
            and not any(map(row.is_long, op.results))
        ]
        if self._is_online:
            early = (*online_sums(sinks), *sums_of_squares(sinks, self._part))
            self._sums = {each.total: each for each in early}
        late = [op for op in self._ops[:-1] if row.step(op) and op not in sinks]
        late = [op for op in late if not any(map(row.is_long, op.results))]
        with ir.InsertionPoint(end), end.location:
            self._find_reach()
            for step in range(max(map(row.step, (*sinks, *late)), default=0) + 1):
                for op in late:
                    if row.step(op) == step:
                        self._copy(op)
                self._loops([op for op in sinks if row.step(op) == step])
        gone = [
            op
            for op in self._ops[:-1]
            if op in late or any(map(row.is_long, (*op.operands, *op.results)))
        ]
        for op in reversed(gone):
            op.erase()

    def _find_reach(self) -> None:
        """How many parts all views have, and how many each of them has."""
        most = constant(self._row.size // self._part)
        self._reach = most
        for op in self._ops:
            if op_stem(op) not in _ACCESSES or not any(
                map(self._row.is_long, (*op.operands, *op.results))
            ):
                continue
            view = view_operand(op)
            if view in self._views:
                continue
            tiling = tiling_of(view)
            dim = tiling.tile_shape.index(self._row.size)
            shape = [
                self._part if d == dim else 1 for d in range(len(tiling.tile_shape))
            ]
            maker = defining_op(view)
            assert maker is not None, "views never pass through a block"
            kind = TensorViewType(maker.operands[0].type)
            ty = PartitionViewType.get(
                shape, kind, list(tiling.dim_map), tiling.padding
            )
            made = ir.Operation.create(maker.name, [ty], [maker.operands[0]])
            self._views[view] = made.results[0]
            extents = cuda_tile.GetIndexSpaceShapeOp(
                [constant(0).type] * len(shape), made.results[0]
            )
            count = list(extents.results)[dim]
            self._ends[view] = count
            self._reach = cuda_tile.MinIOp(self._reach, count, "signed").result

    def _copy(self, op: ir.Operation) -> None:
        """An op on few elements, behind what it needs now."""
        made = op.clone()
        for place, value in enumerate(op.operands):
            made.operands[place] = self._known.get(value, value)
        self._known.update(zip(op.results, made.results, strict=True))

    def _loops(self, sinks: Sequence[ir.Operation]) -> None:
        """The loops of one step: reductions and stores."""
        for op in (op for op in sinks if op in self._sums):
            found, joined = self._early.pop(op)
            self._reduce(op, [self._sums[op].finish(found, joined, self.known)])
        sinks = [op for op in sinks if op not in self._sums]
        if not sinks:
            return
        assert self._reach is not None, "views are read first"
        reductions = [op for op in sinks if op.name == "cuda_tile.reduce"]
        early = [each for each in self._sums.values() if each.anchor in reductions]
        starts = {op: self._identities(op) for op in reductions}
        for each in early:
            starts[each.total] = each.begin(self.part_type(each.total.operands[0]))
        carried = [value for values in starts.values() for value in values]
        most = constant(self._row.size // self._part)
        zero, one = constant(0), constant(1)
        for first, last in ((zero, self._reach), (self._reach, most)):
            types = [value.type for value in carried]
            loop = cuda_tile.ForOp(types, first, last, one, carried).operation
            block = loop.regions[0].blocks.append(zero.type, *types)
            index, *given = block.arguments
            with ir.InsertionPoint(block):
                turn = _Turn(self, index, is_inside=first is zero)
                cuda_tile.ContinueOp(turn.make(sinks, early, _like(starts, given)))
            carried = list(loop.results)
        ends = _like(starts, carried)
        for op in reductions:
            self._reduce(op, ends[op])
        for each in early:
            self._early[each.total] = ends[each.total], ends[each.anchor][0]

    def _reduce(self, op: ir.Operation, parts: Sequence[ir.Value]) -> None:
        """The same reduction, of what its parts were joined to."""
        made = op.clone()
        for place, value in enumerate(parts):
            made.operands[place] = value
        self._known.update(zip(op.results, made.results, strict=True))

    def _identities(self, op: ir.Operation) -> list[ir.Value]:
        """What a reduction's parts begin with."""
        found: list[ir.Value] = []
        for value, attribute in zip(
            op.operands, ir.ArrayAttr(op.attributes["identities"]), strict=True
        ):
            ty = self.part_type(value)
            splat = ir.DenseElementsAttr.get_splat(plain_type(ty), attribute)
            found.append(constant_tile(ty, splat))
        return found

    def part_type(self, value: ir.Value) -> ir.Type:
        """The type of a part of a row."""
        shape = [self._part if n == self._row.size else n for n in shape_of(value)]
        return TileType.get(shape, element_of(value))

    def known(self, value: ir.Value) -> ir.Value:
        """What a value that is no row is by now."""
        return self._known.get(value, value)

    def is_long(self, value: ir.Value) -> bool:
        """Whether a value is a row."""
        return self._row.is_long(value)

    def view(self, op: ir.Operation) -> tuple[ir.Value, ir.Value]:
        """The view of parts for an access, and how many it has."""
        view = view_operand(op)
        return self._views[view], self._ends[view]

    @property
    def part(self) -> int:
        """Elements of a part."""
        return self._part


class _Turn:
    """What a loop computes of one part.

    Args:
        writer: Whose loop it is.
        index: The number of the part.
        is_inside: Whether all views surely have it.
    """

    def __init__(self, writer: _Writer, index: ir.Value, *, is_inside: bool) -> None:
        self._writer, self._index, self._is_inside = writer, index, is_inside
        self._made: dict[ir.Value, ir.Value] = {}

    def make(
        self,
        sinks: Sequence[ir.Operation],
        early: Sequence[EarlySum],
        given: Mapping[ir.Operation, list[ir.Value]],
    ) -> list[ir.Value]:
        """Computes the part of each sink, and early sums; gives what is carried on."""
        after: dict[ir.Operation, list[ir.Value]] = {}
        for op in sinks:
            if op in given:
                parts = [self.value(v) for v in op.operands]
                after[op] = _joined(op, given[op], parts)
            else:
                self._access(op, self.value(op.operands[0]))
        for each in early:
            (old,), (new,) = given[each.anchor], after[each.anchor]
            step = Step(self._index, old, new, self.value)
            after[each.total] = each.turn(given[each.total], step)
        return [value for op in given for value in after[op]]

    def value(self, value: ir.Value) -> ir.Value:
        """The part of a row; of other values themselves."""
        if not self._writer.is_long(value):
            return self._writer.known(value)
        if value not in self._made:
            op = defining_op(value)
            assert op is not None, "rows are no arguments"
            self._made[value] = self._part_of(op, value)
        return self._made[value]

    def _part_of(self, op: ir.Operation, value: ir.Value) -> ir.Value:
        stem, ty = op_stem(op), self._writer.part_type(value)
        if stem == "load_view_tko":
            return self._access(op, None)
        if stem == "constant":
            attribute = ir.DenseElementsAttr(op.attributes["value"]).get_splat_value()
            splat = ir.DenseElementsAttr.get_splat(plain_type(ty), attribute)
            return constant_tile(ty, splat)
        operands = [self.value(v) for v in op.operands]
        made = op.clone()
        for place, operand in enumerate(operands):
            made.operands[place] = operand
        made.results[0].set_type(ty)
        if stem != "iota":
            return made.results[0]
        return self._counted_on(made.results[0])

    def _counted_on(self, numbers: ir.Value) -> ir.Value:
        """Numbers from that of the part's first element on."""
        element, part = element_of(numbers), self._writer.part
        scalar = TileType.get([], element)
        index: ir.Value = self._index
        width = ir.IntegerType(element).width
        if width > 32:
            index = cuda_tile.ExtIOp(scalar, index, "unsigned").result
        elif width < 32:
            index = cuda_tile.TruncIOp(scalar, index).result
        size = constant(part & ((1 << width) - 1), scalar)
        first = cuda_tile.MulIOp(index, size).result
        one = TileType.get([1], element)
        spread = cuda_tile.BroadcastOp(
            numbers.type, cuda_tile.ReshapeOp(one, first).result
        ).result
        return cuda_tile.AddIOp(numbers, spread).result

    def _access(self, op: ir.Operation, tile: ir.Value | None) -> ir.Value:
        """The load of a part; or its store, of `tile`, which it gives back."""
        _, count = self._writer.view(op)
        if self._is_inside:
            return self._plain_access(op, tile)
        inside = compare("less_than", self._index, count)
        types = [] if tile is not None else [self._writer.part_type(op.results[0])]
        with branch(inside, types) as made:
            loaded = self._plain_access(op, tile)
            if types:
                cuda_tile.YieldOp([loaded])
        if tile is not None:
            return tile
        with ir.InsertionPoint(made.regions[1].blocks.append()):
            cuda_tile.YieldOp([self._padding(op, types[0])])
        return made.results[0]

    def _plain_access(self, op: ir.Operation, tile: ir.Value | None) -> ir.Value:
        view, _ = self._writer.view(op)
        dim = tiling_of(view).tile_shape.index(self._writer.part)
        own, at = view_operand(op), index_operands(op)[dim]
        made = op.clone()
        first = list(op.operands).index(own)
        for place, value in enumerate(op.operands):
            made.operands[place] = self._writer.known(value)
        made.operands[first] = view
        made.operands[first + 1 + dim] = self._index
        assert at == op.operands[first + 1 + dim], "indices stand behind their view"
        if tile is not None:
            made.operands[0] = tile
            return tile
        made.results[0].set_type(self._writer.part_type(op.results[0]))
        return made.results[0]

    def _padding(self, op: ir.Operation, ty: ir.Type) -> ir.Value:
        element = element_of(op.results[0])
        number = _PADDINGS[tiling_of(view_operand(op)).padding]
        attribute = (
            ir.IntegerAttr.get(element, int(number))
            if isinstance(element, ir.IntegerType)
            else ir.FloatAttr.get(element, number)
        )
        splat = ir.DenseElementsAttr.get_splat(plain_type(ty), attribute)
        return constant_tile(ty, splat)


def _like(
    shares: Mapping[ir.Operation, Sequence[ir.Value]], values: Sequence[ir.Value]
) -> dict[ir.Operation, list[ir.Value]]:
    """Values in one row, to each op as many as in `shares`."""
    rest = iter(values)
    return {op: list(islice(rest, len(own))) for op, own in shares.items()}


def _joined(
    op: ir.Operation, sums: Sequence[ir.Value], parts: Sequence[ir.Value]
) -> list[ir.Value]:
    """What a reduction's body makes of two parts, element by element."""
    block = op.regions[0].blocks[0]
    *inner, end = block_ops(block)
    pairs = [v for pair in zip(parts, sums, strict=True) for v in pair]
    known: dict[ir.Value, ir.Value] = {}
    known.update(zip(block.arguments, pairs, strict=True))
    shape = list(shape_of(parts[0]))
    for each in inner:
        if each.name == "cuda_tile.constant":
            ty = TileType.get(shape, element_of(each.results[0]))
            attribute = ir.DenseElementsAttr(each.attributes["value"])
            splat = ir.DenseElementsAttr.get_splat(
                plain_type(ty), attribute.get_splat_value()
            )
            known[each.results[0]] = constant_tile(ty, splat)
            continue
        made = each.clone()
        for place, value in enumerate(each.operands):
            made.operands[place] = known.get(value, value)
        for result in made.results:
            result.set_type(TileType.get(shape, element_of(result)))
        known.update(zip(each.results, made.results, strict=True))
    return [known.get(value, value) for value in end.operands]


def plain_type(ty: ir.Type) -> ir.ShapedType:
    """A tile's type as that of the elements of a constant."""
    return ir.ShapedType(ty)


def constant_tile(ty: ir.Type, value: ir.Attribute) -> ir.Value:
    """A constant."""
    return cuda_tile.ConstantOp(ty, value).result
