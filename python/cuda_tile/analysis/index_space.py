# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proofs that tiles begin inside their tensor, from how their indices are computed.

With an extent E and steps of s elements the index space has ceil(E / s) tiles. An index
is below that if it is the index of a loop up to the number of tiles, or if a condition
around it says so, or if it is a remainder, quotient or product of such numbers. Three
claims about integers depend on each other; each follows from the op that computes x:

- `is_below(x, s)`: read as unsigned, x < ceil(E / s);
- `is_at_most(x, s)`: x <= ceil(E / s);
- `surplus(x)`: the least known k with x <= E + k.

The last two are about one reading of x, signed or unsigned. Sums may wrap around: that
only makes unsigned numbers smaller, and signed ones, too, unless a negative number is
added. Extents are unsigned.

Contract `bounds_elision`
    Law: with E a multiple of the tile's extent T, and i * s one too, i < ceil(E / s)
    means that i * s + T <= E: the tile lies inside as a whole, or none of it does.

    | | condition | near misses |
    |---|---|---|
    | C1 types | a number is below in its own width, and where that is changed | |
    | | | wide_index, narrow_index |
    | C2 flags | what reads a number as signed finds none that is negative | |
    | | | negative_lower, signed_guard, unsigned_loop |
    | - values | elements are not looked at | |
    | - order | an access stays where it is | |
    | C3 blocks | a tile block's number is below only under a condition | tile_block, |
    | | | guarded_block, other_branch |
    | C4 indices | the number is counted, guarded or made to be below | next_tile, |
    | | | quotient, remainder |
    | C5 extents | extents and starts are multiples of the tile's extent | cut_tile, |
    | | | odd_starts |
    | C6 extents | tiles are counted of this extent, none smaller | other_extent, |
    | | | smaller_tiles, no_tiles |
    | - aliasing | nothing is read or written otherwise | |
    | C7 captures | a condition is one around the access | condition_beside |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import view_dims
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.tiling import (
    index_operands,
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.constants import MOST_CLAIMS
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.traits import VIEW_ACCESSES
from cuda_tile.ir.walk import defining_op, enclosing_ops, op_stem, value_behind
from cuda_tile.ods import ops_by_rule

_CHOICES = ops_by_rule("is one of its last two operands", "select", "mini", "maxi")
_EXTREMA = ops_by_rule("is one of them by an order", "mini", "maxi")
_EXTENDS = ops_by_rule("is no less than its operand, both unsigned", "assume", "exti")
_CUTS = ops_by_rule("is no more than its operand, both unsigned", "assume", "trunci")
_ASSUMES = ("cuda_tile.assume",)
_FACTORS = {"muli": False, "shli": True}
_DIVISORS = {"divi": False, "shri": True}
"""What multiplies or divides, and whether by a power of two."""


def mark_inside(op: ir.Operation, facts: FactsAnalysis) -> None:
    """Promises `inbounds` if a tile cannot be cut and surely begins inside.

    Args:
        op: Any op; only accesses through views change.
        facts: The facts of its operands.
    """
    if op.name not in VIEW_ACCESSES:
        return
    dims = view_dims(op, facts)
    if not any(dim.may_be_outside for dim in dims):
        return
    steps = tiling_of(view_operand(op)).steps
    promised = [dim.is_promised for dim in dims]
    for d, index in enumerate(index_operands(op)):
        if dims[d].may_be_outside:
            space = IndexSpace(facts, op, dims[d].extent)
            promised[d] = space.is_below(index, steps[d])  # bounds_elision C4
    if any(promised):
        op.attributes["inbounds"] = ir.DenseBoolArrayAttr.get(promised)


class IndexSpace:
    """Proofs that values are below the number of tiles along one dimension of a tensor.

    Args:
        facts: The facts of the entry's values.
        op: The op at which claims must hold; loops and conditions around it count.
        extent: The tensor's extent.
    """

    def __init__(
        self, facts: FactsAnalysis, op: ir.Operation, extent: int | ir.Value
    ) -> None:
        self._facts, self._op = facts, op
        self._extents: list[ir.Value] = []
        self._claims: dict[tuple[object, ...], int | None] = {}
        self._depth = 0
        if isinstance(extent, int):
            self._least = extent
            return
        self._least = max(0, facts.of(extent).low or 0)
        self._extents.append(extent)
        made = defining_op(extent)
        while made is not None and made.name in _EXTENDS:
            self._extents.append(made.operands[0])
            made = defining_op(made.operands[0])

    # x < ceil(E / s), x unsigned ----------------------------------------------------

    def is_below(self, x: ir.Value, step: int) -> bool:
        """Whether x, read as unsigned, is below the number of tiles.

        Args:
            x: A scalar integer.
            step: The extent of a tile, in elements.
        """
        high = self._highest(x, is_signed=False)
        if high is not None and high < -(-self._least // step):
            return True
        return bool(
            self._once(
                ("below", x, step),
                lambda: (
                    self._is_index_below(x, step)
                    or self._is_guarded(x, step)
                    or self._is_made_below(x, step)
                ),
            )
        )

    def _is_index_below(self, x: ir.Value, step: int) -> bool:
        """Whether x is the index of a loop over no more than the number of tiles."""
        if defining_op(x) is not None:
            return False
        loop = counted_loop(ir.BlockArgument(x).owner.owner.operation)
        if loop is None or loop.index != x:
            return False
        if loop.is_unsigned:
            return self.is_at_most(loop.upper, step, is_signed=False)
        is_natural = self._is_natural(loop.lower)  # bounds_elision C2
        return is_natural and self.is_at_most(loop.upper, step, is_signed=True)

    def _is_guarded(self, x: ir.Value, step: int) -> bool:
        """Whether a condition around the access says that x is below."""
        # bounds_elision C3
        for smaller, larger, is_signed in _comparisons_around(self._op):
            if value_behind(smaller, _ASSUMES) != value_behind(x, _ASSUMES):
                continue
            if is_signed and not self._is_natural(x):
                continue
            if self.is_at_most(larger, step, is_signed=is_signed):
                return True
        return False

    def _is_made_below(self, x: ir.Value, step: int) -> bool:
        """Whether the op that computes x implies that x is below."""
        made = defining_op(x)
        if made is None or not len(made.operands):
            return False
        stem, first = op_stem(made), made.operands[0]
        if made.name in _CUTS:
            return self.is_below(first, step)
        if stem == "exti":  # bounds_elision C1
            is_same = not _is_signed(made) or self._is_natural(first)
            return is_same and self.is_below(first, step)
        if made.name in _CHOICES:
            each = [self.is_below(value, step) for value in _chosen(made)]
            return all(each) or (stem == "mini" and self._is_lesser_below(made, each))
        if stem == "remi":
            return self._is_rest_below(made, step)
        if (factor := self._factor(made)) is not None:
            return self.is_below(first, step * factor)
        return self._is_quotient_below(made, step)

    def _is_lesser_below(self, made: ir.Operation, is_below: list[bool]) -> bool:
        """Whether the minimum of two numbers is below, even if one of them is not."""
        x, y = made.operands
        if not _is_signed(made):
            return any(is_below)
        return (is_below[0] and self._is_natural(y)) or (
            is_below[1] and self._is_natural(x)
        )

    def _is_quotient_below(self, made: ir.Operation, step: int) -> bool:
        """Whether a number divided by a constant is below, in elements or in tiles."""
        divisor, first = self._divisor(made), made.operands[0]
        if divisor is None or _rounds_up(made):
            return False
        if _is_signed(made) and not self._is_natural(first):
            return False
        if divisor < step and step % divisor:
            return False
        return self.is_below(first, max(1, step // divisor))

    def _is_rest_below(self, made: ir.Operation, step: int) -> bool:
        is_signed = _is_signed(made)
        if is_signed and not all(map(self._is_natural, made.operands)):
            return False
        return self.is_at_most(made.operands[1], step, is_signed=is_signed)

    # x <= ceil(E / s) ---------------------------------------------------------------

    def is_at_most(self, x: ir.Value, step: int, *, is_signed: bool) -> bool:
        """Whether x, read as signed or unsigned, is at most the number of tiles.

        Args:
            x: A scalar integer.
            step: The extent of a tile, in elements.
            is_signed: Whether x is read as signed.
        """
        high = self._highest(x, is_signed=is_signed)
        if high is not None and high <= -(-self._least // step):
            return True
        if step == 1:
            most = self.surplus(x, is_signed=is_signed)
            return most is not None and most <= 0
        return bool(
            self._once(
                ("at most", x, step, is_signed),
                lambda: any(
                    self._is_made_at_most(x, step, reads_signed)
                    for reads_signed in self._readings(x, is_signed)
                ),
            )
        )

    def _readings(self, x: ir.Value, is_signed: bool) -> tuple[bool, ...]:
        """The readings in which a claim implies the claim in the wanted reading.

        No number is greater signed than unsigned; for natural numbers both are equal.
        """
        if is_signed:
            return (True, False)
        return (False, True) if self._is_natural(x) else (False,)

    def _is_made_at_most(self, x: ir.Value, step: int, is_signed: bool) -> bool:
        made = defining_op(x)
        if made is None:
            return False
        if op_stem(made) == "get_index_space_shape":
            return self._counts_tiles(made, x, step)
        parts, needs_all = self._parts(made, is_signed)
        if parts:
            found = (self.is_at_most(part, step, is_signed=is_signed) for part in parts)
            return all(found) if needs_all else any(found)
        divisor = self._divisor(made)
        if divisor is None or divisor < step or _is_signed(made) != is_signed:
            return False
        most = self.surplus(made.operands[0], is_signed=is_signed)
        return most is not None and most <= (0 if _rounds_up(made) else divisor - 1)

    def _counts_tiles(self, made: ir.Operation, x: ir.Value, step: int) -> bool:
        """Whether x is the number of tiles of this extent or of a larger one."""
        view = made.operands[0]
        tiling, parts = tiling_of(view), tensor_view_parts(tensor_view_op(view))
        d = _result_number(x)
        extent = parts.shape[tiling.dim_map[d]]
        return tiling.steps[d] >= step and self._is_extent(extent)  # bounds_elision C6

    def _parts(
        self, made: ir.Operation, is_signed: bool
    ) -> tuple[list[ir.Value], bool]:
        """Values whose claims imply that of an op's result; whether all must hold."""
        stem = op_stem(made)
        if stem == "assume":
            return [made.operands[0]], True
        if stem == "exti" and _is_signed(made) == is_signed:
            return [made.operands[0]], True
        if stem == "trunci" and not is_signed:
            return [made.operands[0]], True
        if stem == "select":
            return _chosen(made), True
        if made.name in _EXTREMA and _is_signed(made) == is_signed:
            return _chosen(made), stem == "maxi"
        if stem == "subi" and all(map(self._is_natural, made.operands)) and is_signed:
            return [made.operands[0]], True
        return [], True

    # x <= E + k ---------------------------------------------------------------------

    def surplus(self, x: ir.Value, *, is_signed: bool) -> int | None:
        """The least known number by which x may exceed the extent; None for none.

        Args:
            x: A scalar integer.
            is_signed: Whether x is read as signed.
        """
        if self._is_extent(x):
            return 0
        return self._once(
            ("surplus", x, is_signed), lambda: self._least_surplus(x, is_signed)
        )

    def _least_surplus(self, x: ir.Value, is_signed: bool) -> int | None:
        high = self._highest(x, is_signed=is_signed)
        found = [] if high is None else [high - self._least]
        for reads_signed in self._readings(x, is_signed):
            most = self._made_surplus(x, reads_signed)
            if most is not None:
                found.append(most)
        return min(found, default=None)

    def _made_surplus(self, x: ir.Value, is_signed: bool) -> int | None:
        made = defining_op(x)
        if made is None:
            return None
        parts, needs_all = self._parts(made, is_signed)
        if parts:
            each = [self.surplus(part, is_signed=is_signed) for part in parts]
            found = [most for most in each if most is not None]
            if needs_all:
                return max(found) if len(found) == len(each) else None
            return min(found, default=None)
        if op_stem(made) == "addi":
            return self._sum_surplus(made, is_signed)
        factor = self._factor(made)
        if factor is None or (is_signed and not self._is_natural(made.operands[0])):
            return None
        first = made.operands[0]
        if self.is_at_most(first, factor, is_signed=is_signed):
            return factor - 1
        return None

    def _sum_surplus(self, made: ir.Operation, is_signed: bool) -> int | None:
        """The surplus of a sum with a constant that is not negative."""
        for number, other in (made.operands, reversed(list(made.operands))):
            known = self._facts.of(number).constant
            if known is not None and known >= 0:
                most = self.surplus(other, is_signed=is_signed)
                return None if most is None else most + known
        return None

    # --------------------------------------------------------------------------------

    def _once(
        self, claim: tuple[object, ...], find: Callable[[], int | None]
    ) -> int | None:
        """Looks into each claim once; None if the search is too deep."""
        if claim not in self._claims:
            self._claims[claim] = None
            if self._depth < MOST_CLAIMS:
                self._depth += 1
                self._claims[claim] = find()
                self._depth -= 1
        return self._claims[claim]

    def _is_extent(self, x: int | ir.Value) -> bool:
        if isinstance(x, int):
            return x <= self._least
        if x in self._extents:
            return True
        made = defining_op(x)
        if made is None:
            return False
        if op_stem(made) != "get_tensor_shape":
            return op_stem(made) == "assume" and self._is_extent(made.operands[0])
        parts = tensor_view_parts(tensor_view_op(made.operands[0]))
        return self._is_extent(parts.shape[_result_number(x)])

    def _highest(self, x: ir.Value, *, is_signed: bool) -> int | None:
        """The upper bound of x in one reading, from facts."""
        is_known = is_signed or self._is_natural(x)
        return self._facts.of(x).high if is_known else None

    def _is_natural(self, x: ir.Value) -> bool:
        """Whether signed and unsigned reading agree."""
        low = self._facts.of(x).low
        return low is not None and low >= 0

    def _factor(self, made: ir.Operation) -> int | None:
        """The factor of an op's first operand, a constant of 1 or more."""
        is_shift = _FACTORS.get(op_stem(made))
        return None if is_shift is None else self._power_or_number(made, is_shift)

    def _divisor(self, made: ir.Operation) -> int | None:
        """The divisor of an op's first operand, a constant of 1 or more."""
        is_shift = _DIVISORS.get(op_stem(made))
        return None if is_shift is None else self._power_or_number(made, is_shift)

    def _power_or_number(self, made: ir.Operation, is_shift: bool) -> int | None:
        number = self._facts.of(made.operands[1]).constant
        if number is None:
            return None
        if is_shift:
            return 1 << number if 0 <= number < 31 else None
        return number if number >= 1 else None


def _comparisons_around(
    op: ir.Operation,
) -> Iterator[tuple[ir.Value, ir.Value, bool]]:
    """Pairs (smaller, larger, signed) that hold at an op.

    They come from the conditions of the branches around the op.
    """
    inner = op
    for outer in enclosing_ops(op.results[0]):
        # bounds_elision C7
        if outer.name == "cuda_tile.if" and inner.block == outer.regions[0].blocks[0]:
            yield from _comparisons_in(outer.operands[0])
        inner = outer


def _comparisons_in(condition: ir.Value) -> Iterator[tuple[ir.Value, ir.Value, bool]]:
    made = defining_op(condition)
    if made is None:
        return
    if op_stem(made) == "andi":
        for part in made.operands:
            yield from _comparisons_in(part)
    elif op_stem(made) == "cmpi":
        predicate, is_signed = keyword(made, "comparison_predicate"), _is_signed(made)
        x, y = made.operands
        if predicate == "less_than":
            yield x, y, is_signed
        elif predicate == "greater_than":
            yield y, x, is_signed


def _result_number(x: ir.Value) -> int:
    return ir.OpResult(x).result_number


def _chosen(made: ir.Operation) -> list[ir.Value]:
    """The operands of an op whose result is always one of them."""
    return list(made.operands)[1 if op_stem(made) == "select" else 0 :]


def _is_signed(made: ir.Operation) -> bool:
    return keyword(made, "signedness", "signed") == "signed"


def _rounds_up(made: ir.Operation) -> bool:
    return keyword(made, "rounding", "zero") == "positive_inf"
