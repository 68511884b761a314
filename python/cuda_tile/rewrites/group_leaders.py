# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Group leaders: the first element of each group of a tile, without the others.

Groups are boxes: a power of two of neighbours along each dimension. Elementwise ops are
computed on the leaders alone. The leaders of another value, such as a loaded one, can
be computed only if facts say that the elements of a group are equal: then any reduction
that keeps equal numbers gives them.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BoundedAttr,
    DivByAttr,
    PointerType,
    TileType,
)
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.scalars import constant
from cuda_tile.ir.tile_values import constant_like
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import ELEMENTWISE
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.rewrites.group_reduction import reduce_groups

Groups = tuple[int, ...]
"""Elements of a group along each dimension."""

_ADDRESS_BITS = 64
_NUMBER_BITS = (32, 64)


class GroupLeaders:
    """Builds tiles of group leaders at the insertion point.

    Args:
        facts: The facts of the entry.
    """

    def __init__(self, facts: FactsAnalysis) -> None:
        self._facts = facts
        self._found: dict[tuple[ir.Value, Groups], bool] = {}
        self._made: dict[tuple[ir.Value, Groups], ir.Value] = {}

    def are_equal(self, value: ir.Value, groups: Groups) -> bool:
        """Whether facts say that the elements of each group are equal.

        Args:
            value: The tile.
            groups: The extents of a group, by dimension.
        """
        known = self._facts.of(value)
        constancy = shape_of(value) if known.constant is not None else known.constancy
        return all(c % g == 0 for c, g in zip(constancy, groups, strict=True))

    def can(self, value: ir.Value, groups: Groups) -> bool:
        """Whether the group leaders of a tile can be computed.

        Args:
            value: The tile.
            groups: The extents of a group, by dimension.
        """
        if max(groups, default=1) == 1:
            return True
        key = (value, groups)
        if key not in self._found:
            sources = self._sources(value, groups)
            self._found[key] = (
                sources is not None and all(self.can(*source) for source in sources)
            ) or self._is_equal_number(value, groups)
        return self._found[key]

    def make(self, value: ir.Value, groups: Groups) -> ir.Value:
        """The group leaders, in the tile's shape divided by the groups'.

        Args:
            value: The tile.
            groups: The extents of a group, by dimension.
        """
        if max(groups, default=1) == 1:
            return value
        key = (value, groups)
        if key not in self._made:
            self._made[key] = self._make(value, groups)
        return self._made[key]

    def _make(self, value: ir.Value, groups: Groups) -> ir.Value:
        sources = self._sources(value, groups)
        if sources is None or not all(self.can(*source) for source in sources):
            return self._of_equal(value, groups)
        parts = [self.make(*source) for source in sources]
        op = defining_op(value)
        assert op is not None, "block arguments have no sources"
        ty = _over(value, groups)
        match op_stem(op):
            case "constant":
                return constant_like(op, ty)
            case "iota":
                steps = constant(groups[0], ty)
                return cuda_tile.MulIOp(cuda_tile.IotaOp(ty).result, steps).result
            case "assume" if not _holds_of_each(op):
                return parts[0]
            case "reshape" | "broadcast" if parts[0].type == ty:
                return parts[0]
            case _:
                return clone_with(op, parts, [ty]).results[0]

    def _sources(
        self, value: ir.Value, groups: Groups
    ) -> list[tuple[ir.Value, Groups]] | None:
        """The operands, with their groups, whose leaders give those of `value`."""
        op = defining_op(value)
        if op is None:
            return None
        match op_stem(op):
            case "constant":
                return None if constant_splat(op) is None else []
            case "iota":
                return []
            case "broadcast":
                extents = shape_of(op.operands[0])
                pairs = zip(extents, groups, strict=True)
                return [(op.operands[0], tuple(1 if n == 1 else g for n, g in pairs))]
            case "reshape":
                source = _before_reshape(op, groups)
                return None if source is None else [source]
            case "assume":
                return [(op.operands[0], groups)]
            case _ if op.name in ELEMENTWISE:
                return [(operand, groups) for operand in op.operands]
            case _:
                return None

    def _is_equal_number(self, value: ir.Value, groups: Groups) -> bool:
        element = element_of(value)
        is_number = isinstance(element, PointerType) or (
            isinstance(element, ir.IntegerType) and element.width in _NUMBER_BITS
        )
        return is_number and self.are_equal(value, groups)

    def _of_equal(self, value: ir.Value, groups: Groups) -> ir.Value:
        """The leaders of groups whose elements are equal numbers or pointers."""
        if not isinstance(element_of(value), PointerType):
            return reduce_groups(value, groups, "or")
        address = ir.IntegerType.get_signless(_ADDRESS_BITS)
        whole = TileType.get(list(shape_of(value)), address)
        numbers = cuda_tile.PtrToIntOp(whole, value).result
        first = reduce_groups(numbers, groups, "or")
        return cuda_tile.IntToPtrOp(_over(value, groups), first).result


def _over(value: ir.Value, groups: Groups) -> ir.Type:
    """The type of the tile of group leaders."""
    shape = [n // g for n, g in zip(shape_of(value), groups, strict=True)]
    return TileType.get(shape, element_of(value))


def _holds_of_each(op: ir.Operation) -> bool:
    """Whether an `assume` holds for any selection of its tile's elements."""
    predicate = op.attributes["predicate"]
    return isinstance(predicate, BoundedAttr) or (
        isinstance(predicate, DivByAttr) and predicate.every is None
    )


def _before_reshape(op: ir.Operation, groups: Groups) -> tuple[ir.Value, Groups] | None:
    """The operand, with groups along the same extents; None if extents change."""
    (source,) = op.operands
    sizes = [
        (n, g) for n, g in zip(shape_of(op.results[0]), groups, strict=True) if n != 1
    ]
    extents = shape_of(source)
    if [n for n in extents if n != 1] != [n for n, _ in sizes]:
        return None
    left = iter(sizes)
    return source, tuple(1 if n == 1 else next(left)[1] for n in extents)
