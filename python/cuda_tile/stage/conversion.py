"""A conversion between warps becomes alloc, store, load."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    LayoutAttr,
    PointerType,
    TileType,
)
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.tiles import element_bits, element_of, layout_of, shape_of
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.convert import ConversionKind, classify
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import TilePart, choose_parts
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_swizzle


def conversion_source(value: ir.Value) -> ir.Value | None:
    """What a conversion through shared memory converts, or None."""
    op = defining_op(value)
    if op is None or op.name != "tileas.convert_layout":
        return None
    source = op.operands[0]
    kind = classify(layout_of(source), layout_of(value))
    return source if kind is ConversionKind.SHARED else None


def stage_conversion(op: ir.Operation, room_bytes: int) -> None:
    """Replaces a conversion between warps by a trip through shared memory.

    Args:
        op: The conversion; others are left alone.
        room_bytes: What its buffer may take. A larger tile goes in equal parts, one
            after another through one buffer.
    """
    source, result = op.operands[0], op.results[0]
    if conversion_source(result) is None:
        return
    with ir.InsertionPoint(op), op.location:
        loaded = through_shared(source, result, room_bytes)
    result.replace_all_uses_with(loaded)
    op.erase()


def through_shared(source: ir.Value, like: ir.Value, room_bytes: int) -> ir.Value:
    """A tile stored and loaded again, here, in the layout of another.

    Args:
        source: The tile; of the threads with copies of an element one stores it.
        like: A tile of the type to load.
        room_bytes: What the buffer may take.
    """
    n_bytes = prod(shape_of(like)) * element_bits(element_of(like)) // 8
    count = 1
    while n_bytes > count * room_bytes:
        count *= 2
    layouts = (layout_of(source), layout_of(like))
    part = choose_parts(layouts, count) if count > 1 else None
    if part is not None and not isinstance(element_of(like), PointerType):
        return _convert_by_parts(source, like, part)
    buffer = store_in_buffer(source, buffer_layout(source, layouts[1]))
    origin = [0] * len(shape_of(like))
    return tileas.LoadSharedOp(like.type, buffer, offsets=origin).result


def _convert_by_parts(
    source: ir.Value, result: ir.Value, part: tuple[int, ...]
) -> ir.Value:
    """Stores and loads one part after another."""
    shape, element = shape_of(source), element_of(source)
    first = (0,) * len(shape)
    inner = [TilePart(layout_of(v), part, first).inner for v in (source, result)]
    shared = choose_swizzle(part, element_bits(element), inner[0], inner[1])
    buffer = tileas.AllocSharedOp(_buffer_type(element, shared)).result
    total = zeros(result)
    steps = (range(0, extent, n) for extent, n in zip(shape, part, strict=True))
    for offsets in product(*steps):
        tileas.StoreSharedOp(source, buffer, offsets=list(offsets))
        total = tileas.LoadSharedOp(
            result.type, buffer, offsets=list(offsets), into=total
        ).result
    return total


def zeros(like: ir.Value) -> ir.Value:
    """A tile of zeros of the type of another."""
    element = element_of(like)
    zero = (
        ir.IntegerAttr.get(element, 0)
        if isinstance(element, ir.IntegerType)
        else ir.FloatAttr.get(element, 0.0)
    )
    plain = cast("ir.ShapedType", TileType.get(list(shape_of(like)), element))
    value = ir.DenseElementsAttr.get_splat(plain, zero)
    return ir.Operation.create(
        "cuda_tile.constant", results=[like.type], attributes={"value": value}
    ).results[0]


def buffer_layout(source: ir.Value, reader: LinearLayout) -> SharedLayout:
    """The layout of a buffer that `source` is written to and read from as `reader`."""
    bits = element_bits(element_of(source))
    return choose_swizzle(shape_of(source), bits, layout_of(source), reader)


def store_in_buffer(source: ir.Value, shared: SharedLayout) -> ir.Value:
    """A new buffer that holds `source`."""
    buffer = tileas.AllocSharedOp(_buffer_type(element_of(source), shared)).result
    tileas.StoreSharedOp(source, buffer)
    return buffer


def _buffer_type(element: ir.Type, shared: SharedLayout) -> ir.Type:
    return BufferType.get(list(shared.shape), element, LayoutAttr.get(shared.groups()))
