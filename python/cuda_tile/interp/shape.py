"""Rules of the shape family: constants and movement of elements."""

from __future__ import annotations

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import RULES
from cuda_tile.interp.words import signed, wrap
from cuda_tile.runtime.elements import Array


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


@RULES.register("offset")
def offset(run: TileBlock, op: Op, pointer: Array, offset_elements: Array) -> Array:
    """`U(pointer) + S(offset) * sizeof(pointee)`; checked mode forbids overflow."""
    pointee = op.tile().element.pointee
    assert pointee is not None, "the verifier lets only pointers be offset"
    size_bytes = pointee.storage_bytes
    distance = signed(offset_elements)
    limit = ((1 << 63) - 1) // size_bytes
    too_far = (distance > limit) | (distance < -limit)
    run.forbid(op, too_far, "the offset in bytes overflows 64 bits")
    with np.errstate(over="ignore"):
        moved = pointer + (distance * size_bytes).view(np.uint64)
    wrapped = np.where(distance >= 0, moved < pointer, moved > pointer)
    run.forbid(op, wrapped, "the address leaves the 64-bit address space")
    return moved
