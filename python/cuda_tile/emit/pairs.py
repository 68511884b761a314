# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two neighbouring elements at a time: the form in which conversions work.

Conversion instructions take pairs, and conversions in software compute both halves of a
32-bit register at once. A `Pair` of elements is

- of 8-bit floats and of f4E2M1FN one i16, the first element in its low byte (an f4 in
  the low half of a byte);
- of f16 and bf16 one vector of two;
- of f32, tf32, f64 and integers two values.

A tile of which a thread holds one element only becomes a pair with a second half that
nobody reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.ptxas_habits import converted_word
from cuda_tile.ir.tiles import element_name, element_of, is_distributed, layout_of
from cuda_tile.ir.walk import defining_op

Pair = tuple[ir.Value, ...]

BYTES = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f8E5M3FNU", "f4E2M1FN")
"""Elements that a thread holds in a byte each, of which two make an i16."""
HALVES = ("f16", "bf16")
"""Elements of which two make a vector."""
WORD_BYTES = 4


def word_of_halves(b: Builder, low: ir.Value, high: ir.Value) -> ir.Value:
    """Two i16 as one i32.

    Args:
        b: The builder.
        low: The lower half.
        high: The upper half.
    """
    if all(map(_is_converted, (low, high))):
        return converted_word(b, low, high)
    w = b.binary
    upper = w("shl", b.op("llvm.zext", b.i32, high), 16)
    return w("or", b.op("llvm.zext", b.i32, low), upper)


def _is_converted(half: ir.Value) -> bool:
    """Whether one instruction gave 16 bits, in a register of their own."""
    made = defining_op(half)
    return made is not None and made.name == "llvm.inline_asm"


def widened(b: Builder, x: ir.Value) -> list[ir.Value]:
    """The f32 that 16-bit floats are.

    A bf16 is the upper half of its f32, which one instruction makes of a word of two.
    Others become f32 one by one: of a vector, LLVM adds none as it is on sm_120.

    Args:
        b: The builder.
        x: A float, or a vector of them.
    """
    count = ir.VectorType(x.type).shape[0] if isinstance(x.type, ir.VectorType) else 1
    if x.type == b.vector_type(2, b.bf16):
        word = b.bitcast(x, b.i32)
        halves = b.binary("shl", word, 16), b.binary("and", word, -1 << 16)
        return [b.bitcast(half, b.f32) for half in halves]
    return [b.op("llvm.fpext", b.f32, each) for each in b.elements(x, count)]


def halves_of_word(b: Builder, word: ir.Value) -> tuple[ir.Value, ir.Value]:
    """One i32 as two i16.

    Args:
        b: The builder.
        word: The word.
    """
    upper = b.binary("lshr", word, 16)
    return b.op("llvm.trunc", b.i16, word), b.op("llvm.trunc", b.i16, upper)


def byte_words(e: Emitter, fragment: Fragment) -> list[ir.Value]:
    """A fragment of bytes as i32 of four, or as one i16 or i8 where it is shorter.

    Args:
        e: The emitter.
        fragment: The fragment.
    """
    b = e.builder
    count = min(WORD_BYTES, fragment.layout.n_registers)
    integer = ir.IntegerType.get_signless(8 * count)
    return [b.bitcast(v, integer) for v in e.packer.packed(fragment, count)]


def set_byte_words(e: Emitter, result: ir.Value, words: Sequence[ir.Value]) -> None:
    """Inverse of `byte_words`: the words become the fragment of `result`.

    Args:
        e: The emitter.
        result: The result.
        words: The words (i32).
    """
    b, layout = e.builder, layout_of(result)
    count = min(WORD_BYTES, layout.n_registers)
    ty = b.vector_type(count, b.i8)
    e.set(result, Fragment(layout, tuple(b.bitcast(w, ty) for w in words), count))


def pairs_of(e: Emitter, value: ir.Value) -> list[Pair]:
    """The elements of a tile that a thread holds, two by two.

    Args:
        e: The emitter.
        value: The tile.
    """
    element, b = element_name(element_of(value)), e.builder
    if not is_distributed(value) or layout_of(value).n_registers == 1:
        single = (
            e.packer.scalars(e.fragment(value))[0]
            if is_distributed(value)
            else e.scalar(value)
        )
        if element in BYTES:
            return [(b.op("llvm.zext", b.i16, single),)]
        if element in HALVES:
            return [(b.vector([single, single]),)]
        return [(single, single)]
    fragment = e.fragment(value)
    if element in BYTES:
        words = byte_words(e, fragment)
        if fragment.layout.n_registers == 2:
            return [(word,) for word in words]
        return [(half,) for word in words for half in halves_of_word(b, word)]
    if element in HALVES:
        return [(vector,) for vector in e.packer.packed(fragment, 2)]
    scalars = e.packer.scalars(fragment)
    return list(zip(scalars[0::2], scalars[1::2], strict=True))


def set_pairs(e: Emitter, result: ir.Value, pairs: Sequence[Pair]) -> None:
    """Inverse of `pairs_of`: the pairs become what stands for `result`.

    Args:
        e: The emitter.
        result: The result.
        pairs: The pairs.
    """
    element, b = element_name(element_of(result)), e.builder
    if not is_distributed(result) or layout_of(result).n_registers == 1:
        first = pairs[0][0]
        if element in BYTES:
            first = b.op("llvm.trunc", b.i8, first)
        elif element in HALVES:
            first = b.elements(first, 2)[0]
        is_tile = is_distributed(result)
        e.set(result, Fragment(layout_of(result), (first,)) if is_tile else first)
        return
    layout = layout_of(result)
    values = [value for pair in pairs for value in pair]
    if element in HALVES:
        e.set(result, Fragment(layout, tuple(values), 2))
    elif element in BYTES:
        if layout.n_registers > 2:
            halves = zip(values[0::2], values[1::2], strict=True)
            values = [word_of_halves(b, low, high) for low, high in halves]
        set_byte_words(e, result, values)
    else:
        e.set(result, Fragment(layout, tuple(values)))


def singles(e: Emitter, pair: Pair) -> list[ir.Value]:
    """A pair of f16, bf16 or wider as two values.

    Args:
        e: The emitter.
        pair: The pair.
    """
    return e.packer.split(pair[0], 2) if len(pair) == 1 else list(pair)
