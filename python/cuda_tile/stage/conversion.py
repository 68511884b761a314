# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A conversion between warps becomes alloc, store, load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.plan import add_remark
from cuda_tile.ir.shared_stores import mark_for_cluster
from cuda_tile.ir.tiles import element_bits, element_of, layout_of, shape_of, tile_bytes
from cuda_tile.ir.walk import defining_op, enclosing_entry, location_text
from cuda_tile.layout.convert import ConversionKind, classify, crosses_ctas
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import TilePart, choose_parts
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_swizzle
from cuda_tile.stage.build import alloc, zeros


def conversion_source(value: ir.Value) -> ir.Value | None:
    """The operand of a conversion through shared memory, or None."""
    op = defining_op(value)
    if op is None or op.name != "tileas.convert_layout":
        return None
    source = op.operands[0]
    kind = classify(layout_of(source), layout_of(value))
    return source if kind is ConversionKind.SHARED else None


def stage_conversion(op: ir.Operation, room_bytes: int) -> ir.Operation | None:
    """Replaces a conversion between warps by a trip through shared memory.

    Args:
        op: The conversion; others are left alone.
        room_bytes: Bytes that its buffer may take.

    Returns:
        The load, if one buffer, one store and one load suffice, one after another.
    """
    source, result = op.operands[0], op.results[0]
    if conversion_source(result) is None:
        return None
    with ir.InsertionPoint(op), op.location:
        origin = [0] * len(shape_of(result))
        moved = through_shared(source, result, origin, room_bytes)
    result.replace_all_uses_with(moved)
    op.erase()
    load = defining_op(moved)
    assert load is not None, "what comes through shared memory is loaded"
    return load if len(load.operands) == 1 else None


def through_shared(
    source: ir.Value, like: ir.Value, origin: Sequence[int], room_bytes: int
) -> ir.Value:
    """Moves the part of a tile that begins at `origin` through a buffer.

    Args:
        source: The tile.
        like: A tile of the type of the part.
        origin: Offsets in elements, multiples of the part's extents.
        room_bytes: Bytes that the buffer may take. A larger tile goes in equal parts,
            one after another.
    """
    layouts, shape = (layout_of(source), layout_of(like)), shape_of(like)
    count = 1
    while tile_bytes(like) > count * room_bytes:
        count *= 2
    part = (choose_parts(layouts, count) if count > 1 else None) or shape
    first = (0,) * len(shape)
    inner = [TilePart(layout, part, first).inner for layout in layouts]
    element, bits = element_of(like), element_bits(element_of(like))
    buffer = alloc(element, choose_swizzle(part, bits, inner[0], inner[1]))
    if part == shape:
        is_all = shape_of(source) == shape
        store = tileas.StoreSharedOp(source, buffer, offsets=None if is_all else origin)
        if is_all and crosses_ctas(*layouts):
            mark_for_cluster(store.operation)
        return tileas.LoadSharedOp(like.type, buffer, offsets=list(first)).result
    remark_parts(like, tile_bytes(like) // (prod(part) * bits // 8), room_bytes)
    total = zeros(like)
    for offsets in starts_of(part, shape):
        start = [o + step for o, step in zip(origin, offsets, strict=True)]
        store = tileas.StoreSharedOp(source, buffer, offsets=start)
        if shape_of(source) == shape and crosses_ctas(*layouts):
            mark_for_cluster(store.operation)
        total = tileas.LoadSharedOp(
            like.type, buffer, offsets=list(offsets), into=total
        ).result
    return total


def remark_parts(tile: ir.Value, count: int, room_bytes: int) -> None:
    """Notes that a tile goes through shared memory in parts, at the op that needs it.

    Args:
        tile: A tile of the type of all parts together.
        count: The number of parts.
        room_bytes: Bytes that a buffer may take.
    """
    op = ir.InsertionPoint.current.ref_operation
    if op is None:
        return
    plain = str(TileType.get(list(shape_of(tile)), element_of(tile)))
    text = (
        f"wanted a {plain.removeprefix('!cuda_tile.')} to change threads at once, it "
        f"goes in {count} parts: it takes {tile_bytes(tile)} "
        f"bytes of shared memory where {room_bytes} are left; smaller tiles take fewer"
    )
    add_remark(enclosing_entry(op), f"{location_text(op)}: {text}")


def starts_of(
    part: tuple[int, ...], whole: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Where each part of a tile begins, in row-major order.

    Args:
        part: The shape of a part.
        whole: The shape of the tile.
    """
    return product(*(range(0, n, m) for n, m in zip(whole, part, strict=True)))


def buffer_layout(source: ir.Value, reader: LinearLayout) -> SharedLayout:
    """The layout of a buffer to which `source` is written, and which `reader` reads.

    Args:
        source: The tile.
        reader: The layout in which it is read.
    """
    bits = element_bits(element_of(source))
    return choose_swizzle(shape_of(source), bits, layout_of(source), reader)


def store_in_buffer(source: ir.Value, shared: SharedLayout) -> ir.Value:
    """A new buffer that holds `source`.

    Args:
        source: The tile.
        shared: The layout of the buffer.
    """
    buffer = alloc(element_of(source), shared)
    tileas.StoreSharedOp(source, buffer)
    return buffer
