# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges a grid: no tile block stores or loads an element that another one stores.

The definition, for any two tile blocks of a launch: each plain store goes through a
view of tiles, which do not overlap by definition. For every dimension of the grid that
the kernel reads, some index of the tile is a multiple of the block's number plus a
number that all blocks share. A kernel loads from an array that it stores to only at the
same tile. Assumptions: arrays of different parameters do not overlap, elements of one
view are distinct, and the grid is one block long in dimensions that the kernel does not
read. Atomics order themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType
from cuda_tile.analysis.expressions import parameter_of
from cuda_tile.checkers.integers import Names, is_integer
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import READS, STORES, TILE_LOOPS, is_pure
from cuda_tile.ir.walk import defining_op, location_text, nested_ops, op_stem

COPY_OUT = "tileas.copy_out"
BLOCK = "get_tile_block_id"


class _Part(NamedTuple):
    """A quotient or a remainder.

    Attributes:
        of: The dividend.
        by: The divisor.
        is_quotient: Whether it is the quotient.
        is_floor: Whether the quotient is rounded down, or the remainder has the sign
            of the divisor.
        is_unsigned: Whether both are unsigned numbers.
    """

    of: ir.Value
    by: ir.Value
    is_quotient: bool
    is_floor: bool
    is_unsigned: bool


class Grid:
    """The accesses of a kernel to global memory, by tile block.

    Args:
        entry: An entry at level T or W.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self._names = Names()
        self._ops = list(nested_ops(entry))
        self._used = {n for op in self._ops for n in map(_dimension, op.operands)}

    def doubt(self) -> str:
        """Why two tile blocks may access the same element; empty if they never do."""
        stores = [op for op in self._ops if op.name in STORES or op.name == COPY_OUT]
        if stores and not self._used - {None}:
            what = "the same tile, as nothing tells tile blocks apart"
            return _named(stores[0], stores[0], what)
        for store in stores:
            if doubt := self._doubt_of(store):
                return doubt
        for read in (op for op in self._ops if op.name in READS):
            for store in stores:
                if self._meets(store, read):
                    return _named(store, read, "another tile of the same array")
        return ""

    def extent(self) -> str:
        """The grids for which this holds: dimensions with one block."""
        single = [name for n, name in enumerate("xyz") if n not in self._used]
        return f"of one tile block along {' and '.join(single)}" if single else ""

    def _doubt_of(self, store: ir.Operation) -> str:
        view = _view_of(store)
        if view is None or _parameter(view) is None:
            return _named(store, store, "places that are no tiles of a view")
        if self._used - {None} <= self._told(_indices_of(store)):
            return ""
        return _named(store, store, "the same tile, as far as its indices tell")

    def _meets(self, store: ir.Operation, read: ir.Operation) -> bool:
        """Whether a load may read an element that another tile block stores.

        It may not if it reads the tile that its own block stores: the same indices of
        the same view, since tiles of another shape lie elsewhere.
        """
        view, other = _view_of(store), _view_of(read)
        if other is None or view is None or _parameter(other) is None:
            return other is None or _parameter(other) is None
        if _parameter(view) != _parameter(other):
            return False
        return self._tile(store, view) != self._tile(read, other)

    def _tile(self, op: ir.Operation, view: ir.Value) -> list[int]:
        """A tile of memory, by how it is computed."""
        return [self._names.of(value) for value in (view, *_indices_of(op))]

    def _told(self, indices: list[ir.Value]) -> set[int | None]:
        """The dimensions of the grid whose block numbers follow from some indices."""
        told = [self._told_by(index) for index in indices]
        found = {_dimension(value) for value in told if value is not None}
        parts = [part for value in told if value is not None and (part := _part(value))]
        for one in parts:
            for other in parts:
                if one.is_quotient and not other.is_quotient and self._fit(one, other):
                    of = self._told_by(one.of)
                    found.add(None if of is None else _dimension(of))
        return found

    def _fit(self, quotient: _Part, remainder: _Part) -> bool:
        """Whether quotient and remainder together determine the dividend.

        If the quotient is rounded down, as many consecutive dividends as the divisor's
        value have it, and the remainder tells which. A quotient that is rounded to zero
        needs a remainder with the sign of the dividend.
        """
        if quotient.is_unsigned != remainder.is_unsigned:
            return False
        if not (quotient.is_floor or not remainder.is_floor):
            return False
        same = [
            self._names.of(one) == self._names.of(other)
            for one, other in ((quotient.of, remainder.of), (quotient.by, remainder.by))
        ]
        return all(same) and self._is_shared(quotient.by)

    def _told_by(self, index: ir.Value) -> ir.Value | None:
        """The value that an index determines: others have other indices."""
        op = defining_op(index)
        match "" if op is None else op_stem(op), op:
            case "assume" | "exti", ir.Operation():
                return self._told_by(op.operands[0])
            case "addi" | "subi", ir.Operation():
                first, second = op.operands
                if self._is_shared(second):
                    return self._told_by(first)
                return self._told_by(second) if self._is_shared(first) else None
            case "muli", ir.Operation():
                first, second = op.operands
                is_one_to_one = _is_one_to_one(op, constant_of(second))
                return self._told_by(first) if is_one_to_one else None
            case _:
                return index

    def _is_shared(self, value: ir.Value) -> bool:
        """Whether all tile blocks have the same number here, at any time."""
        if _dimension(value) is not None:
            return False
        op = defining_op(value)
        if op is None:
            return parameter_of(value) is not None
        return is_pure(op) and all(map(self._is_shared, op.operands))


def _dimension(value: ir.Value) -> int | None:
    """The dimension of the grid whose block number a value is."""
    op = defining_op(value)
    if op is not None:
        is_number = op_stem(op) == BLOCK
        return ir.OpResult(value).result_number if is_number else None
    argument = ir.BlockArgument(value)
    loop, number = argument.owner.owner.operation, argument.arg_number
    is_number = loop.name in TILE_LOOPS and number < first_carried(loop)[1]
    return number if is_number else None


def _part(value: ir.Value) -> _Part | None:
    """The quotient or the remainder that a value is."""
    op = defining_op(value)
    if op is None:
        return None
    is_unsigned = keyword(op, "signedness") == "unsigned"
    match op_stem(op):
        case "divi" if (rounding := keyword(op, "rounding", "zero")) != "positive_inf":
            is_floor = is_unsigned or rounding == "negative_inf"
            return _Part(op.operands[0], op.operands[1], True, is_floor, is_unsigned)
        case "remi":
            first, last = op.operands
            return _Part(first, last, False, is_unsigned, is_unsigned)
        case "select":
            return _floor_remainder(op)
        case _:
            return None


def _floor_remainder(op: ir.Operation) -> _Part | None:
    """A floor remainder, selected from a remainder and its sum with the divisor.

    The sum must be chosen only if their signs differ, so that it does not wrap.
    """
    condition, other, remainder = op.operands
    found, sum_ = _part(remainder), defining_op(other)
    if found is None or found.is_quotient or found.is_floor or sum_ is None:
        return None
    if op_stem(sum_) != "addi" or [*sum_.operands] != [remainder, found.by]:
        return None
    signs = _below_zero(_conjuncts(condition))
    below = {remainder} if (constant_of(found.by) or 0) > 0 else {remainder, found.by}
    return found._replace(is_floor=True) if below in signs else None


def _conjuncts(condition: ir.Value) -> list[ir.Value]:
    op = defining_op(condition)
    if op is None or op_stem(op) != "andi":
        return [condition]
    return [each for operand in op.operands for each in _conjuncts(operand)]


def _below_zero(conditions: list[ir.Value]) -> list[set[ir.Value]]:
    """For each condition, the values of which an odd number is negative if it holds.

    Empty if a condition says something else.
    """
    found: list[set[ir.Value]] = []
    for condition in conditions:
        op = defining_op(condition)
        if op is not None and op_stem(op) == "xori":
            one, other = _below_zero(list(op.operands))
            found.append(one ^ other if one and other else set())
            continue
        if op is None or op_stem(op) != "cmpi":
            found.append(set())
            continue
        is_below = (
            keyword(op, "comparison_predicate") == "less_than"
            and keyword(op, "signedness") == "signed"
            and constant_of(op.operands[1]) == 0
        )
        found.append({op.operands[0]} if is_below else set())
    return found


def _is_one_to_one(product: ir.Operation, factor: int | None) -> bool:
    """Whether no two numbers have the same product: it is odd, or may not wrap."""
    wraps = keyword(product, "overflow", "none") == "none"
    return bool(factor) and (factor % 2 == 1 or not wraps)


def _view_of(op: ir.Operation) -> ir.Value | None:
    return next((v for v in op.operands if isinstance(v.type, PartitionViewType)), None)


def _indices_of(op: ir.Operation) -> list[ir.Value]:
    """The indices of the tile that an op accesses."""
    view, operands = _view_of(op), list(op.operands)
    first = operands.index(view) + 1 if view is not None else len(operands)
    return [v for v in operands[first:] if is_integer(v) and not is_distributed(v)]


def _parameter(view: ir.Value) -> int | None:
    """The parameter of the kernel that a view is of."""
    op = defining_op(view)
    while op is not None and op_stem(op) in {"make_partition_view", "make_tensor_view"}:
        view, op = op.operands[0], defining_op(op.operands[0])
    return parameter_of(view)


def _named(first: ir.Operation, second: ir.Operation, what: str) -> str:
    return (
        f"two tile blocks may meet by '{first.name}' ({location_text(first)}) and "
        f"'{second.name}' ({location_text(second)}): {what}"
    )
