# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loop splitting: iterations whose masks hide nothing get a loop of their own.

Contract: in and out, verified level T without plans that the pass made; no value
changes. A loop over i with products whose masks compare an affine function of i with
another one becomes

    for i in (lower to a) { as it was }     only where a mask ends with the loop
    for i in (a to b)     { without these masks }
    for i in (b to upper) { as it was }     only where a mask begins with it

Examples are causal attention, which masks its last iterations, and a product whose last
iteration reaches beyond the end of K. One inequality A + B * i >= 0 with a constant B
is the condition under which all elements of a mask are open, and another one that the
sums of a mask do not wrap. The bounds a and b are computed from them in 64 bits before
the loop; if the sums may wrap, every iteration keeps its mask. Nothing of this depends
on the ops of the loop. A loop that continues where another one ended stays: its author
has split it already.

Contract `loop_splitting`
    Law: a loop from a to c does what loops from a to b and from b to c do, with b one
    of its iterations; a mask that is true for all elements of an iteration is true.

    | | condition | near misses |
    |---|---|---|
    | C1 types | integers of at most 32 bits, of the index's type | wide_mask |
    | C2 flags | the loop counts as signed, the mask compares | unsigned_loop, |
    | | | equal_mask, unsigned_mask |
    | - values | what is computed is the same, in the same order | |
    | - order | the same iterations, one after the other | |
    | - blocks | the bounds are those of one tile block | |
    | C3 indices | sums of a mask wrap around in no iteration without it | wraps, |
    | | | wraps_below |
    | C4 indices | bounds are iterations of the loop and fit its index | steps, |
    | | | last_numbers, steps_at_the_end |
    | C5 extents | loops of no or one iteration may be made | no_iteration, |
    | | | no_iteration_at_all, one_iteration, |
    | | | no_open_one, all_open |
    | - aliasing | memory is accessed as before | |
    | C6 captures | a mask rests on scalars that stay the same | carried_limit |
    | C7 captures | the mask is open for all that use it | used_mask, two_masks, |
    | | | other_values |
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.affine import Affine, AffineValues
from cuda_tile.analysis.constants import constant_of
from cuda_tile.analysis.control_flow import CountedLoop, counted_loop
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.masks import open_value
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import (
    FOR_LOOPS,
    KEEPS_ELEMENTS,
    LOOPS,
    POINTER_LOADS,
    PRODUCTS,
)
from cuda_tile.ir.walk import block_ops, defining_op, entries, nested_ops
from cuda_tile.options import Options
from cuda_tile.passes import simplify
from cuda_tile.passes.split_bounds import Bounds, Condition
from cuda_tile.passes.split_zeros import drop_added_zeros
from cuda_tile.records import dataclass

_COMPARE = "cuda_tile.cmpi"
_FORWARDS = KEEPS_ELEMENTS | {"cuda_tile.andi"}
_SIGNS = {
    "greater_than": (1, 1),
    "greater_than_or_equal": (1, 0),
    "less_than": (-1, 1),
    "less_than_or_equal": (-1, 0),
}
"""Of a comparison of x and y, s and c such that it holds if s * (x - y) - c >= 0."""
_OPPOSITE = {
    "greater_than": "less_than_or_equal",
    "greater_than_or_equal": "less_than",
    "less_than": "greater_than_or_equal",
    "less_than_or_equal": "greater_than",
}


@dataclass(frozen=True)
class Mask:
    """A comparison of a loop's body that is open in some iterations.

    Attributes:
        op: The comparison.
        is_true: Its value for all elements in an iteration where it is open.
        opens: The condition under which it is open.
        exact: Conditions under which its operands do not wrap.
    """

    op: ir.Operation
    is_true: bool
    opens: Condition
    exact: tuple[Condition, ...]


def run(module: ir.Operation, options: Options) -> None:
    """Splits the loops of each entry of `module`.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    opened: list[ir.Operation] = []
    for entry in entries(module):
        loops = [op for op in nested_ops(entry) if _is_worth(op) and candidates(op)]
        if not loops:
            continue
        facts = FactsAnalysis(entry)
        found = [(loop, masks_of(loop, facts)) for loop in loops]
        opened += [_split(loop, masks, facts) for loop, masks in found if masks]
    if opened:
        simplify.run(module, options)
        for entry in entries(module):
            drop_added_zeros(entry)


def _is_worth(op: ir.Operation) -> bool:
    """Whether an op is an innermost counted loop with products that nobody split."""
    if op.name not in FOR_LOOPS or _goes_on(op):
        return False
    if flag(op, "unsignedCmp"):  # loop_splitting C2
        return False
    names = {inner.name for inner in nested_ops(op)}
    return not names.isdisjoint(PRODUCTS) and names.isdisjoint(LOOPS)


def _goes_on(loop: ir.Operation) -> bool:
    """Whether a loop begins where another one ended: its author has split it."""
    first = first_carried(loop)[0]
    makers = [defining_op(value) for value in list(loop.operands)[first:]]
    is_second = any(op is not None and op.name in FOR_LOOPS for op in makers)
    return is_second and constant_of(loop.operands[0]) is None


# Masks --------------------------------------------------------------------------------


def candidates(loop: ir.Operation) -> list[ir.Operation]:
    """The comparisons of tiles in the body of a loop that computations use.

    A mask of copies alone does not count: it costs nothing, and a second loop would
    fill the ring again.
    """
    return [
        op
        for op in block_ops(loop.regions[0].blocks[0])
        if op.name == _COMPARE
        and shape_of(op.results[0])
        and not _guards_only_loads(op.results[0])
    ]


def _guards_only_loads(mask: ir.Value) -> bool:
    """Whether only loads use a mask, possibly combined or reshaped."""
    users = [use.owner.operation for use in mask.uses]
    return all(
        user.name in POINTER_LOADS
        or (user.name in _FORWARDS and _guards_only_loads(user.results[0]))
        for user in users
    )


def masks_of(loop: ir.Operation, facts: FactsAnalysis) -> list[Mask]:
    """The masks of a loop that may be open in some iterations and not in others.

    Args:
        loop: The loop.
        facts: The facts of the entry's values.
    """
    counted = counted_loop(loop)
    if counted is None:
        return []
    values = AffineValues(loop.regions[0].blocks[0], counted.index)
    found = [_mask(op, counted, values, facts) for op in candidates(loop)]
    return [mask for mask in found if mask is not None]


def _mask(
    op: ir.Operation, loop: CountedLoop, values: AffineValues, facts: FactsAnalysis
) -> Mask | None:
    predicate = keyword(op, "comparison_predicate")
    if predicate not in _SIGNS:
        return None
    if element_of(op.operands[0]) != element_of(loop.index):  # loop_splitting C1
        return None
    left, right = (values.of(operand) for operand in op.operands)
    if left is None or right is None:
        return None
    is_true = open_value(op.results[0])
    sign, strict = _SIGNS[predicate if is_true else _OPPOSITE[predicate]]
    least = left.plus(right, -1) if sign > 0 else right.plus(left, -1)
    if not least.index or not least.is_small:
        return None
    opens = _condition(least, -strict)
    is_signed = keyword(op, "signedness") == "signed"
    width = ir.IntegerType(element_of(op.operands[0])).width
    first = -(1 << width - 1) if is_signed else 0
    last = (1 << width - 1) - 1
    # loop_splitting C3
    exact = [c for x in (left, right) for c in _exact(x, first, last, loop, facts)]
    return Mask(op, is_true, opens, tuple(exact))


def _exact(
    x: Affine, first: int, last: int, loop: CountedLoop, facts: FactsAnalysis
) -> list[Condition]:
    """Conditions for numbers to lie between two, unless facts show it."""
    low, high = x.low, x.high
    for value, factor in ((loop.index, x.index), *x.terms.items()):
        known = facts.of(value)
        width = ir.IntegerType(element_of(value)).width
        ends = (
            factor * (-(1 << width - 1) if known.low is None else known.low),
            factor * ((1 << width - 1) - 1 if known.high is None else known.high),
        )
        low, high = low + min(ends), high + max(ends)
    found: list[Condition] = []
    if low < first:
        found.append(_condition(x, -first))
    if high > last:
        found.append(_condition(Affine().plus(x, -1), last))
    return found


def _condition(x: Affine, number: int) -> Condition:
    """The condition that a function plus a number is never negative."""
    return Condition(x.index, tuple(x.terms.items()), x.low + number)


# Splitting ----------------------------------------------------------------------------


def _split(
    loop: ir.Operation, masks: Sequence[Mask], facts: FactsAnalysis
) -> ir.Operation:
    """Makes the loops; returns the one whose masks are open."""
    counted = counted_loop(loop)
    assert counted is not None, "masks are found in counted loops only"
    begins = any(mask.opens.index > 0 for mask in masks)
    ends = any(mask.opens.index < 0 for mask in masks)
    conditions = [c for mask in masks for c in (mask.opens, *mask.exact)]
    with ir.InsertionPoint(loop), loop.location:
        bounds = Bounds(counted, facts)
        first, last = bounds.find(conditions, begins=begins, ends=ends)
        start = list(loop.operands)[first_carried(loop)[0] :]
        if first is not None:
            before = _copy(loop, counted.lower, bounds.below(first), start)
            start = list(before.results)
        opened = _copy(
            loop,
            counted.lower if first is None else first,
            counted.upper if last is None else bounds.below(last),
            start,
        )
        after = opened
        if last is not None:
            after = _copy(loop, last, counted.upper, list(opened.results))
    _open(loop, opened, masks)
    for old, new in zip(loop.results, after.results, strict=True):
        old.replace_all_uses_with(new)
    loop.erase()
    return opened


def _copy(
    loop: ir.Operation, lower: ir.Value, upper: ir.Value, start: Sequence[ir.Value]
) -> ir.Operation:
    """A loop with other bounds and initial values, at the insertion point."""
    made = loop.clone().operation
    for number, value in enumerate((lower, upper)):
        made.operands[number] = value
    for number, value in enumerate(start, first_carried(loop)[0]):
        made.operands[number] = value
    return made


def _open(loop: ir.Operation, copy: ir.Operation, masks: Sequence[Mask]) -> None:
    """Replaces the masks by constants in a copy of their loop."""
    places = {op: n for n, op in enumerate(block_ops(loop.regions[0].blocks[0]))}
    ops = block_ops(copy.regions[0].blocks[0])
    for mask in masks:
        twin = ops[places[mask.op]]
        ty = ir.ShapedType(twin.results[0].type)
        flags = ir.DenseElementsAttr.get_splat(ty, ir.BoolAttr.get(mask.is_true))
        constant = ir.Operation.create(
            "cuda_tile.constant",
            results=[twin.results[0].type],
            attributes={"value": flags},
            loc=twin.location,
            ip=ir.InsertionPoint(twin),
        )
        # loop_splitting C7
        twin.results[0].replace_all_uses_with(constant.results[0])
        twin.erase()
