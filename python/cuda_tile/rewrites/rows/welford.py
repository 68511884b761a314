# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of squared distances that need not wait for the centre they are taken from.

A variance sums (x - c)^2 over a row, where c is computed from the sum of the same row.
If one loop computes both sums, a row that is loaded again for each step is loaded once
less. Each position of a part then has the mean of the elements it saw and the sum of
squared distances to it (Welford). At the end n elements of mean m and such a sum q give

    q + n (m - c)^2

which are summed. Means are of distances to the position's first element, so that a
common offset of all elements, however large, costs no precision: the first distances
have the error that those to c have.

Error, relative to a position's sum S about c, with u = 2^-24 and t elements:

- a distance d to the first element is off by u |d|. The first element and each other
  one are terms of S, so |d| is at most D = sqrt(2 S), and the errors of all distances
  move the sum by at most 2 u D sqrt(t S), below 3 sqrt(t) u S;
- the mean of k distances is off by at most (k + 9) u D / 2: u times the mean for each
  update of it, and twice u times what is added. A term is the product of an element's
  distances to the means before and behind it; the former are at most sqrt(2 t S) in
  all, so that the terms move by less than 2 (t + 9) sqrt(t) u S;
- in the same way t (m - c)^2, at most S, moves by less than (1.5 t + 17) sqrt(t) u S;
- and the sum is rounded t times, as in the text.

Together less than 4 (t + 12) sqrt(t) u. The text allows (N - 1) u for a sum of N terms
that are not negative, as its order is open; what has a larger bound is left as it is.
A row of 2^20 in parts of 4,096 has 2^14.1 u beside 2^20 u; where first elements are not
far out, it is as good as a sum of so few terms.

Distances to a first element overflow before those to a centre do. What is infinite or
NaN stays so to the end, and then the sum is computed as in the text (`hoisted.py`).

The contract stands in passes/welford.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.scalars import compare, constant, plus
from cuda_tile.ir.tile_values import constant_number, one_for_all
from cuda_tile.ir.tiles import element_of, elements_of
from cuda_tile.ir.traits import REDUCTIONS
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.hoisted import Step
from cuda_tile.rewrites.rows.online_softmax import (
    has_body,
    identity,
    inner,
    is_plain,
    spread_from,
)
from cuda_tile.rewrites.rows.row import Row

NEAREST = "nearest_even"
LEAST_IOTA_BITS = 32
"""Numbers of a row that surely do not wrap around."""


@dataclass(frozen=True)
class WelfordSum:
    """A sum over a row of squared distances to a value made of the row's sum.

    Attributes:
        anchor: The reduction that gives the sum of the row.
        total: The reduction of the squares.
        row: The elements.
        centre: The value, of one element, from which distances are taken.
        mask: The elements that count, the first ones up to some number; None for all.
    """

    anchor: ir.Operation
    total: ir.Operation
    row: ir.Value
    centre: ir.Value
    mask: ir.Value | None

    @property
    def may_overflow(self) -> bool:
        """Distances to a first element may be twice as large as those to the centre."""
        return True

    def begin(self, ty: ir.Type) -> list[ir.Value]:
        """First elements, means and sums of squares; with a mask, counts, too."""
        return [constant_number(ty, 0.0)] * (3 if self.mask is None else 4)

    def iterate(self, given: Sequence[ir.Value], step: Step) -> list[ir.Value]:
        """One more element at each position.

        Args:
            given: The values that the loop carries for it.
            step: The iteration.
        """
        base, mean, squares, *counts = given
        element, ty = step.part(self.row), mean.type
        is_first = compare("equal", step.index, constant(0))
        base = cuda_tile.SelectOp(one_for_all(is_first, base), element, base).result
        far = _minus(element, base)
        if self.mask is not None:  # else it equals the mean, and changes nothing
            inside = step.part(self.mask)
            far = cuda_tile.SelectOp(inside, far, mean).result
            more = cuda_tile.SelectOp(
                inside, constant_number(ty, 1.0), constant_number(ty, 0.0)
            ).result
            counts = [cuda_tile.AddFOp(counts[0], more, NEAREST).result]
        scalar = TileType.get([], element_of(mean))
        number = plus(step.index, 1)
        iterations = cuda_tile.IToFOp(scalar, number, "unsigned", NEAREST).result
        one = constant_number(scalar, 1.0)
        share = cuda_tile.DivFOp(one, iterations, NEAREST).result
        off = _minus(far, mean)
        mean = _fma(off, one_for_all(share, mean), mean)
        squares = _fma(off, _minus(far, mean), squares)
        return [base, mean, squares, *counts]

    def finish(
        self,
        found: Sequence[ir.Value],
        joined: ir.Value,
        known: Callable[[ir.Value], ir.Value],
    ) -> ir.Value:
        """The sums of each position, about the centre.

        Args:
            found: The values that the loop carried at the end.
            joined: The operand of the anchor.
            known: Gives the present form of a value.
        """
        base, mean, squares, *counts = found
        iterations = elements_of(self.row) // elements_of(joined)
        count = counts[0] if counts else constant_number(mean.type, iterations)
        centre = one_for_all(known(self.centre), mean)
        off = _minus(mean, _minus(centre, base))
        square = cuda_tile.MulFOp(off, off, NEAREST).result
        whole = _fma(square, count, squares)
        if not counts:
            return whole
        none = constant_number(mean.type, 0.0)
        ordered = ("greater_than", "ordered", count, none)
        some = cuda_tile.CmpFOp(_conditions(mean), *ordered).result
        return cuda_tile.SelectOp(some, whole, none).result


def find_welford_sum(
    op: ir.Operation, sums: Sequence[ir.Operation], whole: Row
) -> WelfordSum | None:
    """The Welford sum that a reduction is: squared distances to a multiple of a sum.

    Args:
        op: The reduction.
        sums: Reductions from which the centre may be computed.
        whole: The block.
    """
    if not _is_sum(op):
        return None
    value, mask = _unmasked(op.operands[0], None)
    square = defining_op(value)
    if square is None or not _is_plain(square, "mulf"):
        return None
    if square.operands[0] != square.operands[1]:  # welford C4
        return None
    value, mask = _unmasked(square.operands[0], mask)
    distance = defining_op(value)
    if distance is None or not _is_plain(distance, "subf"):
        return None
    for row, other in (tuple(distance.operands), tuple(distance.operands)[::-1]):
        maker = spread_from(other)
        anchor = None if maker is None else _sum_behind(maker, sums)
        if maker is None or anchor is None:
            continue
        summed, own = _unmasked(anchor.operands[0], mask)
        # welford C6
        is_suited = own is None if mask is None else _is_first_ones(mask)
        # welford C7
        is_late = mask is not None and whole.is_behind(mask, anchor)
        if summed == row and is_suited and not is_late:
            return WelfordSum(anchor, op, row, maker.results[0], mask)
    return None


def _is_sum(op: ir.Operation) -> bool:
    is_from_zero = has_body(op, "addf") and identity(op) == 0  # welford C4
    return is_from_zero and is_plain(inner(op))  # welford C2


def _is_plain(op: ir.Operation, stem: str) -> bool:
    return op_stem(op) == stem and is_plain(op)  # welford C2


def _unmasked(
    value: ir.Value, mask: ir.Value | None
) -> tuple[ir.Value, ir.Value | None]:
    """The value of a `select` for masked-in elements if others are 0; and the mask."""
    op = defining_op(value)
    if op is None or op_stem(op) != "select":
        return value, mask
    own, found, other = op.operands
    zero = defining_op(other)
    if zero is None or op_stem(zero) != "constant" or constant_splat(zero) != 0:
        return value, mask
    return (found, own) if mask is None or mask == own else (value, mask)


_MULTIPLES = ops_by_rule("a multiple of its first operand", "divf", "mulf", "reshape")


def _sum_behind(
    maker: ir.Operation, sums: Sequence[ir.Operation]
) -> ir.Operation | None:
    """The sum of which a value is a multiple."""
    op: ir.Operation | None = maker
    while op is not None and op.name in _MULTIPLES:
        op = defining_op(op.operands[0])
    return op if op in sums and op is not None and _is_sum(op) else None


def _is_first_ones(mask: ir.Value) -> bool:
    """Whether a mask has all elements before some place, and none behind it."""
    op = _reshaped(mask)
    if op is None or op_stem(op) != "cmpi":
        return False
    numbers, limit = op.operands
    below = keyword(op, "comparison_predicate") in (
        "less_than",
        "less_than_or_equal",
    )
    counted, spread = _reshaped(numbers), _reshaped(limit)
    return (
        below
        and counted is not None
        and op_stem(counted) == "iota"
        and ir.IntegerType(element_of(numbers)).width >= LEAST_IOTA_BITS
        and spread is not None
        and op_stem(spread) == "broadcast"
        and elements_of(spread.operands[0]) == 1
    )


def _reshaped(value: ir.Value) -> ir.Operation | None:
    op = defining_op(value)
    while op is not None and op_stem(op) == "reshape":
        op = defining_op(op.operands[0])
    return op


def _minus(x: ir.Value, y: ir.Value) -> ir.Value:
    return cuda_tile.SubFOp(x, y, NEAREST).result


def _fma(x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
    return cuda_tile.FmaOp(x, y, z, NEAREST).result


def _conditions(like: ir.Value) -> ir.Type:
    shape = list(ir.ShapedType(like.type).shape)
    return TileType.get(shape, ir.IntegerType.get_signless(1))


def welford_sums(
    sinks: Sequence[ir.Operation], whole: Row, part: int
) -> list[WelfordSum]:
    """The Welford sums among the reductions of rows whose centre is one of their sums.

    Args:
        sinks: The final uses of the rows.
        whole: Their block.
        part: Elements of a part; those sums are left out whose error may be larger
            than that of the text.
    """
    sums = [op for op in sinks if op.name in REDUCTIONS]
    found = (find_welford_sum(op, sums, whole) for op in sums)
    return [each for each in found if each is not None and _is_sound(each, part)]


def _is_sound(each: WelfordSum, part: int) -> bool:
    size = elements_of(each.row)
    iterations = size // part
    return 4 * (iterations + 12) * math.sqrt(iterations) < size  # welford C5
