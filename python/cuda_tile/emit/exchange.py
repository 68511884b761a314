# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shuffles between the lanes of a warp, for values of any type."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.errors import InternalError

ALL_LANES = -1
CLAMP_WHOLE_WARP = 31
"""Operand c of `shfl.sync`: no sub-segments (PTX ISA, "shfl.sync")."""


def shuffle(b: Builder, kind: str, value: ir.Value, lane: ir.Value | int) -> ir.Value:
    """The value that another lane has (`shfl.sync`).

    Args:
        b: Where to build.
        kind: `bfly` (lane index XOR `lane`) or `idx` (lane number `lane`).
        value: Any scalar or packed pair of up to 64 bits.
        lane: Which lane, a constant or an i32.
    """
    where = b.constant(b.i32, lane) if isinstance(lane, int) else lane
    attr = b.attribute(f"#nvvm<shfl_kind {kind}>")

    def one(word: ir.Value) -> ir.Value:
        return b.op(
            "nvvm.shfl.sync",
            b.i32,
            b.constant(b.i32, ALL_LANES),
            word,
            where,
            b.constant(b.i32, CLAMP_WHOLE_WARP),
            kind=attr,
        )

    return through_words(b, value, one)


def through_words(
    b: Builder, value: ir.Value, move: Callable[[ir.Value], ir.Value]
) -> ir.Value:
    """Applies `move`, which takes i32, to the 32-bit words of `value`.

    Args:
        b: The builder.
        value: A scalar of at most 64 bits.
        move: The function.
    """
    ty = value.type
    text = str(ty)
    if text.startswith("!llvm.ptr"):
        number = through_words(b, b.op("llvm.ptrtoint", b.i64, value), move)
        return b.op("llvm.inttoptr", ty, number)
    bits = _width(ty)
    if bits == 32:
        return b.bitcast(move(b.bitcast(value, b.i32)), ty)
    if bits < 32:
        narrow = ir.IntegerType.get_signless(bits)
        word = b.op("llvm.zext", b.i32, b.bitcast(value, narrow))
        return b.bitcast(b.op("llvm.trunc", narrow, move(word)), ty)
    pair = b.bitcast(value, b.vector_type(bits // 32, b.i32))
    moved = [move(word) for word in b.elements(pair, bits // 32)]
    return b.bitcast(b.vector(moved), ty)


def _width(ty: ir.Type) -> int:
    if isinstance(ty, ir.VectorType):
        vector = ir.VectorType(ty)
        return vector.shape[0] * _width(vector.element_type)
    if isinstance(ty, ir.IntegerType | ir.FloatType):
        return ty.width
    raise InternalError(f"expected a number to shuffle, got {ty}")
