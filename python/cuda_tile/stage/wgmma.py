# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of warpgroups: its operands in buffers that matrix descriptors describe.

The instructions read shared memory themselves, so there are no slices to load: one
`wgmma` starts all of them, an `await` right after it gives the tile. `skew` and `issue`
move them apart.

Contract `converted_operands`
    Law: a product reads from a slot what threads stored there before they published it:
    what it would have read of its operand, each element converted by itself.

    | | condition | near misses |
    |---|---|---|
    | C1 types | one operand of 16 bits is converted, or two of 8 | both_are_bytes |
    | C2 types | the instruction cannot read it as it was copied | read_as_it_lies |
    | C3 flags | conversions keep theirs | unsigned_bytes |
    | C4 values | conversions are those of the program | floats, floats_with_nans |
    | C5 order | an engine copies it, by the contract of copies | acquire_of_the_loop |
    | | | acquire_before_the_loop |
    | - blocks | slots are of one tile block | |
    | - indices | the second ring has the iterations of the first one | |
    | - aliasing | nothing else names the slots | |
    | C6 captures | products alone use the tile | bytes_that_something_else_uses |
    | C7 extents | warpgroups have rows enough | few_rows |
    | C8 extents | each iteration fills a slot and drains it | no_iteration |
    | | | one_iteration, odd_extents |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    PendingType,
)
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.descriptor_reads import ROLES, count_of, readable_buffer
from cuda_tile.analysis.left_operands import TRANSPOSED, left_layout
from cuda_tile.analysis.operand_sources import conversions_of
from cuda_tile.constants import CONVERTED_SLOTS
from cuda_tile.engines.engine import Atom
from cuda_tile.engines.wgmma import WGMMA, as_wgmma
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    ProductPlan,
    plan_attribute,
    read_plan,
)
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_of,
    layout_of,
    tile_type,
)
from cuda_tile.ir.traits import BUFFER_STORES
from cuda_tile.ir.walk import enclosing_entry, location_text
from cuda_tile.layout.converting import choose_converting
from cuda_tile.layout.descriptors import describe
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.stage.build import alloc, converted_as, permute, renamed_view
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.fill import Fills
from cuda_tile.stage.operands import StagedOperands
from cuda_tile.stage.staging import SIGNS, STAGING, Staging


@STAGING.register(WGMMA.name)
def stage_wgmma(op: ir.Operation, plan: ProductPlan, staging: Staging) -> ir.Value:
    """Starts a product at the current point and awaits it; gives its tile.

    Raises:
        UserError: A plan by hand asks for an instruction that cannot read an operand.
    """
    buffers, fills = staging.buffers, staging.fills
    sides = [
        _in_registers(op, plan, fills)
        if index == plan.swap and plan.lhs == "register"
        else _side_in_shared(op, index, plan, buffers, fills)
        for index in (0, 1)
    ]
    acc = op.operands[2]
    if plan.swap:
        sides, acc = sides[::-1], permute(acc, TRANSPOSED)
    pending = PendingType.get(acc.type)
    start = tileas.SettledOp(pending, acc).result  # transposed_products C5
    lhs, rhs = sides
    made = tileas.WgmmaOp(pending, lhs, rhs, start, plan.atom.name)
    # transposed_products C3
    kept = (*(SIGNS[::-1] if plan.swap else SIGNS), PLAN_ATTRIBUTE)
    for name, source in zip((*SIGNS, PLAN_ATTRIBUTE), kept, strict=True):
        if source in op.attributes:
            made.operation.attributes[name] = op.attributes[source]
    if plan.promote:  # what a plan by hand may leave to the default
        known = {a.name: a.attr for a in ir.DictAttr(op.attributes[PLAN_ATTRIBUTE])}
        i64 = ir.IntegerType.get_signless(64)
        known["promote"] = ir.IntegerAttr.get(i64, plan.promote)
        made.operation.attributes[PLAN_ATTRIBUTE] = ir.DictAttr.get(known)
    done = tileas.AwaitOp([acc.type], [made.result]).operation.results[0]
    return permute(done, TRANSPOSED) if plan.swap else done


def _side_in_shared(
    op: ir.Operation,
    index: int,
    plan: ProductPlan,
    buffers: StagedOperands,
    fills: Fills,
) -> ir.Value:
    """The buffer that holds an operand, as instructions read it."""
    buffer = _in_shared(op, index, plan, buffers, fills)
    return _transposed(buffer) if plan.swap else buffer


def _transposed(buffer: ir.Value) -> ir.Value:
    """The transpose of a matrix in a buffer: a view of the same bytes."""
    return renamed_view(buffer, buffer_layout_of(buffer).permute(TRANSPOSED))


def _in_registers(op: ir.Operation, plan: ProductPlan, fills: Fills) -> ir.Value:
    """The operand that instructions read from registers: as it is, or from a slot."""
    operand = op.operands[plan.swap]
    filled = fills.buffer(operand)
    if filled is None:
        return permute(operand, TRANSPOSED) if plan.swap else operand
    layout = left_layout(op, plan, layout_of(op.operands[2]))
    if plan.swap:
        filled, layout = _transposed(filled), layout.permute(TRANSPOSED)
    return _loaded(operand, filled, layout)


def _loaded(operand: ir.Value, filled: ir.Value, layout: LinearLayout) -> ir.Value:
    """An operand from the buffer that a copy fills, with its elements converted."""
    kind = tile_type(BufferType(filled.type).element_type, layout)
    tile = tileas.LoadSharedOp(kind, filled, offsets=[0] * layout.rank).result
    # converted_operands C3, C4; transposed_products C4
    return converted_as(tile, conversions_of(operand), layout)


def _in_shared(
    op: ir.Operation,
    index: int,
    plan: ProductPlan,
    buffers: StagedOperands,
    fills: Fills,
) -> ir.Value:
    """The buffer that holds an operand."""
    operand, role = op.operands[index], ROLES[index ^ plan.swap]
    bits, atom = element_bits(element_of(operand)), as_wgmma(plan.atom)
    filled = fills.buffer(operand)
    if filled is not None and ROLES[index] in plan.convert:
        return _converted(op, index, plan, filled)
    if filled is not None:
        if conversions_of(operand):
            raise refuse(op, index, atom, "it is converted after it was loaded")
        shared = buffer_layout_of(filled)
        shared = shared.permute(TRANSPOSED) if plan.swap else shared
        found = describe(shared, bits, role, count_of(plan, role))
        if isinstance(found, str):
            raise refuse(op, index, atom, found)
        return filled
    source = conversion_source(operand) or operand
    near = near_dim(layout_of(source))
    layout = readable_buffer(op, index, plan, near)
    if layout is None:
        raise refuse(op, index, atom, "its rows are too short")
    buffer = buffers.buffer(op, source, layout)
    if ROLES[index] in plan.convert and fills.computes_in(op.block):
        _give_slots(buffer)
    return buffer


def near_dim(layout: LinearLayout) -> int:
    """The dimension along which neighbours of a matrix are stored together.

    The neighbours are in one thread, or else in neighbouring lanes.

    Args:
        layout: The layout of the matrix in registers.
    """
    for bases in (layout.register, layout.lane):
        for dim in (0, 1):
            if bases and bases[0][dim] == 1:
                return dim
    return 1


def _converted(
    op: ir.Operation, index: int, plan: ProductPlan, filled: ir.Value
) -> ir.Value:
    """A buffer to which threads move an operand from the buffer of a copy.

    They convert its elements on the way, or transpose it to lie along K.
    """
    operand = op.operands[index]
    bits, near = element_bits(element_of(operand)), 1 - index
    source = buffer_layout_of(filled)
    if bits == 16:  # instructions read it along either dimension
        near = next(d for d, step in enumerate(source.offset[0]) if step)
    target = readable_buffer(op, index, plan, near)
    if target is None:
        raise refuse(op, index, plan.atom, "its rows are too short")
    stored = BufferType(filled.type).element_type
    n_warps = read_plan(enclosing_entry(op)).num_warps
    layout = choose_converting((source, element_bits(stored)), (target, bits), n_warps)
    tile = _loaded(operand, filled, layout)
    buffer = alloc(element_of(operand), target)
    tileas.StoreSharedOp(tile, buffer)
    _give_slots(buffer)  # converted_operands C8
    return buffer


def _give_slots(buffer: ir.Value) -> None:
    """Lets threads store to a buffer's next slot while a product reads this one."""
    for use in buffer.uses:
        store = use.owner.operation
        if store.name in BUFFER_STORES:
            slots = {"slots": CONVERTED_SLOTS, "ahead": 0}
            store.attributes[PLAN_ATTRIBUTE] = plan_attribute(slots)


def refuse(op: ir.Operation, index: int, atom: Atom, why: str) -> UserError:
    """The message that an instruction cannot read an operand where a plan wants it.

    Args:
        op: The product.
        index: Which operand.
        atom: The instruction.
        why: The reason.
    """
    side = ("left", "right")[index]
    return UserError(
        f"expected a {side} operand that atom {atom.name} can read from shared memory: "
        f"{why}; plan an atom of mma.sync",
        location_text(op),
    )
