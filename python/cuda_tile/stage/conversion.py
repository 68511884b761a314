"""A conversion between warps becomes alloc, store, load."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, LayoutAttr
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.tiles import element_bits, element_of, layout_of, shape_of
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.convert import ConversionKind, classify
from cuda_tile.layout.linear import LinearLayout
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


def stage_conversion(op: ir.Operation) -> None:
    """Replaces a conversion between warps by a trip through shared memory."""
    source, result = op.operands[0], op.results[0]
    if conversion_source(result) is None:
        return
    with ir.InsertionPoint(op), op.location:
        buffer = store_in_buffer(source, buffer_layout(source, layout_of(result)))
        origin = [0] * len(shape_of(result))
        loaded = tileas.LoadSharedOp(result.type, buffer, offsets=origin).result
    result.replace_all_uses_with(loaded)
    op.erase()


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
