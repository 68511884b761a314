# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops pack and unpack of family shape: the bytes of elements, in registers.

Elements are taken apart and put together a 32-bit word at a time: four bytes, one f32,
two f16, or the two bytes that four elements of 4 bits fill.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.pairs import (
    byte_words,
    halves_of_word,
    set_byte_words,
    word_of_halves,
)
from cuda_tile.ir.tiles import element_bits, element_of, layout_of, memory_bits

_FLAGS_PER_BYTE = 8


@RULES.register("pack")
def pack(e: Emitter, op: ir.Operation) -> None:
    """Elements as bytes, little-endian."""
    source, result = op.operands[0], op.results[0]
    element = element_of(source)
    if str(element) == "i1":
        _set_bytes(e, result, _from_flags(e, e.packer.scalars(e.fragment(source))))
    elif memory_bits(element) < element_bits(element):
        set_byte_words(e, result, _from_nibbles(e, e.fragment(source)))
    else:
        set_byte_words(e, result, _words(e, e.fragment(source), element_bits(element)))


@RULES.register("unpack")
def unpack(e: Emitter, op: ir.Operation) -> None:
    """Bytes as elements; the inverse of `pack`."""
    source, result = op.operands[0], op.results[0]
    element, layout = element_of(result), layout_of(result)
    if str(element) == "i1":
        flags = _to_flags(e, e.packer.scalars(e.fragment(source)))
        e.set(result, Fragment(layout, tuple(flags)))
        return
    words = byte_words(e, e.fragment(source))
    if memory_bits(element) < element_bits(element):
        set_byte_words(e, result, _to_nibbles(e, words, layout.n_registers))
    else:
        e.set(result, _elements(e, result, words))


def _set_bytes(e: Emitter, result: ir.Value, values: Sequence[ir.Value]) -> None:
    e.set(result, Fragment(layout_of(result), tuple(values)))


def _words(e: Emitter, fragment: Fragment, bits: int) -> list[ir.Value]:
    """The registers of a fragment as i32, or as one i16."""
    b = e.builder
    pair = 2 if bits == 16 and fragment.layout.n_registers > 1 else 1
    values = e.packer.packed(fragment, pair)
    if bits < 64:
        word = ir.IntegerType.get_signless(bits * pair)
        return [b.bitcast(value, word) for value in values]
    halves = b.vector_type(2, b.i32)
    return [half for v in values for half in b.elements(b.bitcast(v, halves), 2)]


def _elements(e: Emitter, result: ir.Value, words: Sequence[ir.Value]) -> Fragment:
    """Inverse of `_words`."""
    b, element = e.builder, element_of(result)
    ty, bits, layout = e.element_type(element), element_bits(element), layout_of(result)
    if bits == 64:
        pairs = zip(words[0::2], words[1::2], strict=True)
        values = [b.bitcast(b.vector(pair), ty) for pair in pairs]
        return Fragment(layout, tuple(values))
    pair = 2 if bits == 16 and layout.n_registers > 1 else 1
    wide = b.vector_type(pair, ty)
    return Fragment(layout, tuple(b.bitcast(word, wide) for word in words), pair)


def _from_nibbles(e: Emitter, fragment: Fragment) -> list[ir.Value]:
    """Elements of 4 bits, one to a byte, as words of bytes with two in each."""
    b, w = e.builder, e.builder.binary
    halves: list[ir.Value] = []
    for word in byte_words(e, fragment):
        both = w("or", word, w("lshr", word, 4))
        if word.type == b.i16:  # two elements: the one byte of the result
            return [b.op("llvm.trunc", b.i8, both)]
        upper = w("and", w("lshr", both, 8), 0xFF00)
        half = w("or", w("and", both, 0xFF), upper)
        halves.append(b.op("llvm.trunc", b.i16, half))
    if len(halves) == 1:
        return halves
    pairs = zip(halves[0::2], halves[1::2], strict=True)
    return [word_of_halves(b, low, high) for low, high in pairs]


def _to_nibbles(
    e: Emitter, words: Sequence[ir.Value], n_registers: int
) -> list[ir.Value]:
    """Inverse of `_from_nibbles`."""
    b, w = e.builder, e.builder.binary
    if n_registers == 2:
        wide = b.op("llvm.zext", b.i16, words[0])
        upper = w("and", w("shl", wide, 4), 0x0F00)
        return [w("or", w("and", wide, 0x000F), upper)]
    halves = list(words)
    if words[0].type == b.i32:
        halves = [half for word in words for half in halves_of_word(b, word)]
    out: list[ir.Value] = []
    for half in halves:
        wide = b.op("llvm.zext", b.i32, half)
        bytes_ = w("or", w("and", wide, 0xFF), w("and", w("shl", wide, 8), 0xFF0000))
        low = w("and", bytes_, 0x000F000F)
        out.append(w("or", low, w("and", w("shl", bytes_, 4), 0x0F000F00)))
    return out


def _from_flags(e: Emitter, flags: Sequence[ir.Value]) -> list[ir.Value]:
    """Eight i1 as one byte each time, the first in the low bit."""
    b, w = e.builder, e.builder.binary
    out: list[ir.Value] = []
    for first in range(0, len(flags), _FLAGS_PER_BYTE):
        total = b.op("llvm.zext", b.i32, flags[first])
        for i in range(1, _FLAGS_PER_BYTE):
            bit = b.op("llvm.zext", b.i32, flags[first + i])
            total = w("or", total, w("shl", bit, i))
        out.append(b.op("llvm.trunc", b.i8, total))
    return out


def _to_flags(e: Emitter, values: Sequence[ir.Value]) -> list[ir.Value]:
    b, w = e.builder, e.builder.binary
    return [
        b.icmp("ne", w("and", value, 1 << i), 0)
        for value in values
        for i in range(_FLAGS_PER_BYTE)
    ]
