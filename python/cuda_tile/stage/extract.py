# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A part that other threads hold comes through shared memory.

With constant indices the part is stored and loaded. With other indices the whole tile
is stored once for all its extracts, before the loops in which it does not change, and a
part is loaded from the place that the indices give. A tile larger than shared memory
goes chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.analysis.bodies import is_in_body
from cuda_tile.analysis.constants import constant_of
from cuda_tile.constants import MOST_SELECTS
from cuda_tile.ir.scalars import constant
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    is_distributed,
    layout_of,
    shape_of,
    tile_bytes,
)
from cuda_tile.layout.convert import ConversionKind, classify
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import TilePart, every_part
from cuda_tile.layout.swizzle import choose_swizzle
from cuda_tile.stage.build import alloc, is_equal, select_if
from cuda_tile.stage.conversion import (
    buffer_layout,
    remark_parts,
    starts_of,
    through_shared,
)
from cuda_tile.stage.operands import StagedOperands


def stage_extract(op: ir.Operation, buffers: StagedOperands, room_bytes: int) -> None:
    """Replaces an `extract` unless each thread holds what it needs.

    Args:
        op: The extract.
        buffers: The buffers that live through loops.
        room_bytes: Bytes that a buffer may take that is used at once.
    """
    source, *indices = op.operands
    result = op.results[0]
    if not is_distributed(result) or is_in_body(op):
        return
    numbers = [constant_of(index) for index in indices]
    fixed = [number for number in numbers if number is not None]
    is_fixed = len(fixed) == len(numbers)
    layouts = layout_of(source), layout_of(result)
    if _is_in_thread(*layouts, is_fixed=is_fixed):
        return
    with ir.InsertionPoint(op), op.location:
        if is_fixed:
            extents = zip(fixed, shape_of(source), shape_of(result), strict=True)
            origin = [n % (whole // part) * part for n, whole, part in extents]
            made = through_shared(source, result, origin, room_bytes)
        elif tile_bytes(source) <= min(buffers.room_bytes, room_bytes):
            placed = every_part(layouts[1], layouts[0].shape)
            buffer = buffers.buffer(op, source, buffer_layout(source, placed))
            made = tileas.LoadPartOp(result.type, buffer, indices).tile
        else:
            made = _by_chunks(source, result, indices, room_bytes)
    result.replace_all_uses_with(made)
    op.erase()


def _is_in_thread(source: LinearLayout, part: LinearLayout, *, is_fixed: bool) -> bool:
    """Whether each thread holds its places of every part."""
    wanted = every_part(part, source.shape)
    kind = classify(source, wanted)
    if kind not in (ConversionKind.IDENTITY, ConversionKind.REGISTER):
        return False
    return is_fixed or wanted.n_registers - part.n_registers <= MOST_SELECTS


def _by_chunks(
    source: ir.Value, result: ir.Value, indices: Sequence[ir.Value], room_bytes: int
) -> ir.Value:
    """Looks for the part in one chunk of the source after another.

    A chunk holds as many parts as fit, at least one.
    """
    whole, part = shape_of(source), shape_of(result)
    chunk, n_bytes = list(whole), tile_bytes(source)
    for dim, extent in enumerate(part):
        while n_bytes > room_bytes and chunk[dim] > extent:
            chunk[dim] //= 2
            n_bytes //= 2
    chunk = tuple(chunk)
    remark_parts(source, prod(whole) // prod(chunk), room_bytes)
    buffer = None
    if chunk != part:
        placed = every_part(layout_of(result), chunk)
        inner = TilePart(layout_of(source), chunk, (0,) * len(chunk)).inner
        bits = element_bits(element_of(source))
        buffer = alloc(element_of(source), choose_swizzle(chunk, bits, inner, placed))
    total: ir.Value | None = None
    for start in starts_of(chunk, whole):
        if buffer is None:
            value = through_shared(source, result, start, room_bytes)
        else:
            tileas.StoreSharedOp(source, buffer, offsets=start)
            value = tileas.LoadPartOp(result.type, buffer, indices).tile
        if total is None:
            total = value
        else:
            is_here = _names_chunk(indices, start, (whole, chunk, part))
            total = select_if(is_here, value, total)
    return result if total is None else total


def _names_chunk(
    indices: Sequence[ir.Value],
    start: tuple[int, ...],
    shapes: tuple[tuple[int, ...], ...],
) -> ir.Value:
    """Whether indices name a part of the chunk at `start` (a scalar of i1)."""
    conditions: list[ir.Value] = []
    for index, place, whole, chunk, part in zip(indices, start, *shapes, strict=True):
        if whole == chunk:
            continue
        # Bits of the index above those that count parts within a chunk.
        bits = (whole // part - 1) & -(chunk // part)
        above = cuda_tile.AndIOp(index, constant(bits)).result
        conditions.append(is_equal(above, constant(place // part)))
    together = conditions[0]
    for condition in conditions[1:]:
        together = cuda_tile.AndIOp(together, condition).result
    return together
