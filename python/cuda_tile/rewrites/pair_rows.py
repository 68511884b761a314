# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tiles of an entry two CTAs divide by rows of its products, and both halves.

The contract stands in passes/pair.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType, TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.operand_sources import (
    permutation_of,
    renamed_buffer,
    renamed_uses,
    source_load,
)
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.analysis.tokens import TokenOrder, is_plain_load
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.cta_pairs import HALVED_ATTRIBUTE, PAIR_ATTRIBUTE, PAIR_CTAS
from cuda_tile.ir.plan import terms_of
from cuda_tile.ir.scalars import (
    add,
    constant,
    extended,
    i64_tile,
    multiply,
)
from cuda_tile.ir.tile_values import constant_like
from cuda_tile.ir.tiles import element_of, is_distributed, shape_of
from cuda_tile.ir.traits import (
    CONSTANTS,
    ELEMENTWISE,
    FOR_LOOPS,
    LOADS,
    PRODUCTS,
    PURE,
    TERMINATORS,
    VIEW_LOADS,
    VIEW_STORES,
)
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    listed_ops,
    location_text,
    nested_ops,
    op_stem,
)
from cuda_tile.layout.swizzle import row_major
from cuda_tile.ods import ops_by_rule
from cuda_tile.targets import Target

_IDS = ops_by_rule("numbers CTAs instead of pairs", "get_tile_block_id")
_COUNTS = ops_by_rule("counts CTAs instead of pairs", "get_num_tile_blocks")
BLOCK_IDS = _IDS | _COUNTS
_TOKENS = ops_by_rule("only orders accesses", "make_token", "join_tokens")
_HARMLESS = PURE | FOR_LOOPS | PRODUCTS | TERMINATORS | BLOCK_IDS | _TOKENS
"""Ops that may run in both CTAs, beside loads and stores."""
_MOST_INDEX = 1 << 30
"""Indices below that, twice, are i32."""


class CannotPair(Exception):
    """Why the CTAs of a pair cannot divide an entry."""


class PairRows:
    """The tiles that two CTAs divide, each by halves along one dimension.

    Attributes:
        dims: The dimension of each of these tiles.

    Args:
        entry: The entry, at level T.
        target: The chip.

    Raises:
        CannotPair: They cannot divide it, or could not multiply together.
    """

    def __init__(self, entry: ir.Operation, target: Target) -> None:
        self.dims: dict[ir.Value, int] = {}
        self._entry, self._ops = entry, list(nested_ops(entry))
        self._carried = _carried(self._ops)
        self._products = [op for op in self._ops if op.name in PRODUCTS]
        for op in self._products:
            _check_product(op, target)
            self._divide(op.results[0], 0)
        self._check_rest()

    # What is divided ----------------------------------------------------------------

    def _divide(self, first: ir.Value, dim: int) -> None:
        """Divides a tile, and with it all that has its rows."""
        work = [(first, dim)]
        while work:
            value, dim = work.pop()
            if value in self.dims and self.dims[value] != dim:  # pair C4
                raise CannotPair(f"{_place(value)} would have halves of two kinds")
            if value not in self.dims:
                self.dims[value] = dim
                work += self._neighbours(value, dim)

    def _neighbours(self, value: ir.Value, dim: int) -> Iterator[tuple[ir.Value, int]]:
        """The tiles that are divided since one is, each with its dimension."""
        maker, users = defining_op(value), [use.owner.operation for use in value.uses]
        for op in (*users, *((maker,) if maker is not None else ())):
            if op.name not in FOR_LOOPS | TERMINATORS:
                yield from self._of_op(op, value, dim)
        for names in self._carried.get(value, ()):
            yield from ((name, dim) for name in names)

    def _of_op(
        self, op: ir.Operation, value: ir.Value, dim: int
    ) -> Iterator[tuple[ir.Value, int]]:
        """The tiles of an op that are divided since one of it is."""
        if op.name in ELEMENTWISE:
            tiles = filter(is_distributed, (*op.operands, *op.results))
            yield from ((v, dim) for v in tiles)
        elif op.name in PRODUCTS:
            if dim or value == op.operands[1]:
                raise CannotPair(
                    f"{location_text(op)}: rows of a sum are columns of an operand"
                )
            yield from ((v, 0) for v in (op.operands[0], op.operands[2], *op.results))
        elif op.name in VIEW_LOADS | VIEW_STORES:
            _check_access(op)
        elif op.name in CONSTANTS:
            if constant_splat(op) is None:
                raise CannotPair(f"{location_text(op)}: rows of a table of constants")
        elif op_stem(op) in _PLACES:
            yield from _renamed(op, value, dim)
        else:  # pair C3
            raise CannotPair(f"{location_text(op)}: '{op.name}' needs all rows")

    # What both CTAs do --------------------------------------------------------------

    def _check_rest(self) -> None:
        """Refuses what two CTAs may not both do, or may not do alike."""
        order = TokenOrder(self._entry)
        for op in self._ops:
            if op.name in LOADS or (op.name in VIEW_STORES and self._half(op)):
                _check_weak(op)
                for other in order.before(op):
                    self._check_order(other, op)
            elif op.name not in _HARMLESS:  # pair C8
                raise CannotPair(
                    f"{location_text(op)}: '{op.name}' would be done twice"
                )
            elif op.name in FOR_LOOPS:
                self._check_bounds(op)
        for op in self._products:
            self._check_right(op)

    def _half(self, access: ir.Operation) -> tuple[ir.Value, int] | None:
        """The view of an access that is divided, and the dimension; None of others.

        Through one view the CTAs never touch one element, whatever the indices.
        """
        if access.name not in VIEW_LOADS | VIEW_STORES:
            return None
        dim = self.dims.get(_tile_of(access))
        return None if dim is None else (view_operand(access), dim)

    def _check_order(self, access: ir.Operation, later: ir.Operation) -> None:
        """Refuses what waits for an access that the other CTA may not have made.

        Loads wait for no loads. A sum is there once the copies of both CTAs for its
        products are.
        """
        half = self._half(later)
        if half is not None and half == self._half(access):
            return
        if later.name in LOADS:
            is_made = is_plain_load(access)
        else:
            is_made = access in self._copied(later.operands[0])
        if not is_made:  # pair C7
            raise CannotPair(
                f"{location_text(later)}: it waits for {location_text(access)}, which "
                "the other CTA may do later"
            )

    def _copied(self, tile: ir.Value) -> set[ir.Operation]:
        """The loads of the operands of products that a tile is made of."""
        products = self._products_of(tile)
        found = (source_load(v) for op in products for v in list(op.operands)[:2])
        return {load for load in found if load is not None}

    def _products_of(self, tile: ir.Value) -> set[ir.Operation]:
        """The products that a tile is made of."""
        found, work, seen = set[ir.Operation](), [tile], set[ir.Value]()
        while work:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            for names in self._carried.get(value, ()):
                work += names
            maker = defining_op(value)
            if maker is not None and maker.name in PRODUCTS:
                found.add(maker)
            if maker is not None and maker.name not in FOR_LOOPS:
                work += maker.operands
        return found

    def _check_bounds(self, loop: ir.Operation) -> None:
        """Refuses a loop that may have other iterations in the other CTA."""
        if counted_loop(loop) is None:
            raise CannotPair(f"{location_text(loop)}: a loop that does not count")
        first = len(loop.operands) - len(loop.results)
        work, seen = list(loop.operands)[:first], set[ir.Value]()
        while work:
            value = work.pop()
            maker = defining_op(value)
            if value in seen:
                continue
            seen.add(value)
            if maker is None:
                if ir.BlockArgument(value).arg_number and not self._is_given(value):
                    raise CannotPair(f"{location_text(loop)}: bounds that loops carry")
            elif maker.name in PURE | BLOCK_IDS:
                work += maker.operands
            else:  # pair C9
                raise CannotPair(f"{location_text(loop)}: bounds that are loaded")

    def _is_given(self, value: ir.Value) -> bool:
        """Whether a value is a parameter of the kernel."""
        return ir.BlockArgument(value).owner.owner.operation == self._entry

    def _check_right(self, op: ir.Operation) -> None:
        """Refuses a right operand of which the CTAs cannot bring halves."""
        load, where = source_load(op.operands[1]), location_text(op)
        if load is None or load.name not in VIEW_LOADS:  # pair C5
            raise CannotPair(
                f"{where}: operand b is no tile of a view, as it is loaded"
            )
        uses = list(renamed_uses(load.results[0]))
        if any(user.name not in PRODUCTS or index != 1 for user, index in uses):
            raise CannotPair(f"{where}: operand b is used by others, too")  # pair C5
        if len({_loaded_dim(load, user.operands[1]) for user, _ in uses}) > 1:
            raise CannotPair(f"{where}: operand b is used in two ways")  # pair C4

    # The rewrite --------------------------------------------------------------------

    def divide(self) -> None:
        """Gives each of two tile blocks half of the rows of one."""
        facts = FactsOnDemand(self._entry)
        accesses = [
            (op, _tile_of(op))
            for op in self._ops
            if op.name in VIEW_LOADS | VIEW_STORES
        ]
        wide = {
            op
            for op, tile in accesses
            if (dim := self.dims.get(tile)) is not None
            and not _is_small(index_operands(op)[dim], facts)
        }
        for op in self._products:
            load = source_load(op.operands[1])
            assert load is not None, "checked"
            i64 = ir.IntegerType.get_signless(64)
            dim = _loaded_dim(load, op.operands[1])
            load.attributes[HALVED_ATTRIBUTE] = ir.IntegerAttr.get(i64, dim)
        halves = _Halves(self._entry, self._ops)
        for op, tile in accesses:
            if tile in self.dims:
                halves.move(op, self.dims[tile], is_wide=op in wide)
        for value, dim in self.dims.items():
            op = defining_op(value)
            ty = _half(value, dim)
            if op is not None and op.name in CONSTANTS:
                with ir.InsertionPoint(op), op.location:
                    value.replace_all_uses_with(constant_like(op, ty))
            else:
                value.set_type(ty)
        self._entry.attributes[PAIR_ATTRIBUTE] = ir.UnitAttr.get()
        for op in reversed(list(listed_ops(self._entry))):
            if op.name in PURE and not any(list(r.uses) for r in op.results):
                op.erase()


class _Halves:
    """Views and indices of halves of tiles, and numbers of CTAs instead of blocks.

    Args:
        entry: The entry.
        ops: Its ops.
    """

    def __init__(self, entry: ir.Operation, ops: Sequence[ir.Operation]) -> None:
        self._ctas: dict[ir.Value, ir.Value] = {}
        self._views: dict[tuple[ir.Value, int], ir.Value] = {}
        for op in ops:
            if op.name in BLOCK_IDS:
                along = op.results[0]
                with ir.InsertionPoint.after(op), op.location:
                    one = constant(1, along.type)
                    blocks = cuda_tile.ShRIOp(along, one, "unsigned").result
                along.replace_all_uses_except(blocks, blocks.owner.operation)
                if op.name in _IDS:
                    self._ctas[blocks] = along
        with ir.InsertionPoint(block_ops(body(entry))[0]), entry.location:
            number = cuda_tile.GetTileBlockIdOp().operation.results[0]
            self._rank = cuda_tile.AndIOp(number, constant(1, number.type)).result

    def move(self, op: ir.Operation, dim: int, *, is_wide: bool) -> None:
        """Lets an access be one to half of its tile, that of this CTA.

        Args:
            op: The access.
            dim: The dimension of the tile that is divided.
            is_wide: Whether its indices need 64 bits.
        """
        view, indices = view_operand(op), index_operands(op)
        with ir.InsertionPoint(op), op.location:
            if is_wide:
                indices = [extended(index, i64_tile()) for index in indices]
            indices[dim] = self._index(indices[dim])
        first = next(n for n, v in enumerate(op.operands) if v == view)
        for number, value in enumerate((self._view(view, dim), *indices)):
            op.operands[first + number] = value

    def _view(self, view: ir.Value, dim: int) -> ir.Value:
        """The view of halves of the tiles of a view."""
        if (view, dim) not in self._views:
            ty, tiling = PartitionViewType(view.type), tiling_of(view)
            shape = list(tiling.tile_shape)
            shape[dim] //= PAIR_CTAS
            maker = defining_op(view)
            assert maker is not None, "views do not pass through blocks"
            half = PartitionViewType.get(
                shape, ty.tensor_view, list(tiling.dim_map), tiling.padding
            )
            with ir.InsertionPoint.after(maker), maker.location:
                made = cuda_tile.MakePartitionViewOp(half, maker.operands[0])
            self._views[view, dim] = made.result
        return self._views[view, dim]

    def _index(self, index: ir.Value) -> ir.Value:
        """Where half of the tile of an index lies, counted in halves."""
        if index in self._ctas:
            return self._ctas[index]
        own = extended(self._rank, index.type)
        return add(multiply(index, PAIR_CTAS), own)


def _carried(ops: Sequence[ir.Operation]) -> dict[ir.Value, list[list[ir.Value]]]:
    """The values that loops carry on as one another, by each of them."""
    found: dict[ir.Value, list[list[ir.Value]]] = {}
    for op in ops:
        if op.name in FOR_LOOPS:
            block, (operand, argument) = body(op), first_carried(op)
            end = block_ops(block)[-1]
            for number, result in enumerate(op.results):
                names = [result, op.operands[operand + number], end.operands[number]]
                names.append(block.arguments[argument + number])
                for name in names:
                    found.setdefault(name, []).append(names)
    return found


def _renamed(
    op: ir.Operation, value: ir.Value, dim: int
) -> Iterator[tuple[ir.Value, int]]:
    """The other side of an op that gives elements other places, if it is divided.

    A dimension that is repeated is there whole.
    """
    source, result = op.operands[0], op.results[0]
    pairs = _PLACES[op_stem(op)](op, shape_of(source), shape_of(result))
    if value == source:
        yield from ((result, e) for d, e in pairs if d == dim)
    if value == result:
        yield from ((source, d) for d, e in pairs if e == dim)


_Places = list[tuple[int, int]]
"""The dimensions of an operand that a result has, each with its number there."""


def _of_permute(
    op: ir.Operation, before: Sequence[int], behind: Sequence[int]
) -> _Places:
    del before, behind
    return [(d, e) for e, d in enumerate(permutation_of(op))]


def _of_broadcast(
    op: ir.Operation, before: Sequence[int], behind: Sequence[int]
) -> _Places:
    del op, behind
    return [(d, d) for d, n in enumerate(before) if n > 1]


def _of_reshape(
    op: ir.Operation, before: Sequence[int], behind: Sequence[int]
) -> _Places:
    """Those of more than one element, which must be as many, in the same order."""
    own, others = (
        [(d, n) for d, n in enumerate(shape) if n > 1] for shape in (before, behind)
    )
    if [n for _, n in own] != [n for _, n in others]:  # pair C3
        raise CannotPair(f"{location_text(op)}: rows of several dimensions")
    return [(d, e) for (d, _), (e, _) in zip(own, others, strict=True)]


_PLACES = {
    "permute": _of_permute,
    "broadcast": _of_broadcast,
    "reshape": _of_reshape,
}


def _check_product(op: ir.Operation, target: Target) -> None:
    """Refuses a product that no instruction of a pair computes."""
    terms, where = terms_of(op), location_text(op)
    rows, columns, depth = terms.extents
    half = replace(terms, extents=(rows // PAIR_CTAS, columns, depth), ctas=PAIR_CTAS)
    if TCGEN05.best_atom(half, target) is None:  # pair C1, C2
        raise CannotPair(
            f"{where}: no instruction of a pair, which have 256 rows or a multiple and "
            f"32 to 256 columns, multiplies {rows}x{columns}x{depth} of {terms.operand}"
        )


def _check_access(op: ir.Operation) -> None:
    """Refuses an access of which each CTA cannot do half."""
    _check_weak(op)
    if not isinstance(view_operand(op).type, PartitionViewType):
        raise CannotPair(f"{location_text(op)}: rows of tiles that overlap")


def _check_weak(op: ir.Operation) -> None:
    if keyword(op, "memory_ordering_semantics", "weak") != "weak":  # pair C6
        raise CannotPair(f"{location_text(op)}: an access that orders others")


def _tile_of(access: ir.Operation) -> ir.Value:
    """What an access through a view loads or stores."""
    return access.operands[0] if access.name in VIEW_STORES else access.results[0]


def _place(value: ir.Value) -> str:
    op = defining_op(value)
    return f"{value.type}" if op is None else f"{location_text(op)}: its tile"


def _loaded_dim(load: ir.Operation, operand: ir.Value) -> int:
    """The dimension of what was loaded that is N of a right operand."""
    plain = row_major(shape_of(load.results[0]))
    half = renamed_buffer(plain, operand).offset_of((0, shape_of(operand)[1] // 2))
    return next(d for d, n in enumerate(plain.apply(half)) if n)


def _half(value: ir.Value, dim: int) -> ir.Type:
    """The type of half of a tile."""
    shape = [n // PAIR_CTAS if d == dim else n for d, n in enumerate(shape_of(value))]
    return TileType.get(shape, element_of(value))


def _is_small(index: ir.Value, facts: FactsOnDemand) -> bool:
    """Whether twice an index is an index of its type."""
    known = facts.of(index)
    is_natural = known.low is not None and known.low >= 0
    return is_natural and known.high is not None and known.high < _MOST_INDEX
