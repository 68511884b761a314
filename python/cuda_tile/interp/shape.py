# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the shape family: constants and movement of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of, partial
from cuda_tile.interp.values import Partial
from cuda_tile.interp.words import signed, unsigned, wrap
from cuda_tile.runtime.elements import (
    Array,
    Element,
    from_memory,
    pack_nibbles,
    to_memory,
    unpack_nibbles,
)


@RULES.register("constant")
def constant(run: TileBlock, op: Op) -> Array:
    """The tile of the attribute."""
    return op.attributes["value"]


@RULES.register("iota")
def iota(run: TileBlock, op: Op) -> Array:
    """0, 1, 2, ... mod 2^w."""
    kind = op.tile()
    return wrap(np.arange(kind.shape[0], dtype=np.int64), kind.element)


@RULES.register("select")
def select(
    run: TileBlock, op: Op, cond: Array, if_true: Array, if_false: Array
) -> Array:
    """Element-wise choice; moves bits unchanged."""
    return np.where(cond, if_true, if_false)


@RULES.register("broadcast")
def broadcast(run: TileBlock, op: Op, source: Array) -> Array:
    """Stretches dimensions of size 1."""
    if op.operand_tile().shape == op.tile().shape:  # scalars in a reduction's body
        return source
    return np.broadcast_to(source, op.tile().shape)


@RULES.register("reshape")
def reshape(run: TileBlock, op: Op, source: Array) -> Array:
    """The same elements in row-major order."""
    if op.operand_tile().shape == op.tile().shape:
        return source
    return source.reshape(op.tile().shape)


@RULES.register("permute")
def permute(run: TileBlock, op: Op, source: Array) -> Array:
    """`result.shape[i] = source.shape[permutation[i]]`, as np.transpose."""
    return np.transpose(source, op.attributes["permutation"])


@RULES.register("cat")
def cat(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Lhs, then rhs, along `dim`."""
    return np.concatenate((lhs, rhs), axis=op.attributes["dim"])


@PARTIAL.register("cat")
def partial_cat(run: TileBlock, op: Op, lhs: Any, rhs: Any) -> Any:
    """The masks move as the data does."""
    data = op.rule(run, op, data_of(lhs), data_of(rhs))
    return partial(data, op.rule(run, op, mask_of(lhs), mask_of(rhs)))


def _box(
    run: TileBlock, op: Op, whole: Array, part: tuple[int, ...], indices: Any, at: int
) -> tuple[slice, ...]:
    """The part that indices name; they count parts, unsigned.

    Args:
        run: The tile block.
        op: The op.
        whole: The larger tile.
        part: Shape of the part.
        indices: One scalar per dimension; the first is operand `at` of the op.
        at: See `indices`.
    """
    box: list[slice] = []
    for d, (index, size) in enumerate(zip(indices, part, strict=True)):
        kind = op.operand_tile(at + d).element
        place = int(unsigned(run.defined(op, index, "the index"), kind))
        count = whole.shape[d] // size
        if run.launch.is_checked and place >= count:
            run.fail(op, f"expected index {d} below {count}, got {place}")
        start = place % count * size
        box.append(slice(start, start + size))
    return tuple(box)


@PARTIAL.register("extract")
@RULES.register("extract")
def extract(run: TileBlock, op: Op, source: Any, *indices: Any) -> Any:
    """The part of the result's shape at the indices, which count whole parts."""
    box = _box(run, op, data_of(source), op.tile().shape, indices, 1)
    return partial(data_of(source)[box], mask_of(source)[box])


@PARTIAL.register("insert")
@RULES.register("insert")
def insert(run: TileBlock, op: Op, source: Any, target: Any, *indices: Any) -> Any:
    """The destination with one part replaced by the source."""
    box = _box(run, op, data_of(target), op.operand_tile().shape, indices, 2)
    data, mask = data_of(target).copy(), mask_of(target).copy()
    data[box], mask[box] = data_of(source), mask_of(source)
    return partial(data, mask)


@RULES.register("offset")
def offset(run: TileBlock, op: Op, pointer: Array, offset_elements: Array) -> Array:
    """`U(pointer) + S(offset) * sizeof(pointee)`; strict mode forbids overflow."""
    pointee = op.tile().element.pointee
    assert pointee is not None, "the verifier lets only pointers be offset"
    size_bytes = pointee.storage_bytes
    distance = signed(offset_elements)
    if pointee.is_packed and decisions.F4_POINTERS_ADDRESS_LOW_HALVES:
        run.forbid(op, distance % 2 != 0, f"an odd offset of a {op.tile().element}")
        distance = distance >> 1
    limit = ((1 << 63) - 1) // size_bytes
    too_far = (distance > limit) | (distance < -limit)
    run.forbid(op, too_far, "the offset in bytes overflows 64 bits")
    with np.errstate(over="ignore"):
        moved = pointer + (distance * size_bytes).view(np.uint64)
    wrapped = np.where(distance >= 0, moved < pointer, moved > pointer)
    run.forbid(op, wrapped, "the address leaves the 64-bit address space")
    return moved


def _units(kind: Element) -> tuple[int, int]:
    """Elements and bytes of the smallest whole number of both."""
    return (8 // kind.bits, 1) if kind.bits < 8 else (1, kind.storage_bytes)


@RULES.register("pack")
def pack(run: TileBlock, op: Op, source: Array) -> Array:
    """The bytes of a 1-D tile: element 0 first, each little-endian.

    Two 4-bit elements share a byte, the even one in its low half; eight i1 elements
    do, the first one in bit 0.
    """
    kind = op.operand_tile().element
    if kind.bits == 1:
        return np.packbits(source, bitorder=decisions.PACK_I1_BITS).view(np.int8)
    raw = to_memory(source, kind).reshape(-1)
    if kind.is_packed:
        raw = pack_nibbles(raw)
    return raw.view(np.int8)


@RULES.register("unpack")
def unpack(run: TileBlock, op: Op, source: Array) -> Array:
    """The inverse of `pack`."""
    kind = op.tile().element
    raw = np.ascontiguousarray(source).view(np.uint8)
    if kind.bits == 1:
        return np.unpackbits(raw, bitorder=decisions.PACK_I1_BITS).astype(np.bool_)
    if kind.is_packed:
        raw = unpack_nibbles(raw)
    return from_memory(raw.reshape(-1, kind.storage_bytes), kind)


@PARTIAL.register("pack", "unpack")
def repacked(run: TileBlock, op: Op, source: Partial) -> Partial:
    """A byte is unspecified where an element in it is, and the other way round."""
    kind = (op.operand_tile() if op.name == "pack" else op.tile()).element
    elements, size_bytes = _units(kind)
    before, after = elements, size_bytes
    if op.name == "unpack":
        before, after = size_bytes, elements
    groups = source.undefined.reshape(-1, before).any(axis=1)
    return Partial(op.rule(run, op, source.data), np.repeat(groups, after))
