# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of 8 and 4 bits that become others, four in a 32-bit register at a time.

Bytes become 16-bit floats without the chip's conversions from integers, of which a
multiprocessor does 16 per clock (CUDA C++ Programming Guide, "Arithmetic
Instructions"): each byte is put under an exponent for which a step is 1, and one packed
operation takes away what the exponent adds, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.pairs import (
    WORD_BYTES,
    byte_words,
    set_byte_words,
    set_pairs,
)
from cuda_tile.ir.tiles import element_name, element_of, is_distributed, layout_of
from cuda_tile.ir.walk import defining_op

_BF16_EXPONENT = 0x43004300
"""Two bf16 of 128, whose step is 1; the upper byte of f16 numbers from 1024 on, whose
step is 1, is 0x64."""
_HALVES = (0x4140, 0x4342)
"""Selectors of `prmt` for two bytes of a word, each under the first one of another."""
_TWO, _FOUR = 0x00010001, 0x01010101
"""Factors that repeat the low bits of a word in its halves, or in its bytes."""


def can_spread(op: ir.Operation, result: str, *, is_signed: bool) -> bool:
    """Whether bytes become 16-bit floats as here: two and more of a thread.

    An unsigned byte may need more bits than a bf16 of step 1 has beside its exponent.

    Args:
        op: The `itof`.
        result: The element type of the result.
        is_signed: Whether bytes are read as signed.
    """
    source = op.operands[0]
    return (
        element_name(element_of(source)) == "i8"
        and (result == "f16" or (result == "bf16" and is_signed))
        and is_distributed(source)
        and layout_of(source).n_registers > 1
    )


def spread_bytes(e: Emitter, op: ir.Operation, result: str, *, is_signed: bool) -> None:
    """`itof` of bytes to f16 or bf16, where `can_spread`.

    Args:
        e: The emitter.
        op: The `itof`.
        result: The element type of the result.
        is_signed: Whether bytes are read as signed.
    """
    pairs = _byte_pairs(e, op.operands[0], result, is_signed=is_signed)
    change = _from_bf16 if result == "bf16" else _from_f16
    values = [change(e, pair, is_signed=is_signed) for pair in pairs]
    set_pairs(e, op.results[0], [(value,) for value in values])


def _byte_pairs(
    e: Emitter, source: ir.Value, result: str, *, is_signed: bool
) -> list[ir.Value]:
    """Each two bytes as the lower bytes of the halves of a word, under the exponent.

    For f16 the sign is flipped; for bf16 there are zeros in place of the exponent.
    """
    b, w, fragment = e.builder, e.builder.binary, e.fragment(source)
    exponent = 0x64 if result == "f16" else 0
    sign = 0x80 if is_signed and exponent else 0
    if fragment.pack == 1 and not _are_of_a_word(fragment.values[:WORD_BYTES]):
        wide = [b.op("llvm.zext", b.i32, byte) for byte in fragment.values]
        pairs = zip(wide[0::2], wide[1::2], strict=True)
        words = [w("or", low, w("shl", high, 16)) for low, high in pairs]
        return [w("xor", word, (exponent << 8 | sign) * _TWO) for word in words]
    found: list[ir.Value] = []
    for word in byte_words(e, fragment):
        is_half = word.type == b.i16
        whole = b.op("llvm.zext", b.i32, word) if is_half else word
        whole = w("xor", whole, sign * _FOUR)
        above = b.constant(b.i32, exponent)
        found += (_prmt(e, whole, above, s) for s in _HALVES[: 1 if is_half else 2])
    return found


def _are_of_a_word(values: Sequence[ir.Value]) -> bool:
    """Whether bytes are parts of one integer, so that joining them costs nothing."""
    words: set[ir.Value | None] = set()
    for value in values:
        op = defining_op(value)
        if op is None or op.name != "llvm.trunc":
            return False
        whole = op.operands[0]
        shift = defining_op(whole)
        if shift is not None and shift.name == "llvm.lshr":
            whole = shift.operands[0]
        words.add(whole)
    return len(words) == 1


def _from_f16(e: Emitter, word: ir.Value, *, is_signed: bool) -> ir.Value:
    """1024 + u of a byte u, less 1024; of a signed one u is 128 more."""
    b = e.builder
    pair = b.vector_type(2, b.f16)
    less = b.constant(b.f16, -1152.0 if is_signed else -1024.0)
    return b.op("llvm.fadd", pair, b.bitcast(word, pair), b.vector([less, less]))


def _from_bf16(e: Emitter, word: ir.Value, *, is_signed: bool) -> ir.Value:
    """128 + the low 7 bits, less 128 or, of a negative byte, 256."""
    assert is_signed
    b, w = e.builder, e.builder.binary
    pair = b.vector_type(2, b.bf16)
    minus = b.constant(b.bf16, -1.0)
    size = w("or", w("and", word, 0x7F * _TWO), _BF16_EXPONENT)
    less = w("or", w("and", word, 0x80 * _TWO), _BF16_EXPONENT)
    parts = (b.bitcast(less, pair), b.vector([minus, minus]), b.bitcast(size, pair))
    return b.op("llvm.intr.fma", pair, *parts)


def _prmt(e: Emitter, low: ir.Value, high: ir.Value, selector: int) -> ir.Value:
    """Four of the eight bytes of two words (PTX ISA, "prmt")."""
    b = e.builder
    text = f"prmt.b32 $0, $1, $2, {selector:#06x};"
    return b.ptx_value(text, b.i32, low, high)


def are_words(e: Emitter, op: ir.Operation) -> bool:
    """Whether an op of i8 finds its bytes four to a word, so that words may be its.

    Args:
        e: The emitter.
        op: The op.
    """
    result = op.results[0]
    if element_name(element_of(result)) != "i8" or not is_distributed(result):
        return False
    fragments = [e.fragment(value) for value in op.operands]
    return layout_of(result).n_registers % WORD_BYTES == 0 and all(
        fragment.pack == WORD_BYTES
        or _are_constants(fragment.values)
        or _are_of_a_word(fragment.values[:WORD_BYTES])
        for fragment in fragments
    )


def _are_constants(values: Sequence[ir.Value]) -> bool:
    op = defining_op(values[0])
    return op is not None and op.name == "llvm.mlir.constant" and len({*values}) == 1


def by_words(e: Emitter, op: ir.Operation, combine: Callable[..., ir.Value]) -> None:
    """An op of bytes, where `are_words`: `combine` takes a word of each operand.

    Args:
        e: The emitter.
        op: The op.
        combine: The function of words (i32).
    """
    rows = zip(*(byte_words(e, e.fragment(v)) for v in op.operands), strict=True)
    set_byte_words(e, op.results[0], [combine(*row) for row in rows])


def shifted_bytes(e: Emitter, word: ir.Value, count: int, name: str) -> ir.Value:
    """The bytes of a word, each shifted by `count`; `name` is LLVM's operation.

    Args:
        e: The emitter.
        word: The word (i32).
        count: Bits of the shift.
        name: LLVM's operation, such as `llvm.shl`.
    """
    w = e.builder.binary
    if name == "llvm.shl":
        return w("and", w("shl", word, count), (0xFF << count & 0xFF) * _FOUR)
    kept = w("and", w("lshr", word, count), (0xFF >> count) * _FOUR)
    if name == "llvm.lshr" or not count:
        return kept
    sign = 0x80 >> count  # its place now; what is above it becomes as it is
    moved = w("add", w("xor", kept, sign * _FOUR), (0x80 - sign) * _FOUR)
    return w("xor", moved, 0x80 * _FOUR)


def extend_nibbles(e: Emitter, op: ir.Operation) -> None:
    """`exti` of signed i4, each in the low half of a byte, to i8.

    Args:
        e: The emitter.
        op: The `exti`.
    """
    w = e.builder.binary

    def extend(word: ir.Value, bytes_: int) -> ir.Value:
        moved = w("add", w("xor", word, 0x08 * bytes_), 0x78 * bytes_)
        return w("xor", moved, 0x80 * bytes_)

    source, result = op.operands[0], op.results[0]
    if not is_distributed(source) or layout_of(source).n_registers == 1:
        e.elementwise(op, lambda x: extend(x, 1))
        return
    ones = {16: 0x0101, 32: _FOUR}
    words = byte_words(e, e.fragment(source))
    made = [extend(word, ones[ir.IntegerType(word.type).width]) for word in words]
    set_byte_words(e, result, made)
