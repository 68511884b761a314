# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a tile that update one place are combined before one update is made.

Contract: in and out, verified level T. The pass decides nothing.

Relaxed atomics on integers whose results are unused may run in any order, and several
may become one: other threads see a state that one of the orders leads to. If facts say
that groups of pointers are equal, because they come from one pointer or from an index
that is equal along a dimension, a reduction combines each group's operands, like any
other reduction: in registers, lanes, then warps. One update remains for each group.

Masked elements count as the identity. A group whose result is the identity is not
updated, so that a group without elements touches no memory. If the mask, too, is equal
in each group, it masks the groups instead.

Warps combine in shared memory, although each of them could make its own update: the L2
cache performs updates of one place one after another, and a counter that every tile
block updates would get as many times more updates as there are warps.

Contract `combine_atomics`
    Law: op(op(m, x), y) = op(m, op(x, y)) where op is associative and commutative.

    | | condition | near misses |
    |---|---|---|
    | C1 types | integers of 32 or 64 bits: no sums that are rounded | floats |
    | C2 flags | the mode is a sum, an extremum or of bits, no exchange | exchange |
    | C3 values | nobody uses the old numbers | used |
    | C4 values | an element that the mask leaves out changes nothing | masked, |
    | | | masked_least, masked_groups |
    | C5 order | relaxed: no update releases or acquires | release, |
    | | | acquire, both_orders |
    | - blocks | others see what one of the orders of all updates leads to | |
    | - indices | places are compared by what made them, modulo 2^64 | |
    | C6 extents | groups are boxes of equal pointers along each dimension | columns, |
    | | | no_groups |
    | C7 aliasing | the pointers of a group are surely equal | many_places, |
    | | | loaded_places |
    | - captures | pointers are made of the atomic's own, or of their sources | |
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.bins import identity_of, may_join
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.scalars import constant
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import is_pure
from cuda_tile.ir.walk import defining_op, nested_ops, segments
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.group_leaders import GroupLeaders, Groups
from cuda_tile.rewrites.group_reduction import reduce_groups


@each_kernel
def run(entry: ir.Operation) -> None:
    """Combines the atomics of an entry."""
    found = [op for op in nested_ops(entry) if may_join(op)]
    if found:
        _combine(found, FactsOnDemand(entry))


def _combine(found: Sequence[ir.Operation], facts: FactsOnDemand) -> None:
    """Rewrites atomics with equal pointers as reductions with fewer updates."""
    known = [(op, _groups(op, facts)) for op in found]
    old: list[ir.Value] = []
    for op, groups in known:
        if prod(groups) > 1:
            with ir.InsertionPoint(op), op.location:
                old += _join(op, groups, GroupLeaders(facts))
    _erase_unused(old)


def _groups(op: ir.Operation, facts: FactsOnDemand) -> Groups:
    """How many elements along each dimension surely have one pointer."""
    known = facts.of(op.operands[0])
    return known.constancy  # combine_atomics C6, C7


def _join(op: ir.Operation, groups: Groups, leaders: GroupLeaders) -> list[ir.Value]:
    """Makes one update for each group, if the groups' pointers can be computed.

    Returns:
        The operands of the atomic that may now be unused; none if it stays.
    """
    (pointers,), (value,), masks, _ = segments(op)
    if not leaders.can(pointers, groups):
        return []
    mode, element = keyword(op, "mode"), element_of(value)
    assert isinstance(element, ir.IntegerType), "only integers are joined"
    none = identity_of(mode, element.width)
    few = None
    if masks and leaders.are_equal(masks[0], groups) and leaders.can(masks[0], groups):
        few = leaders.make(masks[0], groups)
    elif masks:
        nothing = constant(none, value.type)  # combine_atomics C4
        value = cuda_tile.SelectOp(masks[0], value, nothing).result
    total = reduce_groups(value, groups, mode)
    if masks and few is None:
        few = _differs(total, none)
    tokens = segments(op)[3]
    made = cuda_tile.AtomicRMWTkoOp(
        op.attributes["memory_ordering_semantics"],
        op.attributes["memory_scope"],
        leaders.make(pointers, groups),
        op.attributes["mode"],
        total,
        mask=few,
        token=tokens[0] if tokens else None,
    )
    op.results[1].replace_all_uses_with(made.operation.results[1])
    op.erase()
    return [pointers, *masks]


def _erase_unused(values: Sequence[ir.Value]) -> None:
    """Erases ops that compute unused values, since `place` would lay them out."""
    work = {defining_op(value) for value in values}
    while work:
        op = work.pop()
        if op is None or not is_pure(op) or any(list(r.uses) for r in op.results):
            continue
        work |= {defining_op(value) for value in op.operands}
        op.erase()


def _differs(total: ir.Value, none: int) -> ir.Value:
    """A tile of i1: whether each element differs from the identity."""
    flags = TileType.get(list(shape_of(total)), ir.IntegerType.get_signless(1))
    nothing = constant(none, total.type)
    return cuda_tile.CmpIOp(flags, "not_equal", total, nothing, "signed").result
