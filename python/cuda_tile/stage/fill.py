# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads by engines: a buffer and a copy into it replace the load.

The copy replaces the load and fills a buffer of the load's shape. Each product reads
the buffer as its operand, in another shape or with its dimensions in another order if
the program renames the loaded tile. The buffer's layout keeps the elements of one copy
together and is otherwise the best one for the readers. If no product reads the tile,
threads read it back whole, in each layout in which it is used, and compute the operand
from it.

The copy keeps the load's token if it stands for more than other loads: for a write or
an acquire before the loop, or for the preceding grid.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.analysis.access import Access, describe_access
from cuda_tile.analysis.copied_scales import copied_scale_buffer
from cuda_tile.analysis.descriptor_reads import ROLES, Read, copied_buffer
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.operand_sources import (
    CONVERSIONS,
    conversions_of,
    enclosing_loop,
    is_brought_to_threads,
    layout_before,
    most_live_bytes,
    renamed_buffer,
    renamed_uses,
    renames_of,
    source_load,
)
from cuda_tile.analysis.packed_operands import renames_bytes
from cuda_tile.analysis.tensor_maps import map_order
from cuda_tile.analysis.tiling import index_operands, view_operand
from cuda_tile.analysis.tokens import TokenOrder, is_plain_load, token_operand
from cuda_tile.errors import UserError
from cuda_tile.ir.carried import leaves
from cuda_tile.ir.copy_plan import CP_ASYNC, TMA, LoadPlan, read_load
from cuda_tile.ir.cta_pairs import copied_bytes
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, read_plan, read_product
from cuda_tile.ir.rings import slot_bytes_of
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_of,
    layout_of,
    shape_of,
)
from cuda_tile.ir.traits import LOADS, POINTER_LOADS, PRODUCTS, SAME_ELEMENTS, is_pure
from cuda_tile.ir.walk import (
    block_ops,
    enclosing_ops_of,
    location_text,
    nested_ops,
    segments,
)
from cuda_tile.layout.copy_units import UNIT_BYTES
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_copied
from cuda_tile.stage.build import alloc, renamed_view


class Fills:
    """The buffers that engines fill in one entry.

    Args:
        entry: The entry, at level W from `place`.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self._entry = entry
        self._buffers: dict[ir.Operation, ir.Value] = {}
        self._ring_bytes: dict[ir.Operation, int] = {}
        self._in_place: dict[ir.Operation, dict[ir.Operation, list[ir.Operation]]] = {}
        self._computing: set[ir.Block] = set()
        order = TokenOrder(entry)
        plans = {op: read_load(op) for op in nested_ops(entry) if op.name in LOADS}
        copied = {load: plan for load, plan in plans.items() if plan.is_copy}
        self._waits = {
            load: not all(map(is_plain_load, order.before(load))) for load in copied
        }
        facts = FactsOnDemand(entry) if copied else None
        before: ir.Operation | None = None
        for load, plan in copied.items():
            if facts is None:
                continue
            if _is_scattered(load, facts):
                del load.attributes[PLAN_ATTRIBUTE]
                continue
            before = self._fill(load, plan, facts, before)
        for loop, users in self._in_place.items():
            taken = most_live_bytes(loop, users)
            self._ring_bytes[loop] = self._ring_bytes.get(loop, 0) + taken

    @property
    def most_bytes(self) -> int:
        """The most bytes that the rings of one loop take."""
        return max(self._ring_bytes.values(), default=0)

    def bytes_around(self, op: ir.Operation) -> int:
        """Bytes that the rings of the loops around an op take."""
        if not self._ring_bytes:
            return 0
        return sum(self._ring_bytes.get(outer, 0) for outer in enclosing_ops_of(op))

    def buffer(self, operand: ir.Value) -> ir.Value | None:
        """The buffer that holds an operand of a product, renamed as the operand.

        Its elements are not converted yet if the program converts them. None if no
        engine copies the operand. Inserts at the current point.
        """
        load = source_load(operand)
        if load is None or load not in self._buffers:
            return None
        buffer = self._buffers[load]
        return renamed_view(buffer, renamed_buffer(buffer_layout_of(buffer), operand))

    def computes_in(self, block: ir.Block) -> bool:
        """Whether threads of a block compute operands from copied tiles."""
        return block in self._computing

    def finish(self) -> None:
        """Erases the loads, once all products read the buffers."""
        for load in self._buffers:
            _erase_unused(load.results[0])
            token = load.results[1]
            if list(token.uses):  # only ops that read wait for it
                with ir.InsertionPoint(load), load.location:
                    given = token_operand(load) or cuda_tile.MakeTokenOp().result
                token.replace_all_uses_with(given)
            load.erase()

    def _fill(
        self,
        load: ir.Operation,
        plan: LoadPlan,
        facts: FactsAnalysis,
        before: ir.Operation | None,
    ) -> ir.Operation:
        """Makes the buffer of a load, and its copy; returns the copy.

        Args:
            load: The load.
            plan: The plan of the load.
            facts: The facts of the entry.
            before: The copy of the load before it.
        """
        tile = load.results[0]
        access = describe_access(load, facts)
        n_warps = read_plan(self._entry).num_warps
        shared = _layout(load, plan, access, n_warps)
        is_computed = is_brought_to_threads(load)
        with load.location:
            point = ir.InsertionPoint(load)
            needed = _made_behind(load, before) if is_computed else None
            if before is not None and needed is not None:  # so that they share a ring
                for op in needed:
                    op.move_after(before)
                    before = op
                point = ir.InsertionPoint.after(before)
            with point:
                buffer = alloc(element_of(tile), shared)
                token = token_operand(load) if self._waits[load] else None
                copy = _copy(load, plan, buffer, token)
            if is_computed:
                self._computing.add(load.block)
                with ir.InsertionPoint(load):
                    _read_back(load, buffer)
        self._buffers[load] = buffer
        loop = enclosing_loop(load) or self._entry
        if plan.engine == CP_ASYNC and not plan.ahead:  # its bytes are free afterwards
            users = [user for user, _ in renamed_uses(tile) if user.name in PRODUCTS]
            self._in_place.setdefault(loop, {})[load] = users
            return copy
        taken = plan.slots * slot_bytes_of([copied_bytes(load)])
        self._ring_bytes[loop] = self._ring_bytes.get(loop, 0) + taken
        return copy


def _is_scattered(load: ir.Operation, facts: FactsAnalysis) -> bool:
    """Whether a layout separates pointers to neighbours that a copy would join.

    `place` chose the layout for ops that compute with the tile: then threads load it.
    """
    if load.name not in POINTER_LOADS or not is_brought_to_threads(load):
        return False
    access = describe_access(load, facts)
    count = access.vector_in(layout_of(load.operands[0]))
    return count * access.element_bytes < UNIT_BYTES[0]


def _made_behind(
    load: ir.Operation, copy: ir.Operation | None
) -> list[ir.Operation] | None:
    """The ops after an earlier copy in the block that a load needs, in order.

    None if some are not pure, if the block has no copy, or if control may leave the
    block in between.
    """
    if copy is None or copy.block != load.block:
        return None
    wanted = set(load.operands)
    found: list[ir.Operation] = []
    ops = block_ops(copy.block)
    for op in reversed(ops[ops.index(copy) + 1 : ops.index(load)]):
        if leaves(op):
            return None
        if wanted.isdisjoint(op.results):
            continue
        if not is_pure(op):
            return None
        wanted.update(op.operands)
        found.append(op)
    return found[::-1]


def _read_back(load: ir.Operation, buffer: ir.Value) -> None:
    """Reads a copied tile to registers, in each layout in which it is used."""
    tile = load.results[0]
    origin = [0] * len(shape_of(tile))
    read: dict[ir.Type, ir.Value] = {}
    for use in list(tile.uses):
        user = use.owner.operation
        is_moved = user.name == "tileas.convert_layout"
        kind = user.results[0].type if is_moved else tile.type
        if kind not in read:
            read[kind] = tileas.LoadSharedOp(kind, buffer, offsets=origin).result
        if is_moved:
            user.results[0].replace_all_uses_with(read[kind])
            user.erase()
        else:
            user.operands[use.operand_number] = read[kind]


def _copy(
    load: ir.Operation, plan: LoadPlan, buffer: ir.Value, token: ir.Value | None
) -> ir.Operation:
    """Makes the copy that replaces a load.

    Args:
        load: The load.
        plan: The plan of the load.
        buffer: The buffer to fill.
        token: The token that it waits for, if that stands for more than other loads.
    """
    result = load.results[1].type
    if load.name in POINTER_LOADS:
        pointers, masks = segments(load)[:2]
        mask = masks[0] if masks else None
        made = tileas.GatherInOp(result, pointers[0], buffer, mask=mask, token=token)
    else:
        view, indices = view_operand(load), index_operands(load)
        made = tileas.CopyInOp(result, view, indices, buffer, plan.engine, token=token)
    for name in ("inbounds", "tileas.plan"):
        if name in load.attributes:
            made.operation.attributes[name] = load.attributes[name]
    return made.operation


def _layout(
    load: ir.Operation, plan: LoadPlan, access: Access, n_warps: int
) -> SharedLayout:
    """The layout of the buffer of a load.

    Instructions that read shared memory need panels of a swizzle, whatever else reads
    the tile; bulk copies write them. Scale factors have the form in which they are
    copied on to tensor memory.
    """
    tile = load.results[0]
    if (scales := copied_scale_buffer(load)) is not None:
        return scales
    bits = element_bits(element_of(tile))
    reads = _reads(tile)
    if plan.engine == TMA:
        order = map_order(view_operand(load))
        return copied_buffer(tile, order[0] if order else 0, reads)
    products = [user for user, _ in renamed_uses(tile) if user.name in PRODUCTS]
    if any(read_product(product).engine.reads_shared for product in products):
        return copied_buffer(tile, access.fastest, reads)
    writer = access.best_layout(n_warps)
    unit = min(access.vector, shape_of(tile)[access.fastest])
    readers = _readers(load)
    return choose_copied(shape_of(tile), bits, writer, readers, unit, access.fastest)


def _reads(tile: ir.Value) -> list[Read]:
    """The operands that instructions read from the copy of a loaded tile."""
    found: list[Read] = []
    for user, index in renamed_uses(tile):
        if user.name not in PRODUCTS:
            continue
        plan, operand = read_product(user), user.operands[index]
        is_brought = plan.lhs == "register" and index == plan.swap
        if (
            plan.engine.reads_shared
            and not is_brought
            and ROLES[index] not in plan.convert
            and not conversions_of(operand)
        ):
            found.append(Read(operand, index, plan))
    return found


def _readers(load: ir.Operation) -> tuple[LinearLayout, ...]:
    """The layouts in which products read a loaded tile, in the tile's own shape.

    Threads that compute with the tile read it in the layouts of its uses.

    Raises:
        UserError: Both products and other ops read it.
    """
    if is_brought_to_threads(load):
        return _used_layouts(load.results[0])
    readers: dict[LinearLayout, None] = {}
    for user, index in renamed_uses(load.results[0]):
        if user.name not in PRODUCTS or index > 1:
            raise UserError(
                "expected a load whose tile only products read where its plan names "
                f"an engine, got one that '{user.name}' reads",
                location_text(load),
            )
        layout = layout_of(user.operands[index])
        for op in renames_of(user.operands[index]):
            layout = layout_before(op, layout)
        readers[layout] = None
    return tuple(readers)


def _used_layouts(tile: ir.Value) -> tuple[LinearLayout, ...]:
    """The layouts in which a tile is used: its own, and those it is converted to."""
    users = [use.owner.operation for use in tile.uses]
    used = [
        layout_of(user.results[0] if user.name == "tileas.convert_layout" else tile)
        for user in users
    ]
    return tuple(dict.fromkeys(used or [layout_of(tile)]))


def _erase_unused(value: ir.Value) -> None:
    """Erases unused renamings of a value."""
    for use in list(value.uses):
        owner = use.owner.operation
        if owner.name in SAME_ELEMENTS | CONVERSIONS or renames_bytes(owner):
            _erase_unused(owner.results[0])
            if not list(owner.results[0].uses):
                owner.erase()
