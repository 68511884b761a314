# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of warpgroups: its operands in buffers that matrix descriptors describe.

The instructions read shared memory themselves, so there are no slices to load: one
`wgmma` starts all of them, an `await` right after it gives the tile. `skew` and `issue`
move them apart.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.feeds import conversions_of
from cuda_tile.analysis.warpgroups import ROLES, count_of, operand_buffer
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import CONVERTED_SLOTS
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, ProductPlan, plan_attribute, read_plan
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_of,
    layout_of,
    shape_of,
    tile_type,
)
from cuda_tile.ir.walk import enclosing_entry, location_text
from cuda_tile.layout.converting import choose_converting
from cuda_tile.layout.descriptors import describe
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.wgmma import WgmmaAtom
from cuda_tile.stage.build import alloc
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.fill import Fills
from cuda_tile.stage.operands import StagedOperands


def stage_wgmma(
    op: ir.Operation,
    plan: ProductPlan,
    atom: WgmmaAtom,
    buffers: StagedOperands,
    fills: Fills,
) -> ir.Value:
    """Starts a product at the current point and awaits it; gives its tile.

    Args:
        op: The product.
        plan: How it is computed.
        atom: The instruction.
        buffers: The operands staged so far; more are added.
        fills: The operands that engines bring.

    Raises:
        UserError: A plan by hand asks for an instruction that cannot read an operand.
    """
    if plan.lhs == "register" and fills.buffer(op.operands[0]) is not None:
        raise UserError(
            f"expected lhs = shared in '{PLAN_ATTRIBUTE}' of a product whose left "
            "operand is copied to shared memory, got 'register'; plan its load with "
            "engine = threads",
            location_text(op),
        )
    sides = [
        op.operands[0]
        if index == 0 and plan.lhs == "register"
        else _in_shared(op, index, plan, buffers, fills)
        for index in (0, 1)
    ]
    acc = op.operands[2]
    pending = PendingType.get(acc.type)
    start = tileas.SettledOp(pending, acc).result
    lhs, rhs = sides
    made = tileas.WgmmaOp(pending, lhs, rhs, start, atom.name)
    for name in ("signedness_lhs", "signedness_rhs", PLAN_ATTRIBUTE):
        if name in op.attributes:
            made.operation.attributes[name] = op.attributes[name]
    if plan.promote:  # what a plan by hand may leave to the default
        known = {a.name: a.attr for a in ir.DictAttr(op.attributes[PLAN_ATTRIBUTE])}
        i64 = ir.IntegerType.get_signless(64)
        known["promote"] = ir.IntegerAttr.get(i64, plan.promote)
        made.operation.attributes[PLAN_ATTRIBUTE] = ir.DictAttr.get(known)
    return tileas.AwaitOp([acc.type], [made.result]).operation.results[0]


def _in_shared(
    op: ir.Operation,
    index: int,
    plan: ProductPlan,
    buffers: StagedOperands,
    fills: Fills,
) -> ir.Value:
    """The buffer that holds an operand."""
    operand, role = op.operands[index], ROLES[index]
    bits, atom = element_bits(element_of(operand)), plan.atom
    assert isinstance(atom, WgmmaAtom)
    filled = fills.buffer(operand)
    if filled is not None and role in plan.convert:
        return _converted(op, index, atom, filled)
    if filled is not None:
        if conversions_of(operand):
            raise _refuse(op, index, atom, "it is converted after it was loaded")
        found = describe(buffer_layout_of(filled), bits, role, count_of(atom, role))
        if isinstance(found, str):
            raise _refuse(op, index, atom, found)
        return filled
    source = conversion_source(operand) or operand
    near = _near_dim(layout_of(source))
    layout = operand_buffer(shape_of(source), bits, role, atom, near)
    if layout is None:
        raise _refuse(op, index, atom, "its rows are too short")
    buffer = buffers.buffer(op, source, layout)
    if role in plan.convert and fills.computes_in(op.block):
        _give_slots(buffer)
    return buffer


def _near_dim(layout: LinearLayout) -> int:
    """The dimension along which neighbours of a matrix are stored together.

    They are in one thread, or else in neighbouring lanes.
    """
    for bases in (layout.register, layout.lane):
        for dim in (0, 1):
            if bases and bases[0][dim] == 1:
                return dim
    return 1


def _converted(
    op: ir.Operation, index: int, atom: WgmmaAtom, filled: ir.Value
) -> ir.Value:
    """A buffer to which threads take an operand from the one that a copy fills.

    They convert its elements, or turn it to lie along K, on the way.
    """
    operand, role = op.operands[index], ROLES[index]
    bits, near = element_bits(element_of(operand)), 1 - index
    source = buffer_layout_of(filled)
    if bits == 16:  # read along either dimension: as it lies
        near = next(d for d, step in enumerate(source.offset[0]) if step)
    target = operand_buffer(shape_of(operand), bits, role, atom, near)
    if target is None:
        raise _refuse(op, index, atom, "its rows are too short")
    stored = BufferType(filled.type).element_type
    n_warps = read_plan(enclosing_entry(op)).num_warps
    layout = choose_converting((source, element_bits(stored)), (target, bits), n_warps)
    kind = tile_type(stored, layout)
    tile = tileas.LoadSharedOp(kind, filled, offsets=[0] * len(layout.shape)).result
    for conversion in conversions_of(operand):
        made = conversion.clone()
        made.operands[0] = tile
        tile = made.results[0]
        tile.set_type(tile_type(element_of(conversion.results[0]), layout))
    buffer = alloc(element_of(operand), target)
    tileas.StoreSharedOp(tile, buffer)
    _give_slots(buffer)
    return buffer


def _give_slots(buffer: ir.Value) -> None:
    """Lets threads store to a buffer's next slot while a product reads this one."""
    for use in buffer.uses:
        store = use.owner.operation
        if store.name == "tileas.store_shared":
            slots = {"slots": CONVERTED_SLOTS, "ahead": 0}
            store.attributes[PLAN_ATTRIBUTE] = plan_attribute(slots)


def _refuse(op: ir.Operation, index: int, atom: WgmmaAtom, why: str) -> UserError:
    side = ("left", "right")[index]
    return UserError(
        f"expected a {side} operand that atom {atom.name} can read from shared memory: "
        f"{why}; plan an atom of mma.sync",
        location_text(op),
    )
