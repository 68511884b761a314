# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product reads its operands from shared memory one K-slice at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.operand_sources import conversions_of
from cuda_tile.engines.fma import FMA
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.engines.short_sums import pieces_of_sums
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    ProductPlan,
    add_remark,
    extents_of,
    plan_attribute,
    slice_depth,
)
from cuda_tile.ir.shared_loads import LOAD, mark_as_again
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    layout_of,
    shape_of,
    tile_bytes,
    tile_type,
)
from cuda_tile.ir.walk import defining_op, enclosing_entry, location_text
from cuda_tile.layout.atoms import Role
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import TilePart
from cuda_tile.layout.swizzle import choose_swizzle
from cuda_tile.records import dataclass
from cuda_tile.stage.build import add, alloc, converted_as, extract, zeros
from cuda_tile.stage.conversion import buffer_layout, conversion_source
from cuda_tile.stage.operands import StagedOperands
from cuda_tile.stage.pieces import Pieces
from cuda_tile.stage.staging import SIGNS, STAGING, Staging

SLICED: dict[int, tuple[Role, int]] = {
    0: ("a", -1),
    1: ("b", -2),
    3: ("sa", -1),
    4: ("sb", -2),
}
"""Operands that have a dimension along K: what they are, and which it is."""

Slicer = Callable[[int, int], ir.Value]
"""Makes the slice of an operand of a number, counted along K, for a piece of sums."""


@STAGING.register(MMA_SYNC.name, FMA.name)
def _stage_slices(op: ir.Operation, plan: ProductPlan, staging: Staging) -> ir.Value:
    """The product by `mma_sync`: whole, or by slices of its staged operands."""
    operands = list(op.operands)
    filled = {
        index: buffer
        for index in (0, 1)
        if (buffer := staging.fills.buffer(operands[index])) is not None
    }
    staged = {
        index: source
        for index in SLICED
        if index < len(operands)
        and index not in filled
        and (source := conversion_source(operands[index])) is not None
    }
    if not staged and not filled:
        return _multiply(op, plan, operands, plan.promote)
    room = staging.limit_bytes - staging.fills.bytes_around(op)
    return _sliced_product(op, plan, staging.buffers, (filled, staged), room)


def _multiply(
    op: ir.Operation, plan: ProductPlan, operands: list[ir.Value], promote: int = 0
) -> ir.Value:
    """`mma_sync` of some slices of the product `op`.

    Args:
        op: The product.
        plan: The plan of the product.
        operands: The slices, and the sum so far.
        promote: Elements along K after which it promotes partial sums itself.
    """
    lhs, rhs, acc, *scales = operands
    made = tileas.MmaSyncOp(acc.type, lhs, rhs, acc, scales, atom=plan.atom.name)
    for name in SIGNS:
        if name in op.attributes:
            made.operation.attributes[name] = op.attributes[name]
    if promote:
        made.operation.attributes[PLAN_ATTRIBUTE] = plan_attribute({"promote": promote})
    return made.result


def _sliced_product(
    op: ir.Operation,
    plan: ProductPlan,
    buffers: StagedOperands,
    in_shared: tuple[dict[int, ir.Value], dict[int, ir.Value]],
    limit_bytes: int,
) -> ir.Value:
    """The product as one `mma_sync` per K-slice.

    Args:
        op: The product.
        plan: The plan of the product.
        buffers: The operands staged so far.
        in_shared: By operand, the buffer that an engine fills, or the tile that is to
            be stored to one. Other operands are in registers already: slicing renames
            them.
        limit_bytes: Shared memory of a CTA.
    """
    filled, staged = in_shared
    count = extents_of(op)[2] // slice_depth(op, plan.atom)
    pieces = _pieces(op, plan)
    sliced = {
        index: Sliced.of(op.operands[index], plan, role, dim, count)
        for index, (role, dim) in SLICED.items()
        if index < len(op.operands)
    }
    layouts = {i: buffer_layout(v, sliced[i].layout) for i, v in staged.items()}
    late = {
        i: v
        for i, v in staged.items()
        if buffers.find(op, v, layouts[i]) is None and not buffers.is_hoisted(op, v)
    }
    n_bytes, parts = sum(map(tile_bytes, late.values())), 1
    if n_bytes > limit_bytes - buffers.held_bytes:
        room_bytes = limit_bytes - buffers.held_bytes - buffers.room_bytes
        while parts < count and n_bytes > parts * room_bytes:
            parts *= 2
        add_remark(
            enclosing_entry(op),
            f"{location_text(op)}: wanted {n_bytes} bytes of shared memory for "
            f"operands, got them in {parts} parts along K: a CTA has {limit_bytes}; "
            "smaller tiles need fewer",
        )
    cut = late if parts > 1 else {}
    pieces = None if cut or count == 1 else pieces
    if pieces is not None and pieces.count > 1:
        index = 2 + pieces.dim
        sliced[index] = sliced[index].cut(pieces, plan, SLICED[index][0])
    slicers: dict[int, Slicer] = {}
    for index, operand in sliced.items():
        source = staged.get(index)
        if index in filled:
            converted = replace(operand, made_by=conversions_of(op.operands[index]))
            slicers[index] = partial(converted.load, filled[index])
        elif source is None:
            slicers[index] = operand.extract
        elif index in cut:
            slicers[index] = _Parts(operand, source, parts).load
        else:
            buffer = buffers.buffer(op, source, layouts[index])
            slicers[index] = partial(operand.load, buffer)
    if pieces is not None:
        return _sum_in_pieces(op, plan, slicers, count, pieces)
    return _sum_of_slices(op, plan, slicers, count)


def _sum_of_slices(
    op: ir.Operation, plan: ProductPlan, slicers: dict[int, Slicer], count: int
) -> ir.Value:
    """The sum of a product and of the products of its slices.

    A partial sum that is promoted is the sum of one slice.
    """
    total = op.operands[2]
    for number in range(count):
        operands = [
            slicers[index](number, 0) if index in slicers else total
            for index in range(len(op.operands))
        ]
        total = _multiply(op, plan, operands, plan.promote)
    return total


def _pieces(op: ir.Operation, plan: ProductPlan) -> Pieces | None:
    """How the partial sums of several slices are cut; None if there are none."""
    if plan.promote <= slice_depth(op, plan.atom):
        return None
    shape = shape_of(op.results[0])
    found = pieces_of_sums(shape, plan.warps, plan.warp_atom)
    dim, count = found or (-1, 1)
    return Pieces(dim, count, plan.warps[2 + dim])


def _sum_in_pieces(
    op: ir.Operation,
    plan: ProductPlan,
    slicers: dict[int, Slicer],
    count: int,
    pieces: Pieces,
) -> ir.Value:
    """The sum of a product and of the partial sums of several slices.

    A partial sum is a separate tile, a piece of the result, which an addition adds to
    the sum. An operand that all pieces share (A, if columns are cut) is read again for
    each piece, since there are no registers to keep it.
    """
    whole = op.operands[2]
    shape = pieces.shape_of_one(shape_of(whole))
    layout = tile_mma(shape, plan.warps, "c", plan.warp_atom)
    numbers = range(pieces.count)
    first = [0] * layout.rank
    totals = [pieces.of_tile(whole, first, number, layout) for number in numbers]
    in_part = plan.promote // slice_depth(op, plan.atom)
    other = -1 - pieces.dim  # the operand, A or B, that is not cut
    for first in range(0, count, in_part):
        for piece in numbers:
            part = zeros(totals[piece])  # promotion C4
            # promotion C7
            for number in range(first, min(first + in_part, count)):
                operands = [slicers[index](number, piece) for index in (0, 1)]
                if piece and number == first:
                    _mark_again(operands[other])
                part = _multiply(op, plan, [*operands, part])
            totals[piece] = add(totals[piece], part)
    return pieces.join(totals, whole)


def _mark_again(operand: ir.Value) -> None:
    """Marks the load of an operand, if there is one, as a repeated load."""
    source = defining_op(operand)
    while source is not None and source.name != LOAD and len(source.operands):
        source = defining_op(source.operands[0])
    if source is not None and source.name == LOAD:
        mark_as_again(source)


@dataclass(frozen=True)
class Sliced:
    """An operand that is read in equal slices along K.

    Attributes:
        operand: The operand.
        count: How many slices it has.
        dim: The dimension that they divide.
        layout: The layout of one slice.
        made_by: The ops that are applied to a slice that was read, in order.
        pieces: How the rows or columns of a slice are cut; None for all at once.
    """

    operand: ir.Value
    count: int
    dim: int
    layout: LinearLayout
    made_by: Sequence[ir.Operation] = ()
    pieces: Pieces | None = None

    @classmethod
    def of(
        cls, operand: ir.Value, plan: ProductPlan, role: Role, dim: int, count: int
    ) -> Sliced:
        """The slices of an operand, along a dimension counted from the last.

        Args:
            operand: The operand.
            plan: The plan of the product.
            role: Which operand it is.
            dim: The dimension of K, -1 for the last.
            count: The number of slices.
        """
        shape = list(shape_of(operand))
        shape[dim] //= count
        layout = tile_mma(tuple(shape), plan.warps, role, plan.warp_atom)
        return cls(operand, count, dim + len(shape), layout)

    def cut(self, pieces: Pieces, plan: ProductPlan, role: Role) -> Sliced:
        """The same slices, taken one piece after the other.

        Args:
            pieces: How rows or columns are cut.
            plan: The plan of the product.
            role: Which operand it is.
        """
        shape = pieces.shape_of_one(self.layout.shape)
        layout = tile_mma(shape, plan.warps, role, plan.warp_atom)
        return replace(self, layout=layout, pieces=pieces)

    def offsets(self, number: int) -> list[int]:
        """The offsets of a slice, in elements."""
        step = self.layout.shape[self.dim]
        return [number * step if d == self.dim else 0 for d in range(self.layout.rank)]

    def load(self, buffer: ir.Value, number: int, piece: int) -> ir.Value:
        """Loads slice `number` of a buffer, or a piece of it.

        Args:
            buffer: The buffer.
            number: The number of the slice along K.
            piece: The number of the piece.
        """
        offsets = self.offsets(number)
        if self.pieces is None:
            ty = tile_type(BufferType(buffer.type).element_type, self.layout)
            tile = tileas.LoadSharedOp(ty, buffer, offsets=offsets).result
        else:
            tile = self.pieces.of_buffer(buffer, offsets, piece, self.layout)
        return converted_as(tile, self.made_by, self.layout)

    def extract(self, number: int, piece: int) -> ir.Value:
        """A slice of an operand that is in registers, or a piece of it.

        Args:
            number: The number of the slice along K.
            piece: The number of the piece.
        """
        if self.count == 1:
            return self.operand
        parts = [number if d == self.dim else 0 for d in range(self.layout.rank)]
        if self.pieces is not None:
            return self.pieces.of_tile(self.operand, parts, piece, self.layout)
        return extract(self.operand, parts, self.layout)


class _Parts:
    """An operand that goes part by part through a buffer of one part."""

    def __init__(self, sliced: Sliced, source: ir.Value, parts: int) -> None:
        self._sliced, self._source = sliced, source
        self._slices = sliced.count // parts
        self._buffers: dict[int, ir.Value] = {}

    def load(self, number: int, piece: int) -> ir.Value:
        """Loads a slice; the first slice of each part stores the part first."""
        part, inside = divmod(number, self._slices)
        if part not in self._buffers:
            self._buffers[part] = self._store(part)
        return self._sliced.load(self._buffers[part], inside, piece)

    def _store(self, part: int) -> ir.Value:
        sliced, source = self._sliced, self._source
        shape = list(shape_of(source))
        shape[sliced.dim] = self._slices * sliced.layout.shape[sliced.dim]
        first = (0,) * len(shape)
        writer = TilePart(layout_of(source), tuple(shape), first).inner
        element = element_of(source)
        bits = element_bits(element)
        shared = choose_swizzle(tuple(shape), bits, writer, sliced.layout)
        buffer = alloc(element, shared)
        offsets = sliced.offsets(part * self._slices)
        tileas.StoreSharedOp(source, buffer, offsets=offsets)
        return buffer
