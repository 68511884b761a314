# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What integer instructions compute of values of which a part is known.

PTX ISA: "Integer Arithmetic Instructions", "Logic and Shift Instructions",
"Comparison and Selection Instructions", "Data Movement and Conversion Instructions".
Where all operands are numbers, the result is; sums of symbols go through sums, products
with constants and what only touches other bits. Anything else is the same for all
threads if its operands are, and then a symbol of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cuda_tile.emulator.proof.quotients import field, high_half, quotient
from cuda_tile.emulator.proof.values import (
    Made,
    Value,
    constant,
    is_one,
    made,
    plus,
    scaled,
    symbol,
    unknown,
    wrapped,
)
from cuda_tile.emulator.ptx.types import Array

_COMPARED: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_MERELY: dict[str, Callable[..., Array]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "neg": np.negative,
}
_BITWISE = frozenset({"and", "or", "xor", "not", "lop3"})
_INTEGERS = frozenset({"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"})
_BITS = _INTEGERS | {"b8", "b16", "b32", "b64", "pred"}


def computed(opcode: str, modifiers: Sequence[str], operands: Sequence[Value]) -> Value:
    """The value that an instruction computes.

    Args:
        opcode: Its first word.
        modifiers: The others.
        operands: The values of its sources.
    """
    types = [m for m in modifiers if m in _BITS]
    if not types or len(operands) == 0:
        return _other(opcode, modifiers, operands)
    bits = _width(types[0])
    is_signed = types[0][0] == "s"
    found = _sum(opcode, modifiers, operands, bits)
    if found is None:
        arrays = [value.numbers for value in operands]
        known = [
            wrapped(a, _width(types[-1]), is_signed=is_signed)
            for a in arrays
            if a is not None
        ]
        is_bitwise = opcode in _BITWISE
        if len(known) == len(operands) and (
            is_bitwise or not _is_wide(known, bits, is_signed)
        ):
            found = _number(opcode, modifiers, known, (bits, types))
    if found is None:
        return _other(opcode, modifiers, operands)
    origins = frozenset[str]().union(*(value.origins for value in operands))
    return found._replace(origins=origins)


def _is_wide(known: Sequence[Array], bits: int, is_signed: bool) -> bool:
    """Whether numbers are unsigned ones that an int64 does not hold."""
    return bits == 64 and not is_signed and any((array < 0).any() for array in known)


def _width(kind: str) -> int:
    return 1 if kind == "pred" else int(kind[1:])


def _sum(
    opcode: str, modifiers: Sequence[str], operands: Sequence[Value], bits: int
) -> Value | None:
    """The result of what can be computed on sums of symbols; None of others."""
    one, other = operands[0], operands[-1]
    if opcode == "mul" and modifiers == ("hi", "u32"):
        return high_half(one, constant(other))
    if {"hi", "sat", "cc"} & {*modifiers}:
        return None
    match opcode:
        case "mov" | "cvta" | "cvt":
            return _boolean(one) if bits == 1 else _converted(modifiers, one)
        case "add" | "sub":
            return plus(one, other, bits, 1 if opcode == "add" else -1)
        case "mul" | "mad":
            return _multiplied(opcode, modifiers, operands, bits)
        case "shl":
            by = constant(other)
            return None if by is None or by >= bits else scaled(one, 1 << by, bits)
        case _ if one.terms or other.terms:
            return _of_symbols(opcode, modifiers, operands, bits)
        case _:
            return None


def _boolean(value: Value) -> Value:
    """A predicate: any number but zero is 1."""
    numbers = value.numbers
    return value if numbers is None else Value((numbers != 0).astype(np.int64))


def _multiplied(
    opcode: str, modifiers: Sequence[str], operands: Sequence[Value], bits: int
) -> Value | None:
    """A product, and a sum with it."""
    wide = 2 * bits if "wide" in modifiers else bits
    one, other, *more = operands
    if wide > bits and modifiers[-1][0] == "s":
        one, other = _extended(one, bits), _extended(other, bits)
    product = _product(one, other, wide)
    if product is None or opcode == "mul":
        return product
    return plus(product, more[0], wide)


def _of_symbols(
    opcode: str, modifiers: Sequence[str], operands: Sequence[Value], bits: int
) -> Value | None:
    """What else can be computed on sums of symbols."""
    one, other = operands[0], operands[-1]
    match opcode:
        case "not" if one.array is not None and bits in {32, 64}:
            return plus(scaled(one, -1, bits), _like(one, -1), bits)
        case "bfe" if modifiers == ("u32",):
            return field(one, *(constant(value) for value in operands[1:3]))
        case "shr" | "div" | "rem" if one.terms:
            return quotient(opcode, one, constant(other), bits)
        case "or" | "xor":
            return _beside(one, other, bits)
        case "and":
            return _masked(one, other, bits)
        case _:
            return None


def _like(value: Value, number: int) -> Value:
    """One number for as many threads."""
    assert value.array is not None, "sums have numbers"
    return Value(np.full(value.array.size, number, np.int64))


def _extended(value: Value, bits: int) -> Value:
    """A signed number of more bits."""
    if value.terms or value.array is None:
        return value
    return value._replace(array=wrapped(value.array, bits, is_signed=True))


def _product(one: Value, other: Value, bits: int) -> Value | None:
    for value, factor in ((one, constant(other)), (other, constant(one))):
        if factor is not None and value.array is not None:
            return scaled(value, factor, bits)
    arrays = one.numbers, other.numbers
    if arrays[0] is None or arrays[1] is None:
        return None
    return made(arrays[0] * arrays[1], (), bits, frozenset())


def _converted(modifiers: Sequence[str], value: Value) -> Value | None:
    """A move, or a conversion of integers to as many bits or more."""
    types = [m for m in modifiers if m[0] in "usbf" and m[1:].isdigit()]
    if value.array is None or not types:
        return value if value.array is None else None
    if any(t not in _BITS for t in types) and len(types) > 1:
        return None
    to, source = _width(types[0]), _width(types[-1])
    if value.terms:
        return value if to >= source else None
    is_signed = types[-1][0] == "s"
    return made(wrapped(value.array, source, is_signed=is_signed), (), to, frozenset())


def _alignment(value: Value) -> int:
    """The greatest power of two, up to 2^32, that divides the symbols' sum."""
    least = 1 << 32
    for _, count in value.terms:
        least = min(least, count & -count)
    return least


def _beside(one: Value, other: Value, bits: int) -> Value | None:
    """A sum with a number in whose bits a sum of symbols has none."""
    if other.terms:
        one, other = other, one
    numbers = other.numbers
    if one.array is None or numbers is None:
        return None
    step = _alignment(one)
    low = one.array & (step - 1)
    if (numbers < 0).any() or (numbers >= step).any() or (low & numbers).any():
        return None
    return plus(one, other, bits)


def _masked(one: Value, other: Value, bits: int) -> Value | None:
    """What is left of a sum by a mask of its low or of its high bits."""
    if other.terms:
        one, other = other, one
    mask, step = constant(other), _alignment(one)
    if mask is None or one.array is None:
        return None
    if 0 <= mask < step:
        return made(one.array & mask, (), bits, frozenset())
    cleared = ~mask & ((1 << min(bits, 63)) - 1)
    if cleared < step and cleared & (cleared + 1) == 0:
        return made(one.array & ~cleared, one.terms, bits, frozenset())
    return None


def _number(
    opcode: str,
    modifiers: Sequence[str],
    known: Sequence[Array],
    kind: tuple[int, Sequence[str]],
) -> Value | None:
    """The result of numbers."""
    bits, types = kind
    result: Array | None = None
    match opcode:
        case _ if {"relu", "sat", "cc"} & {*modifiers}:
            pass
        case "setp" if not {"and", "or", "xor"} & {*modifiers}:
            compare = next((c for m in modifiers if (c := _COMPARED.get(m))), None)
            result = None if compare is None else compare(known[0], known[1])
            bits = 1
        case "shr":
            by = np.clip(known[1], 0, min(bits, 63))
            source = (
                known[0]
                if types[0][0] == "s"
                else wrapped(known[0], bits, is_signed=False)
            )
            result = None if bits == 64 and (source < 0).any() else source >> by
        case "shl":
            result = np.where(known[1] < bits, known[0] << np.clip(known[1], 0, 63), 0)
        case "div" | "rem" if (known[1] > 0).all() and (known[0] >= 0).all():
            divide = np.floor_divide if opcode == "div" else np.remainder
            result = divide(known[0], known[1])
        case "bfe" if bits == 32:
            result = _field(known, is_signed=types[0] == "s32")
        case "lop3":
            result = _looked_up(known)
        case "mul" if "hi" in modifiers and bits == 32:
            result = known[0] * known[1] >> 32
        case _ if opcode in _MERELY and not {"f16", "f32", "f64"} & set(modifiers):
            result = _MERELY[opcode](*known)
        case _:
            pass
    return (
        None
        if result is None
        else made(np.asarray(result, np.int64), (), bits, frozenset())
    )


def _field(known: Sequence[Array], *, is_signed: bool) -> Array:
    """`bfe` of 32 bits: some bits of a number from a place on."""
    source, first, count = (
        array & 0xFF if n else array for n, array in enumerate(known)
    )
    first, count = np.minimum(first, 32), np.minimum(count, 32)
    if not is_signed:
        return source >> first & (1 << count) - 1
    count = np.minimum(count, 32 - first)  # behind the sign there are copies of it
    field = source >> first & (1 << count) - 1
    sign = np.where(count > 0, field >> np.maximum(count - 1, 0) & 1, 0)
    return field - (sign << count)


def _looked_up(known: Sequence[Array]) -> Array:
    """`lop3`: bit by bit what a table says of three bits."""
    *parts, table = known
    result = np.zeros_like(parts[0])
    for row in range(8):
        if int(table[0]) >> row & 1:
            bits = [
                part if row >> (2 - place) & 1 else ~part
                for place, part in enumerate(parts)
            ]
            result |= bits[0] & bits[1] & bits[2]
    return result


def _other(opcode: str, modifiers: Sequence[str], operands: Sequence[Value]) -> Value:
    """What nobody follows; of what all threads have alike, a symbol."""
    if not operands or not all(map(is_one, operands)):
        return unknown(*operands)
    array = operands[0].array
    if array is None or any(value.array is None for value in operands):
        return unknown(*operands, is_uniform=True)
    parts = tuple((int(v.array[0]), v.terms) for v in operands if v.array is not None)
    origins = frozenset[str]().union(*(value.origins for value in operands))
    return symbol(Made((opcode, *modifiers), parts), array.size, origins)
