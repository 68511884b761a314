# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Part of `plan`, level T to T: stores of elements of 4 bits, one by one.

Another thread, or tile block, may be storing the other half of an element's byte. So a
store changes its 4 bits of an aligned word of 32 bits by two atomics, where the word
lies in the tensor. Of words that reach beyond its ends, where other data may lie, only
the elements' bytes are touched, without atomics, of which no chip has any for a byte:
first the low halves are put into the bytes that were loaded, then the high ones. That
is right for a tile block; two must not share such a byte, one of the tensor's first or
last three. There is none where base and size are known to be multiples of 4 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType, TileType
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.tiling import (
    TensorViewParts,
    tensor_view_op,
    tensor_view_parts,
    view_operand,
)
from cuda_tile.errors import Unsupported
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import shape_of
from cuda_tile.ir.walk import location_text, segments
from cuda_tile.passes.nibble_elements import (
    byte_pointers,
    halved,
    integer,
    low_bits,
    low_half,
    numbers_of,
    splat,
    spread,
    wide_of,
    with_element,
)

_WORD_BYTES = 4


@dataclass(frozen=True)
class _Elements:
    """What a store writes; all are tiles of one shape.

    Attributes:
        base: Pointer to the tensor's first byte, a scalar.
        numbers: Of each element its number in memory (i64).
        places: The number of its byte (i64).
        in_word: The number of that byte in its aligned word (i64).
        codes: Its bits (i8).
        inside: Whether it exists.
    """

    base: ir.Value
    numbers: ir.Value
    places: ir.Value
    in_word: ir.Value
    codes: ir.Value
    inside: ir.Value


def store_elements(op: ir.Operation, facts: FactsAnalysis) -> None:
    """A `store_view_tko` as atomics on words, and as loads and stores of bytes.

    Args:
        op: The store.
        facts: What is known of its view.

    Raises:
        Unsupported: The store is not weak: another thread could see the zeros between.
    """
    if keyword(op, "memory_ordering_semantics") != "weak":  # narrow_elements C6
        raise Unsupported(
            f"'{op.name}': expected a weak store of 4-bit elements where tiles can "
            "begin or end in the middle of a byte; make strides, extents and starts "
            "multiples of 2 (with an assume where they are known at run time only), or "
            "store bytes, i8, that pack has made",
            location_text(op),
        )
    parts = tensor_view_parts(tensor_view_op(view_operand(op)))
    elements = _elements_of(op, parts)
    tokens = segments(op)[-1]
    token = tokens[0] if tokens else None
    if _has_whole_words(parts, facts):  # narrow_elements C8
        token = _update_words(elements, elements.inside, token)
    else:
        is_whole = _lies_within(elements, parts)
        token = _update_words(elements, ct.andi(elements.inside, is_whole), token)
        cut = ct.andi(elements.inside, ct.xori(is_whole, _all(is_whole)))
        for half in range(2):
            token = _update_bytes(elements, cut, half, token)
    op.results[0].replace_all_uses_with(token)
    op.erase()


def _elements_of(op: ir.Operation, parts: TensorViewParts) -> _Elements:
    wide = integer(64)
    numbers, inside = numbers_of(op)
    base, places = byte_pointers(parts.base), halved(numbers)
    address = ct.ptr_to_int(TileType.get([], wide), base)
    at = ct.addi(spread(address, shape_of(numbers)), places)
    in_word = low_bits(at, _WORD_BYTES - 1, 0)
    codes = low_half(op.operands[0])
    return _Elements(base, numbers, places, in_word, codes, inside)


# Which words lie within the tensor ----------------------------------------------------


def _has_whole_words(parts: TensorViewParts, facts: FactsAnalysis) -> bool:
    """Whether aligned words surely hold nothing but the tensor."""
    numbers = [n for n in (*parts.shape, *parts.strides) if isinstance(n, int)]
    if len(numbers) < 2 * len(parts.shape) or facts.of(parts.base).divisor < 4:
        return False
    axes = zip(parts.shape, parts.strides, strict=True)
    last = sum(
        (n - 1) * s for n, s in axes if isinstance(n, int) and isinstance(s, int)
    )
    return (last // 2 + 1) % _WORD_BYTES == 0


def _lies_within(elements: _Elements, parts: TensorViewParts) -> ir.Value:
    """Whether the word of each element that exists lies in the tensor."""
    wide, shape = integer(64), shape_of(elements.numbers)
    one = wide_of(1)
    last = wide_of(0)
    for extent, stride in zip(parts.shape, parts.strides, strict=True):
        most = ct.subi(wide_of(extent), one)
        last = ct.addi(last, ct.muli(most, wide_of(stride)))
    size = spread(ct.addi(ct.shri(last, one, "unsigned"), one), shape)
    first = ct.subi(elements.places, elements.in_word)
    end = ct.addi(first, splat(first, wide, _WORD_BYTES))
    flags = with_element(first, integer(1))
    begins = ct.cmpi(
        flags, "greater_than_or_equal", first, splat(first, wide, 0), "signed"
    )
    return ct.andi(begins, ct.cmpi(flags, "less_than_or_equal", end, size, "signed"))


def _all(flags: ir.Value) -> ir.Value:
    return splat(flags, integer(1), 1)


# Stores -------------------------------------------------------------------------------


def _update_words(
    elements: _Elements, mask: ir.Value, token: ir.Value | None
) -> ir.Value:
    """Clears and sets 4 bits of a word for each element; gives the token behind."""
    word, wide = integer(32), integer(64)
    first = ct.subi(elements.places, elements.in_word)
    pointers = ct.offset(spread(elements.base, shape_of(first)), first)
    words = ct.ptr_to_ptr(with_element(pointers, PointerType.get(word)), pointers)
    in_bits = ct.shli(elements.in_word, splat(first, wide, 3))
    bits = ct.addi(in_bits, low_bits(elements.numbers, 1, 2))
    shift = ct.trunci(with_element(bits, word), bits)
    kept = ct.xori(ct.shli(splat(shift, word, 15), shift), splat(shift, word, -1))
    code = ct.exti(with_element(shift, word), elements.codes, "unsigned")
    for mode, value in (("and", kept), ("or", ct.shli(code, shift))):
        done = ct.atomic_rmw_tko(
            "relaxed", "device", words, mode, value, mask=mask, token=token
        )
        token = done[1]
    assert token is not None, "two atomics have been made"
    return token


def _update_bytes(
    elements: _Elements, mask: ir.Value, half: int, token: ir.Value | None
) -> ir.Value:
    """Puts the elements of one half of their bytes into these; gives the token."""
    byte, wide, numbers = integer(8), integer(64), elements.numbers
    parity = low_bits(numbers, 1, 0)
    flags = with_element(numbers, integer(1))
    is_half = ct.cmpi(flags, "equal", parity, splat(numbers, wide, half), "signed")
    mask = ct.andi(mask, is_half)
    at = ct.offset(spread(elements.base, shape_of(numbers)), elements.places)
    loaded = ct.load_ptr_tko(
        with_element(at, byte), ct.TokenType.get(), "weak", at, mask=mask, token=token
    )
    kept = ct.andi(loaded[0], splat(at, byte, 0x0F if half else -16))
    code = elements.codes
    if half:
        code = ct.shli(code, splat(at, byte, 4))
    value = ct.ori(kept, code)
    return ct.store_ptr_tko("weak", at, value, mask=mask, token=loaded[1])
