# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to elements of 4 bits one by one, for the pass `narrow_elements`.

A pointer names the low half of its byte: a load extracts it, and a store inserts it
into the byte that it has loaded. A view whose tiles can begin or end in the middle of a
byte becomes one pointer per element: a load shifts the element's byte by its half.

A store of such a tile, whose bytes two threads may store the halves of, first puts the
low halves into the bytes, then the high ones. A byte is what accesses race for, as they
do for elements of 8 bits: nothing else stores the other half of one meanwhile. No
atomic could be used for it, as none has less than 16 bits, and what lies beside a
tensor's first or last byte is not the kernel's.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType, TileType
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.analysis.tiling import (
    Tiling,
    index_operands,
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.errors import Unsupported
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tile_values import constant_number, reshaped
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import location_text, segments

_F16_SCALE = 2.0**14
"""An f4 whose bits stand at the top of an f16 is that f16 times this: the difference of
the biases, 15 and 1."""
_PADDING_BYTES = {
    "zero": 0x00,
    "neg_zero": 0x88,
    "nan": 0x77,
    "pos_inf": 0x77,
    "neg_inf": 0xFF,
}
"""What a view loads outside, in both halves of a byte: of the values that f4E2M1FN does
not have, what a conversion makes of them, 6 and -6."""


def integer(bits: int) -> ir.Type:
    """A signless integer type."""
    return ir.IntegerType.get_signless(bits)


def splat(like: ir.Value, element: ir.Type, value: float) -> ir.Value:
    """A constant of the shape of another tile.

    Args:
        like: The tile whose shape is taken.
        element: The element type.
        value: The value of each element.
    """
    return constant_number(_with_element(like, element), value)


def _with_element(tile: ir.Value, element: ir.Type) -> ir.Type:
    return TileType.get(list(shape_of(tile)), element)


# Pointers -----------------------------------------------------------------------------


def byte_pointers(pointers: ir.Value) -> ir.Value:
    """Pointers to the bytes that pointers to elements name."""
    return ct.ptr_to_ptr(_with_element(pointers, PointerType.get(integer(8))), pointers)


def _of_low_half(byte: ir.Value, element: ir.Type) -> ir.Value:
    """The element in the low half of each byte, through f16, which holds it."""
    half, f16 = integer(16), ir.F16Type.get()
    wide = ct.exti(_with_element(byte, half), byte, "unsigned")

    def at(mask: int, shift: int) -> ir.Value:
        part = ct.andi(wide, splat(wide, half, mask))
        return ct.shli(part, splat(wide, half, shift))

    bits = ct.ori(at(8, 12), at(7, 9))
    value = ct.bitcast(_with_element(bits, f16), bits)
    scaled = ct.mulf(value, splat(value, f16, _F16_SCALE), "nearest_even")
    return ct.ftof(_with_element(byte, element), scaled)


def _low_half(tile: ir.Value) -> ir.Value:
    """Inverse of `_of_low_half`: each element as a byte with an empty upper half."""
    half, f16 = integer(16), ir.F16Type.get()
    value = ct.ftof(_with_element(tile, f16), tile)
    scaled = ct.mulf(value, splat(value, f16, 1 / _F16_SCALE), "nearest_even")
    bits = ct.bitcast(_with_element(tile, half), scaled)

    def at(shift: int, mask: int) -> ir.Value:
        part = ct.shri(bits, splat(bits, half, shift), "unsigned")
        return ct.andi(part, splat(bits, half, mask))

    return ct.trunci(_with_element(tile, integer(8)), ct.ori(at(12, 8), at(9, 7)))


def load_pointers(op: ir.Operation) -> None:
    """Rewrites a `load_ptr_tko` of elements as a load of bytes with low halves."""
    pointers, mask, padding, _ = segments(op)
    element = element_of(op.results[0])
    address = byte_pointers(pointers[0])
    fill = [_low_half(value) for value in padding]
    copy = op.clone()
    copy.operands[0] = address
    for value in fill:
        copy.operands[1 + len(mask)] = value
    copy.results[0].set_type(_with_element(pointers[0], integer(8)))
    move_behind(op, copy, _of_low_half(copy.results[0], element))


def store_pointers(op: ir.Operation) -> None:
    """Rewrites a store; it loads the bytes first, whose upper halves stay unchanged.

    If the store is strong, others may be storing to the byte, so the load is strong.
    """
    pointers, value, mask, token = segments(op)
    byte = integer(8)
    address = byte_pointers(pointers[0])
    loaded = ct.load_ptr_tko(
        _with_element(address, byte),
        ct.TokenType.get(),
        "relaxed" if memory_order(op).is_strong else "weak",
        address,
        memory_scope=op.attributes.get("memory_scope"),
        mask=mask[0] if mask else None,
        token=token[0] if token else None,
    )
    kept = ct.andi(loaded[0], splat(address, byte, -16))
    operands = [address, ct.ori(kept, _low_half(value[0])), *mask, loaded[1]]
    attributes = {name: op.attributes[name] for name in op.attributes}
    sizes = [1, 1, len(mask), 1]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    made = ir.Operation.create(
        op.name, [op.results[0].type], operands, attributes=attributes
    )
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()


def move_behind(op: ir.Operation, copy: ir.Operation, value: ir.Value) -> None:
    """Replaces a load by its copy and a value that is computed from the copy.

    Args:
        op: The load.
        copy: Its copy, which gives the token.
        value: The replacement of its tile.
    """
    op.results[0].replace_all_uses_with(value)
    op.results[1].replace_all_uses_with(copy.results[1])
    op.erase()


# One pointer per element of a view ----------------------------------------------------


def load_elements(op: ir.Operation) -> None:
    """Rewrites a `load_view_tko` as a load of each element's byte."""
    view, byte = view_operand(op), integer(8)
    numbers, inside = _numbers(op)
    shape, padding = shape_of(numbers), tiling_of(view).padding
    base = byte_pointers(tensor_view_parts(tensor_view_op(view)).base)
    pointers = ct.offset(_spread(base, shape), _halved(numbers))
    fill = []
    if padding is not None:
        code = _PADDING_BYTES[padding]
        fill = [splat(pointers, byte, code if code < 0x80 else code - 0x100)]
    tokens = segments(op)[-1]
    attributes = {
        name: op.attributes[name]
        for name in ("memory_ordering_semantics", "memory_scope", "optimization_hints")
        if name in op.attributes
    }
    sizes = [1, 1, len(fill), len(tokens)]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    loaded = ir.Operation.create(
        "cuda_tile.load_ptr_tko",
        [_with_element(pointers, byte), op.results[1].type],
        [pointers, inside, *fill, *tokens],
        attributes=attributes,
    )
    shift = ct.trunci(_with_element(numbers, byte), _low_bits(numbers, 1, 2))
    half = ct.shri(loaded.results[0], shift, "unsigned")
    move_behind(op, loaded, _of_low_half(half, element_of(op.results[0])))


def store_elements(op: ir.Operation) -> None:
    """Rewrites a `store_view_tko` as two stores of bytes, for low and for high halves.

    Raises:
        Unsupported: The store is not weak: another one of the other half of a byte may
            be made meanwhile.
    """
    if keyword(op, "memory_ordering_semantics") != "weak":  # narrow_elements C2
        raise Unsupported(
            f"'{op.name}': expected a weak store of 4-bit elements where tiles can "
            "begin or end in the middle of a byte; make strides, extents and starts "
            "multiples of 2 (with an assume where they are known at run time only), or "
            "store bytes, i8, that pack has made",
            location_text(op),
        )
    numbers, inside = _numbers(op)
    parts = tensor_view_parts(tensor_view_op(view_operand(op)))
    base = _spread(byte_pointers(parts.base), shape_of(numbers))
    pointers, codes = ct.offset(base, _halved(numbers)), _low_half(op.operands[0])
    parity = _low_bits(numbers, 1, 0)
    flags = _with_element(numbers, integer(1))
    tokens = segments(op)[-1]
    token = tokens[0] if tokens else None
    for half in range(2):
        number = splat(numbers, integer(64), half)
        mask = ct.andi(inside, ct.cmpi(flags, "equal", parity, number, "signed"))
        code = ct.shli(codes, splat(codes, integer(8), 4)) if half else codes
        token = _put(pointers, code, half, mask, token)
    assert token is not None, "both halves have been stored"
    op.results[0].replace_all_uses_with(token)
    op.erase()


def _put(
    pointers: ir.Value,
    code: ir.Value,
    half: int,
    mask: ir.Value,
    token: ir.Value | None,
) -> ir.Value:
    """Stores bits into one half of bytes; returns the token of the store."""
    byte = integer(8)
    loaded = ct.load_ptr_tko(
        _with_element(pointers, byte),
        ct.TokenType.get(),
        "weak",
        pointers,
        mask=mask,
        token=token,
    )
    other = splat(pointers, byte, 0x0F if half else -0x10)
    value = ct.ori(ct.andi(loaded[0], other), code)  # narrow_elements C4
    return ct.store_ptr_tko("weak", pointers, value, mask=mask, token=loaded[1])


def _numbers(op: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """The number in memory (i64) of each element of an access, and whether it exists.

    Element 2n is the low half of byte n after the base.
    """
    view = view_operand(op)
    tiling, parts = tiling_of(view), tensor_view_parts(tensor_view_op(view))
    shape, wide = tiling.tile_shape, integer(64)
    numbers: list[ir.Value] = []
    inside: list[ir.Value] = []
    for d, index in enumerate(index_operands(op)):
        extent, stride = (
            _spread(_wide(of[tiling.dim_map[d]]), [shape[d]])
            for of in (parts.shape, parts.strides)
        )
        at = _coordinates(tiling, d, index)
        is_in = ct.cmpi(
            TileType.get([shape[d]], integer(1)), "less_than", at, extent, "unsigned"
        )
        numbers.append(_along(ct.muli(at, stride), d, shape, wide))
        inside.append(_along(is_in, d, shape, integer(1)))
    number, exists = numbers[0], inside[0]
    for more, also in zip(numbers[1:], inside[1:], strict=True):
        number, exists = ct.addi(number, more), ct.andi(exists, also)
    return number, exists


def _coordinates(tiling: Tiling, dim: int, index: ir.Value) -> ir.Value:
    """Coordinates of a tile along one of its dimensions, [extent] of i64."""
    start, extent = _wide(index), tiling.tile_shape[dim]
    if dim == tiling.sparse_dim:
        return start
    wide = integer(64)
    first = ct.muli(start, splat(start, wide, tiling.steps[dim]))
    return ct.addi(_spread(first, [extent]), ct.iota(TileType.get([extent], wide)))


def _wide(value: int | ir.Value) -> ir.Value:
    """Extends a size, stride or index, read as unsigned, to i64."""
    wide = integer(64)
    if isinstance(value, int):
        return constant_number(TileType.get([], wide), value)
    if element_of(value) == wide:
        return value
    return ct.exti(_with_element(value, wide), value, "unsigned")


def _spread(scalar: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A tile of which every element is a scalar."""
    ones = reshaped(scalar, [1] * len(shape))
    return ct.broadcast(TileType.get(list(shape), element_of(scalar)), ones)


def _along(
    line: ir.Value, dim: int, shape: Sequence[int], element: ir.Type
) -> ir.Value:
    """A tile that changes along one dimension only, as a tile of rank 1 tells."""
    ones = [n if d == dim else 1 for d, n in enumerate(shape)]
    return ct.broadcast(
        TileType.get(list(shape), element),
        ct.reshape(TileType.get(ones, element), line),
    )


def _halved(numbers: ir.Value) -> ir.Value:
    return ct.shri(numbers, splat(numbers, integer(64), 1), "unsigned")


def _low_bits(numbers: ir.Value, mask: int, shift: int) -> ir.Value:
    wide = integer(64)
    low = ct.andi(numbers, splat(numbers, wide, mask))
    return ct.shli(low, splat(low, wide, shift)) if shift else low
