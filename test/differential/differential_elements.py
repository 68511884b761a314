# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that apply variants of ops to operands for which these are defined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from differential_program import RandomProgram
from differential_variants import VARIANTS, WIDTHS, Variant
from emit_data import DTYPES, Buffer, random_values
from emit_memory import leaf, numbers, pointers_at
from emit_program import Shape, Value, elements, tile

BASE = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")
"""Element types that the other steps work with."""
FLOATS = BASE[5:]
BY_NAME = {variant.name: variant for variant in VARIANTS}
SHAPES: tuple[Shape, ...] = (
    *((64,), (256,), (8, 16), (16, 32), (4, 64), (2, 8, 16), (128, 2)),
    *((1, 32), (32, 1), (2, 2, 2, 2, 4), (2,) * 8, (2, 1, 4, 1, 8, 1), (512,)),
)


# Tiles of any element type ------------------------------------------------------------


def memory_tile(p: RandomProgram, shape: Shape, element: str) -> Value:
    """A tile loaded through pointers, of any type that memory may hold."""
    count = elements(shape) * p.grid  # blocks read the same part or parts of their own
    data = random_values(p.generator(), count, element)
    base = p.pointer(element, Buffer(data, 0, (count,), (1,)))
    pointers = pointers_at(p, base, numbers(p, shape, each_block=False))
    value, token = Value(p.fresh(), shape, element), p.fresh("k")
    p.line(
        f"{value.name}, {token} = load_ptr_tko weak {pointers.name} : "
        f"{pointers.type} -> {value.type}, token"
    )
    return value


def any_tile(p: RandomProgram, shape: Shape, element: str) -> Value:
    """A new tile of any element type; 4-bit ones come out of bytes."""
    if element in ("f4E2M1FN", "i4"):
        count = elements(shape)
        raw = leaf(p, (count // 2,), "i8")
        flat = tile((count,), element)
        value = p.make((count,), element, f"unpack {raw.name} : {raw.type} -> {flat}")
        return reshaped(p, value, shape)
    if element not in BASE:
        return memory_tile(p, shape, element)
    return leaf(p, shape, element)


def reshaped(p: RandomProgram, value: Value, shape: Shape) -> Value:
    """The same elements in a shape."""
    if value.shape == shape:
        return value
    text = f"reshape {value.name} : {value.type} -> {tile(shape, value.element)}"
    return p.make(shape, value.element, text, is_payload=value.is_payload)


def keep(p: RandomProgram, value: Value, ulp: float = 0.0) -> None:
    """Stores a tile in an array of its own; each block has a part of it.

    In a loop nothing is stored, for it would be stored twice and in no order.
    """
    if any(frame.kind != "if" for frame in p.frames):
        return
    if value.element in ("f4E2M1FN", "i4"):
        count = elements(value.shape)
        flat = reshaped(p, value, (count,))
        text = f"pack {flat.name} : {flat.type} -> tile<{count // 2}xi8>"
        value = p.make((count // 2,), "i8", text)
    count = elements(value.shape) * p.grid
    data = np.zeros(count, DTYPES[value.element])
    buffer = Buffer(data, 0, (count,), (1,), ulp=ulp)
    base = p.pointer(value.element, buffer)
    places = numbers(p, value.shape, each_block=True)
    pointers = pointers_at(p, base, places)
    p.line(
        f"{p.fresh('k')} = store_ptr_tko weak {pointers.name}, {value.name} : "
        f"{pointers.type}, {value.type} -> token"
    )


# What operands must be like -----------------------------------------------------------


def with_constant(p: RandomProgram, op: str, value: Value, number: float) -> Value:
    """`op` of a tile and a number in every element."""
    other = p.constant(value.shape, value.element, number)
    stem, _, suffix = op.partition(" ")
    text = f"{stem} {value.name}, {other.name} {suffix} : {value.type}"
    return p.make(value.shape, value.element, text, is_payload=False)


def clamped(p: RandomProgram, value: Value, low: float, high: float) -> Value:
    """A float within bounds; NaN becomes a bound."""
    return with_constant(p, "minf", with_constant(p, "maxf", value, low), high)


def cast(p: RandomProgram, op: str, value: Value, element: str) -> Value:
    """A conversion; words behind the op's name are its attributes."""
    stem, _, how = op.partition(" ")
    result = tile(value.shape, element)
    text = f"{stem} {value.name} {how} : {value.type} -> {result}"
    return p.make(value.shape, element, text, is_payload=False)


def bounded(
    p: RandomProgram, shape: Shape, element: str, low: float, high: float
) -> Value:
    """A float of any type within bounds that the type holds."""
    if element in FLOATS:
        return clamped(p, leaf(p, shape, element), low, high)
    if element == "f8E8M0FNU":
        value = clamped(p, leaf(p, shape, "f32"), max(low, 2.0**-6), high)
        return cast(p, "ftof rounding<zero>", value, element)
    return cast(p, "ftof", clamped(p, leaf(p, shape, "f32"), low, high), element)


Domain = Callable[[RandomProgram, Variant, Shape], list[Value]]


def _any(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    return [any_tile(p, shape, element) for element in v.operands]


def _zero(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    return [with_constant(p, "andi", each, 0) for each in _any(p, v, shape)]


def _shift(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    value, amount = _any(p, v, shape)
    return [value, with_constant(p, "andi", amount, WIDTHS[v.operands[1]] - 1)]


def _divide_unsigned(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    value, divisor = _any(p, v, shape)
    return [value, with_constant(p, "ori", divisor, 1)]


def _divide_signed(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    value, divisor = _divide_unsigned(p, v, shape)
    return [with_constant(p, "shri signed", value, 1), divisor]


def _tiny(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    """So small that nothing wraps around, read with a sign or without."""
    values = [with_constant(p, "andi", each, 3) for each in _any(p, v, shape)]
    if v.text.startswith("subi"):
        values[0] = with_constant(p, "ori", values[0], 4)
    return values


def _scale(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    """Positive numbers near 1: what else becomes of a scale is not defined."""
    (element,) = v.operands
    return [bounded(p, shape, element, 0.5, 6.0)]


def _power(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    base, exponent = _any(p, v, shape)
    if v.operands[1] != "i1":
        exponent = with_constant(p, "andi", exponent, 7)
    return [clamped(p, base, -(2.0**15), 2.0**15), exponent]


def _unit(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    return [clamped(p, each, -0.5, 0.5) for each in _any(p, v, shape)]


def _ordinary(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    """A divisor for which fast division keeps its bound; normal results."""
    value, divisor = _any(p, v, shape)
    text = f"absf {divisor.name} : {divisor.type}"
    divisor = p.make(shape, divisor.element, text, is_payload=False)
    divisor = clamped(p, divisor, 2.0**-40, 2.0**40)
    text = f"absf {value.name} : {value.type}"
    value = p.make(shape, value.element, text, is_payload=False)
    return [clamped(p, value, 2.0**-60, 2.0**60), divisor]


def _whole(low: float, high: float) -> Domain:
    def make(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
        is_small = v.operands[0] == "f4E2M1FN"
        top = min(high, 6.0) if is_small else high
        return [bounded(p, shape, v.operands[0], max(low, -6.0 * is_small or low), top)]

    return make


def _bits(p: RandomProgram, v: Variant, shape: Shape) -> list[Value]:
    return [memory_tile(p, shape, v.operands[0])]


DOMAINS: dict[str, Domain] = {
    "any": _any,
    "zero": _zero,
    "shift": _shift,
    "divide signed": _divide_signed,
    "divide unsigned": _divide_unsigned,
    "tiny": _tiny,
    "scale": _scale,
    "power": _power,
    "unit": _unit,
    "ordinary": _ordinary,
    "whole signed": _whole(-100.0, 112.0),
    "whole unsigned": _whole(0.0, 192.0),
    "whole signed i1": _whole(-0.5, 0.5),
    "whole unsigned i1": _whole(0.0, 1.0),
    "bits": _bits,
}
"""Operands of a variant by the name of its domain, without a second word for `tiny`."""


def apply(p: RandomProgram, variant: Variant, shape: Shape) -> None:
    """Operands, the op, and its result in memory; exact results go into the pool."""
    stem = variant.domain.split()[0]
    domain = DOMAINS.get(variant.domain) or DOMAINS[stem]
    operands = domain(p, variant, shape)
    types = {f"t{n}": operand.type for n, operand in enumerate(operands)}
    text = variant.text.format(
        *(operand.name for operand in operands), r=tile(shape, variant.result), **types
    )
    result = p.make(shape, variant.result, text, is_payload=False)
    keep(p, result, variant.ulp)
    if not variant.ulp and variant.result in BASE:
        p.add(result)
    p.note(f"variant: {variant.name}")


def element_step(p: RandomProgram) -> None:
    """A variant: the seed of the step says which."""
    variant = VARIANTS[p.step_seed % len(VARIANTS)]
    is_packed = "f4E2M1FN" in (variant.result, *variant.operands)
    shape = p.pick((*SHAPES, (2,) if is_packed else ()))
    apply(p, variant, shape)
