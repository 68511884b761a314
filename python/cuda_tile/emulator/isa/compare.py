# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Comparison and Selection Instructions" and the half-precision ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Negated
from cuda_tile.emulator.ptx.types import PRED, TYPES, Array, Type
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

CHAPTER = Chapter("Comparison and Selection Instructions")

Fn = Callable[[Array, Array], Array]

_INTEGERS = ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64")
_FLOATS = ("f32", "f64")
_HALVES = ("f16", "f16x2", "bf16", "bf16x2")
_ORDERED: dict[str, Fn] = {
    "eq": np.equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
# Unsigned spellings of the orders: lower, lower or same, higher, higher or same.
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_COMPARISONS = (
    *("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"),
    *("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"),
)


def comparison(name: str, ty: Type, form: Form) -> Fn:
    """Returns the comparison `name` of PTX on arrays of one type.

    For floats the plain names are false and the `u` names true where a NaN stands.
    """
    if not ty.is_float:
        if name in _UNSIGNED and ty.kind == "u":
            return _ORDERED[_UNSIGNED[name]]
        if name == "ne":
            return np.not_equal
        if name not in _ORDERED or (ty.kind == "b" and name != "eq"):
            form.error(f"expected a comparison of {ty} values, got '.{name}'")
        return _ORDERED[name]
    if name == "ne":
        return lambda x, y: (x < y) | (x > y)
    if name == "neu":
        return np.not_equal
    if name in ("num", "nan"):
        is_nan = name == "nan"
        return lambda x, y: ((x != x) | (y != y)) == is_nan
    if name.endswith("u") and name[:-1] in _ORDERED:
        ordered = _ORDERED[name[:-1]]
        return lambda x, y: ordered(x, y) | (x != x) | (y != y)
    if name not in _ORDERED:
        form.error(f"expected a comparison of {ty} values, got '.{name}'")
    return _ORDERED[name]


def _combine(name: str) -> Fn:
    return {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[name]


def _as_is(fn: Fn) -> Fn:
    return fn


def _halves(x: Array, ty: Type, place: int | None, algebra: Algebra | None) -> Array:
    """Widens f16 or bf16 values to f32; `place` picks one of a packed pair."""
    if algebra:
        elements = exact.halves(algebra, x, exact.half_name(ty))
        return elements if place is None else elements[place::2]
    element = np.dtype(np.float16 if ty.name.startswith("f16") else np.uint16)
    values = np.ascontiguousarray(x).view(element)
    if place is not None:
        values = values.reshape(-1, 2)[:, place]
    if element == np.uint16:
        return numerics.bf16_to_f32(np.ascontiguousarray(values))
    return values.astype(np.float32)


def _on_type(
    name: str, ty: Type, form: Form, ftz: bool, algebra: Algebra | None
) -> list[Fn]:
    """Returns the comparison of each element of the type (two for packed pairs)."""
    compared = algebra.compared if algebra else _as_is
    if ty.name not in _HALVES:
        fn = comparison(name, ty, form)
        if ty.is_float and algebra:
            return [compared(fn)]
        if ftz:
            return [lambda x, y: fn(numerics.flush(x), numerics.flush(y))]
        return [fn]
    single = compared(comparison(name, TYPES["f32"], form))

    def at(place: int | None) -> Fn:
        def compare(x: Array, y: Array) -> Array:
            pair = (_halves(v, ty, place, algebra) for v in (x, y))
            return single(*pair)

        return compare

    return [at(0), at(1)] if ty.name.endswith("x2") else [at(None)]


@CHAPTER.instruction("setp")
def setp(form: Form, b: Builder) -> Compiled:
    """Comparison setp: `p|q` get the comparison and its negation, or each half's."""
    name = form.choice(*_COMPARISONS)
    combine = form.option("and", "or", "xor")
    ftz = form.flag("ftz")
    every = (*_INTEGERS, *_FLOATS, *_HALVES)
    ty = form.type(*(("f32", "f16", "f16x2") if ftz else every))
    fns = _on_type(name, ty, form, ftz and ty.name == "f32", b.algebra)
    operands = form.operands(4 if combine else 3)
    p, q = b.pair(operands[0])
    first, second = b.src(operands[1], ty), b.src(operands[2], ty)
    dst = b.dst(p, PRED)
    if b.algebra and ty.name in _FLOATS:
        fns = [exact.on_elements(b, fn, operands[1:3]) for fn in fns]
    if not combine and q is None and len(fns) == 1:
        return b.elementwise(fns[0], dst, first, second)
    other = b.dst(q, PRED) if q is not None else None
    extra = b.pred(operands[3]) if combine else None
    negated = combine != "" and isinstance(operands[3], Negated)
    join = _combine(combine) if combine else None

    def run(lanes: Lanes) -> None:
        index = lanes.index
        x, y = first[index], second[index]
        results = [fn(x, y) for fn in fns]
        if len(results) == 1:
            results.append(~results[0])
        if join is not None and extra is not None:
            c = extra[index] ^ negated
            results = [join(result, c) for result in results]
        dst[index] = results[0]
        if other is not None:
            other[index] = results[1]

    return b.step(run)


@CHAPTER.instruction("set")
def set_(form: Form, b: Builder) -> Compiled:
    """Comparison set: true is all ones, or 1.0 for a float destination."""
    name = form.choice(*_COMPARISONS)
    combine = form.option("and", "or", "xor")
    ftz = form.flag("ftz")
    result_type = form.type("u16", "s16", "u32", "s32", "f32", *_HALVES)
    ty = form.type(*_set_sources(result_type, ftz=ftz))
    fns = _on_type(name, ty, form, ftz and ty.name == "f32", b.algebra)
    operands = form.operands(4 if combine else 3)
    extra = b.pred(operands[3]) if combine else None
    negated = combine != "" and isinstance(operands[3], Negated)
    join = _combine(combine) if combine else None
    is_packed = len(fns) == 2
    true = _true_bits(result_type, is_packed)
    if b.algebra and ty.name in _FLOATS:
        fns = [exact.on_elements(b, fn, operands[1:3]) for fn in fns]
    first, second = b.src(operands[1], ty), b.src(operands[2], ty)
    bits = TYPES[f"b{result_type.bits}"]
    dst = b.dst(operands[0], bits)

    def run(lanes: Lanes) -> None:
        index = lanes.index
        x, y = first[index], second[index]
        total = np.zeros(lanes.count, bits.dtype)
        for place, fn in enumerate(fns):
            result = fn(x, y)
            if join is not None and extra is not None:
                result = join(result, extra[index] ^ negated)
            total |= np.where(result, bits.dtype.type(true << (16 * place)), 0)
        dst[index] = total

    return b.step(run)


def _set_sources(result: Type, *, ftz: bool) -> tuple[str, ...]:
    """PTX ISA, set: which types are compared for a type of the result."""
    halves = ("f16",) if ftz else ("f16", "bf16")
    singles = ("f32",) if ftz else (*_INTEGERS, *_FLOATS)
    match result.name:
        case "f16":
            return (*singles, "f16")
        case "bf16":
            return () if ftz else (*singles, *halves)
        case "f16x2" | "bf16x2":
            return (result.name.removeprefix("b" if ftz else ""),)
        case "f32":
            return singles
        case "u16" | "s16":
            return halves
        case _:
            return (*singles, *halves, *(f"{half}x2" for half in halves))


def _true_bits(ty: Type, is_packed: bool) -> int:
    """The bits of "true" in the destination type, of one element.

    Comparisons of pairs fill each half of an integer.
    """
    ones = {"f32": 0x3F800000, "f16": 0x3C00, "f16x2": 0x3C00}
    ones |= {"bf16": 0x3F80, "bf16x2": 0x3F80}
    if ty.name in ones:
        return ones[ty.name]
    return 0xFFFF if is_packed else (1 << ty.bits) - 1


@CHAPTER.instruction("selp")
def selp(form: Form, b: Builder) -> Compiled:
    """Selection selp: `c ? a : b`."""
    ty = form.type(*_INTEGERS, *_FLOATS)
    d, x, y, p = form.operands(4)
    dst, first, second = b.dst(d, ty), b.src(x, ty), b.src(y, ty)
    return b.elementwise(np.where, dst, b.src(p, PRED), first, second)


@CHAPTER.instruction("slct")
def slct(form: Form, b: Builder) -> Compiled:
    """Selection slct: `c >= 0 ? a : b`; NaN selects `b`."""
    ftz = form.flag("ftz")
    ty = form.type(*_INTEGERS, *_FLOATS)
    sign = form.type("f32") if ftz else form.type("s32", "f32")
    d, x, y, z = form.operands(4)

    def fn(c: Array, v: Array, w: Array) -> Array:
        return np.where((numerics.flush(c) if ftz else c) >= 0, v, w)

    sources = b.src(z, sign), b.src(x, ty), b.src(y, ty)
    return b.elementwise(fn, b.dst(d, ty), *sources)
