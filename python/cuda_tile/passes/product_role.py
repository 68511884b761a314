# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory become slots of a ring, so that products may get a role.

The ops

    p = settled zero; for k { take; q = start .., p; release }; n = await p; ...

become, still in one role, where that is equally right,

    b = acquire s; p = settled zero; for k { .. }; deposit p to b; publish s
    c = take s; n = load_shared c; release s; ...

The ops before the take can then have their own role. If a loop around computes several
tiles and there are enough columns, the ring has two slots: products of the next tile
run while threads use the sum of this one. Otherwise they wait until it is loaded.
"""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    LayoutAttr,
    RingType,
)
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.liveness import products_of
from cuda_tile.analysis.slots import take_of
from cuda_tile.analysis.tensor_columns import tensor_columns, tensor_products
from cuda_tile.analysis.tensor_sums import awaits_columns
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.async_products import (
    THREADS,
    begins_sum,
    copied_scales_of,
    factors_of,
    scales_of,
    sum_of,
)
from cuda_tile.ir.attributes import text
from cuda_tile.ir.carried import CarriedVariable, ancestor_in
from cuda_tile.ir.copy_plan import TMA
from cuda_tile.ir.plan import read_plan, read_target
from cuda_tile.ir.rings import ring_of
from cuda_tile.ir.scalars import constant, plus
from cuda_tile.ir.tiles import pending_tile, shape_of
from cuda_tile.ir.traits import (
    FOR_LOOPS,
    PRODUCT_WAITS,
    RELEASES,
    RINGS,
    TAKES,
)
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    enclosing_entry,
    enclosing_ops_of,
    nested_ops,
)
from cuda_tile.layout.swizzle import row_major
from cuda_tile.layout.tensor import allocation
from cuda_tile.passes.skew_products import carry_products
from cuda_tile.records import dataclass

_MBARRIERS = "mbarriers"
_SEVERAL = 2
"""Slots of a sum that others wait for: one is multiplied into, one is loaded."""


@dataclass(eq=False)
class ProductRole:
    """The ops of a separate role for products, besides the scalars and loops it needs.

    Attributes:
        ops: Products, and the steps of rings around them.
        zeros: Sums before their first product, each with its tile.
    """

    ops: list[ir.Operation] = field(default_factory=list[ir.Operation])
    zeros: set[ir.Operation] = field(default_factory=set[ir.Operation])


def find_product_role(entry: ir.Operation) -> ProductRole | None:
    """Makes the sums of an entry slots, if a role may have all of its products.

    It may if each sum begins with zero and is awaited once, right after its loops, and
    if only bulk copies fill the slots of operands.

    Args:
        entry: The entry after `ring`, still with one role.
    """
    if not _are_fed_by_copies(tensor_products(entry)):
        return hand_over_columns(entry)
    ends = _ends(entry)
    products = tensor_products(entry)
    awaited = {product for op in ends for product in products_of(op)}
    if not ends or any(s is None for s in ends.values()) or set(products) - awaited:
        return hand_over_columns(entry)
    made = ProductRole()
    slots = _slots_of_sums(entry)
    for end, start in ends.items():
        if start is not None:
            _hand_over(entry, start, end, made, slots)
    for op in products:
        made.ops += [op, *_slots_of(op)]
    return made


def hand_over_columns(entry: ir.Operation) -> None:
    """Makes slots only of the sums that threads load a few columns at a time.

    Args:
        entry: The entry, of one role.
    """
    if any(map(awaits_columns, nested_ops(entry))):
        for end, start in _ends(entry).items():
            if start is not None and any(map(awaits_columns, _users(end))):
                _hand_over(entry, start, end, ProductRole())


def _users(end: ir.Operation) -> list[ir.Operation]:
    return [use.owner.operation for use in end.results[0].uses]


def _ends(entry: ir.Operation) -> dict[ir.Operation, ir.Operation | None]:
    """The awaits of sums in tensor memory, behind their loops, with their zeros."""
    for op in [op for op in nested_ops(entry) if op.name in FOR_LOOPS]:
        carry_products(op)
    products = set(tensor_products(entry))
    awaits = [op for op in nested_ops(entry) if op.name in PRODUCT_WAITS]
    return {op: _start_of(op) for op in awaits if products_of(op) & products}


def _are_fed_by_copies(products: list[ir.Operation]) -> bool:
    """Whether products alone read slots of bulk copies.

    Threads write scale factors that no copy brings.
    """
    if any(len(copied_scales_of(op)) < len(scales_of(op)) for op in products):
        return False
    takes = [take_of(factor) for op in products for factor in factors_of(op)]
    return bool(products) and all(
        take is not None
        and text(ring_of(take), "fill") == TMA
        and text(ring_of(take), "drain") == TCGEN05.op
        and text(ring_of(take), "sync") == _MBARRIERS
        for take in takes
    )


def _slots_of(product: ir.Operation) -> list[ir.Operation]:
    """Takes and releases of the rings that a product reads."""
    rings = {
        take.operands[0]
        for factor in factors_of(product)
        if (take := take_of(factor)) is not None
    }
    users = (use.owner.operation for ring in rings for use in ring.uses)
    return [op for op in users if op.name in TAKES | RELEASES]


def _start_of(end: ir.Operation) -> ir.Operation | None:
    """The `settled` of a zero, in an await's block, that begins its sum; or None."""
    if len(end.operands) != 1:
        return None
    flow, starts = ControlFlow(enclosing_entry(end)), set[ir.Operation]()
    work, seen = [end.operands[0]], set[ir.Value]()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        maker = defining_op(value)
        if maker is not None and begins_sum(maker):
            starts.add(maker)
        elif maker is not None and maker in products_of(end):
            work.append(sum_of(maker))
        else:
            work += flow.incoming(value)
    if len(starts) != 1:
        return None
    (start,) = starts
    is_zero = uniform_bits(start.operands[0]) == 0
    return start if is_zero and start.block == end.block else None


def _hand_over(
    entry: ir.Operation,
    start: ir.Operation,
    end: ir.Operation,
    made: ProductRole,
    slots: int = 1,
) -> None:
    """Puts a ring between the products of a sum and the users of the sum.

    It has several slots if a loop around computes sums for several tiles.
    """
    element, layout = pending_tile(end.operands[0])
    shape = list(layout.shape)
    kind = BufferType.get(shape, element, LayoutAttr.get(row_major(shape).groups()))
    _let_releases_wait(end)
    around, ops = enclosing_ops_of(end), block_ops(body(entry))
    first = next((op for op in ops if op.name in RINGS), ops[0])
    with ir.InsertionPoint(first), end.location:
        zero = constant(0)
        ring = tileas.RingOp(
            RingType.get(slots if around else 1, [kind]),
            TCGEN05.op,
            THREADS,
            _MBARRIERS,
        ).ring
    variable = CarriedVariable(around, end, zero)
    iteration = variable.value
    with ir.InsertionPoint(start), end.location:
        slot = tileas.AcquireOp([kind], ring, iteration).operation
    with ir.InsertionPoint(end), end.location:
        deposit = tileas.DepositOp(end.operands[0], slot.results[0]).operation
        publish = tileas.PublishOp(ring, iteration).operation
        taken = tileas.TakeOp([kind], ring, iteration).operation
    last = _load(end, taken)
    with ir.InsertionPoint.after(last), end.location:
        release = tileas.ReleaseOp(ring, iteration, []).operation
    if around:
        with ir.InsertionPoint.after(release), end.location:
            following = plus(iteration, 1)
        variable.change(release, following)
    end.erase()
    made.ops += [slot, deposit, publish]
    made.zeros |= {start, defining_op(start.operands[0]) or start}


def _let_releases_wait(end: ir.Operation) -> None:
    """Lets releases after an await wait for its products themselves."""
    slots = {step for op in products_of(end) for step in _slots_of(op)}
    behind = block_ops(end.block)[block_ops(end.block).index(end) :]
    for op in [op for op in behind if op in slots and op.name in RELEASES]:
        ring, iteration, *after = op.operands
        with ir.InsertionPoint(op), op.location:
            tileas.ReleaseOp(ring, iteration, [*after, end.operands[0]])
        op.erase()


def _slots_of_sums(entry: ir.Operation) -> int:
    """Slots that each sum may have, with the columns that other CTAs need."""
    ctas = max(1, read_plan(entry).min_ctas)
    found = tensor_columns(entry)
    wanted = allocation(_SEVERAL * found.of_sums + found.scale_columns)
    has_room = wanted * ctas <= read_target(entry).tensor_columns
    return _SEVERAL if has_room else 1


def _load(end: ir.Operation, taken: ir.Operation) -> ir.Operation:
    """Loads a sum, or its columns where they are needed; returns the last load.

    Args:
        end: The await that gives the whole sum.
        taken: The take that gives its slot.
    """
    slot, value, last = taken.results[0], end.results[0], taken
    for op in filter(awaits_columns, _users(end)):
        with ir.InsertionPoint(op), op.location:
            made = tileas.LoadPartOp(op.results[0].type, slot, list(op.operands)[1:])
        op.results[0].replace_all_uses_with(made.tile)
        op.erase()
        top = ancestor_in(end.block, made.operation)
        if top is not None and last.is_before_in_block(top):
            last = top
    if not list(value.uses):
        return last
    with ir.InsertionPoint.after(taken), end.location:
        offsets = [0] * len(shape_of(value))
        whole = tileas.LoadSharedOp(value.type, slot, offsets=offsets).operation
    value.replace_all_uses_with(whole.results[0])
    return whole if last == taken else last
