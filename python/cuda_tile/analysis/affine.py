# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of a loop as affine functions of its index.

Each element of such a tile is, modulo 2^width,

    index * i + (sum of coefficients * scalars from outside the loop) + rest

where the rest may differ per element but has known bounds. If the sum lies in the
range of the type, it is exact as a signed number, even if intermediate values wrapped:
sums and products commute with wrapping.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import CONSTANTS
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.records import dataclass

MOST_BITS = 32
"""Wider integers are not followed: sums of theirs would not fit 64 bits."""
MOST_COEFFICIENT = 1 << 24
MOST_TERMS = 8
MOST_REST = 1 << 40
"""So that every sum of an `Affine` and of two of them fits 63 bits."""


@dataclass(frozen=True)
class Affine:
    """An affine function of a loop's index; see the module's text.

    Attributes:
        index: The coefficient of the index.
        terms: The coefficients of scalars from outside the loop, none of them 0.
        low, high: Bounds of the rest.
    """

    index: int = 0
    terms: Mapping[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    low: int = 0
    high: int = 0

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """Adds a multiple of another function, element by element.

        Args:
            other: The function that is added.
            factor: The factor of the other function.
        """
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * coefficient
        ends = factor * other.low, factor * other.high
        return Affine(
            self.index + factor * other.index,
            {value: number for value, number in terms.items() if number},
            self.low + min(ends),
            self.high + max(ends),
        )

    @property
    def constant(self) -> int | None:
        """The number, if the function is a constant."""
        is_number = not self.index and not self.terms and self.low == self.high
        return self.low if is_number else None

    @property
    def is_small(self) -> bool:
        """Whether its numbers fit the limits above."""
        coefficients = [self.index, *self.terms.values()]
        return (
            len(self.terms) <= MOST_TERMS
            and all(abs(number) <= MOST_COEFFICIENT for number in coefficients)
            and max(abs(self.low), abs(self.high)) <= MOST_REST
        )


class AffineValues:
    """Finds the values of a loop that are affine functions of its index.

    Args:
        body: The block of the loop.
        index: The loop's index.
    """

    def __init__(self, body: ir.Block, index: ir.Value) -> None:
        self._body = body
        self._index = index
        self._known: dict[ir.Value, Affine | None] = {}

    def of(self, value: ir.Value) -> Affine | None:
        """A value as an affine function; None if it is none or no narrow integer."""
        if value not in self._known:
            self._known[value] = None
            found = self._find(value)
            self._known[value] = found if found is not None and found.is_small else None
        return self._known[value]

    def _find(self, value: ir.Value) -> Affine | None:
        element = element_of(value)
        if (
            not isinstance(element, ir.IntegerType)
            or not 1 < element.width <= MOST_BITS
        ):
            return None
        if value == self._index:
            return Affine(index=1)
        op = defining_op(value)
        if op is not None and op.name in CONSTANTS:
            number = constant_splat(op)
            return Affine(low=number, high=number) if isinstance(number, int) else None
        if not shape_of(value) and self._is_outside(value):  # loop_splitting C6
            return Affine(terms={value: 1})
        rule = None if op is None else _RULES.get(op_stem(op))
        return None if op is None or rule is None else rule(self, op)

    def _is_outside(self, value: ir.Value) -> bool:
        """Whether a value is the same in all iterations."""
        owner = value.owner
        block = owner if isinstance(owner, ir.Block) else owner.operation.block
        while block != self._body:
            op = block.owner.operation
            if op.name == "cuda_tile.entry":
                return True
            block = op.block
        return False


Rule = Callable[[AffineValues, ir.Operation], Affine | None]


def _same(values: AffineValues, op: ir.Operation) -> Affine | None:
    return values.of(op.operands[0])


def _iota(values: AffineValues, op: ir.Operation) -> Affine | None:
    del values
    (extent,) = shape_of(op.results[0])
    width = ir.IntegerType(element_of(op.results[0])).width
    return Affine(high=extent - 1) if extent <= 1 << (width - 1) else None


def _sum(values: AffineValues, op: ir.Operation) -> Affine | None:
    left, right = (values.of(operand) for operand in op.operands)
    if left is None or right is None:
        return None
    return left.plus(right, 1 if op_stem(op) == "addi" else -1)


def _product(values: AffineValues, op: ir.Operation) -> Affine | None:
    left, right = (values.of(operand) for operand in op.operands)
    if left is None or right is None:
        return None
    if left.constant is not None:
        left, right = right, left
    return None if right.constant is None else Affine().plus(left, right.constant)


def _shifted(values: AffineValues, op: ir.Operation) -> Affine | None:
    left, right = (values.of(operand) for operand in op.operands)
    width = ir.IntegerType(element_of(op.results[0])).width
    amount = None if right is None else right.constant
    if left is None or amount is None or not 0 <= amount < width:
        return None
    return Affine().plus(left, 1 << amount)


def _negated(values: AffineValues, op: ir.Operation) -> Affine | None:
    found = values.of(op.operands[0])
    return None if found is None else Affine().plus(found, -1)


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("assume", "reshape", "broadcast", "permute"), _same),
    **dict.fromkeys(("addi", "subi"), _sum),
    "iota": _iota,
    "muli": _product,
    "shli": _shifted,
    "negi": _negated,
}
