# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family convert: conversions between element types.

A conversion between floats goes from the source's carrier (`narrow.py`) to the
result's, and rounds once on the way: docs/conversions.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.implied_clamps import without_implied
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.integer_bytes import can_spread, extend_nibbles, spread_bytes
from cuda_tile.emit.narrow import (
    CARRIERS,
    carrier,
    clamps_to,
    decoded,
    encoded,
    encoded_f16,
    encodes_f16,
)
from cuda_tile.emit.offsets import Root
from cuda_tile.emit.pairs import (
    Pair,
    pairs_of,
    set_byte_words,
    set_pairs,
    singles,
    widened,
)
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_name, element_of, is_distributed, layout_of
from cuda_tile.ir.walk import op_stem

_NIBBLE = 4
_PTX_ROUNDING = {"zero": "rz", "negative_inf": "rm", "positive_inf": "rp"}
_F32_INTEGER_BITS = 24
"""Integers of so many bits are f32 without rounding."""
_CLAMPS = {"f8E4M3FN": 448, "f8E5M2": 57344, "f8E5M3FNU": 114688, "f4E2M1FN": 6}
"""Largest values of formats that saturate; f32 holds all smaller integers."""


def _result_type(e: Emitter, op: ir.Operation) -> ir.Type:
    return e.element_type(element_of(op.results[0]))


# Between integers, bits and pointers --------------------------------------------------


@RULES.register("exti")
def exti(e: Emitter, op: ir.Operation) -> None:
    """Sign or zero extension; an i4 stands in the low half of a byte.

    What differs by known constants still does, unless a sign becomes a digit.
    """
    b, ty = e.builder, _result_type(e, op)
    is_signed = keyword(op, "signedness") == "signed"
    name = "llvm.sext" if is_signed else "llvm.zext"
    is_nibble = element_name(element_of(op.operands[0])) == "i4"
    fits_nibble = element_name(element_of(op.results[0])) == "i4"
    low = e.facts.of(op.operands[0]).low
    is_same = not is_nibble and (is_signed or (low is not None and low >= 0))

    firsts: dict[Root, tuple[ir.Value, int]] = {}

    def extend(x: ir.Value) -> ir.Value:
        if is_nibble and is_signed:
            w = b.binary
            x = w("ashr", w("shl", x, _NIBBLE), _NIBBLE)
        if x.type != ty:
            root, constant = e.offsets.of(x)
            x = b.op(name, ty, x)
            if is_same:
                first, start = firsts.setdefault(root, (x, constant))
                e.offsets.note(x, root, constant)
                e.forms.note_moved(x, first, constant - start)
        return b.binary("and", x, 0xF) if fits_nibble else x

    if is_nibble and is_signed and not fits_nibble and ty == b.i8:
        extend_nibbles(e, op)
        return
    e.elementwise(op, extend)


@RULES.register("trunci")
def trunci(e: Emitter, op: ir.Operation) -> None:
    """The low bits."""
    b, ty = e.builder, _result_type(e, op)
    is_nibble = element_name(element_of(op.results[0])) == "i4"

    def cut(x: ir.Value) -> ir.Value:
        if x.type != ty:
            x = b.op("llvm.trunc", ty, x)
        return b.binary("and", x, 0xF) if is_nibble else x

    e.elementwise(op, cut)


@RULES.register("bitcast")
def bitcast(e: Emitter, op: ir.Operation) -> None:
    """The same bits; nothing at all between types that registers hold alike."""
    ty = _result_type(e, op)
    if e.element_type(element_of(op.operands[0])) == ty:
        _hand_on(e, op)
        return
    e.elementwise(op, lambda a: e.builder.bitcast(a, ty))


def _hand_on(e: Emitter, op: ir.Operation) -> None:
    """The result is what stands for the operand."""
    source, result = op.operands[0], op.results[0]
    if not is_distributed(result):
        e.set(result, e.get(source))
        return
    old = e.fragment(source)
    e.set(result, Fragment(layout_of(result), old.values, old.pack))


@RULES.register("int_to_ptr", "ptr_to_int")
def between_pointers(e: Emitter, op: ir.Operation) -> None:
    """An integer as an address of global memory, and back."""
    name = "llvm." + op_stem(op).replace("_", "")
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.op(name, ty, a))


@RULES.register("ptr_to_ptr")
def ptr_to_ptr(e: Emitter, op: ir.Operation) -> None:
    """The same address: LLVM's pointers have no pointee type."""
    _hand_on(e, op)


# Between floats -----------------------------------------------------------------------


def _per_element(pair: Pair, change: Callable[[ir.Value], ir.Value]) -> Pair:
    low, high = pair
    return (change(low), change(high))


def _ptx(e: Emitter, name: str, to: ir.Type) -> Callable[[ir.Value], ir.Value]:
    """One `cvt` of a value; `letter` is the register class of the result."""

    def apply(x: ir.Value) -> ir.Value:
        return e.builder.ptx_value(f"{name} $0, $1;", to, x)

    return apply


def _odd_f32(e: Emitter, x: ir.Value, exact: str, back: str, name: str) -> ir.Value:
    """A value as f32 rounded to odd: toward zero, and the last bit set if inexact.

    Another rounding to a type of two bits less then rounds as if from the exact value.

    Args:
        e: The emitter.
        x: The exact value.
        exact: Its type as PTX calls it, such as `f64` or `s32`.
        back: LLVM's operation from f32 to the type of `x`.
        name: LLVM's comparison that says whether the value came back changed.
    """
    b = e.builder
    near = _ptx(e, f"cvt.rz.f32.{exact}", b.f32)(x)
    again = b.op(back, x.type, near)
    compare = b.fcmp if exact == "f64" else b.icmp
    sticky = b.op("llvm.zext", b.i32, compare(name, again, x))
    return b.bitcast(b.binary("or", b.bitcast(near, b.i32), sticky), b.f32)


def _to_f32(e: Emitter, kind: str, pair: Pair) -> Pair:
    """A pair of any carrier as f32: exact, or rounded to odd from f64."""
    if kind == "f64":
        return _per_element(pair, lambda x: _odd_f32(e, x, "f64", "llvm.fpext", "une"))
    if kind == "f32":
        return pair
    return tuple(widened(e.builder, pair[0]))


def _to_base(e: Emitter, kind: str, pair: Pair, to: str, mode: str) -> Pair:
    """A pair of f16, bf16, f32 or f64 as another of these, rounded once."""
    b = e.builder
    if kind == to:
        return pair
    if to == "f64":
        low, high = (b.op("llvm.fpext", b.f64, x) for x in singles(e, pair))
        return (low, high)
    if to == "f32" and kind == "f64":
        if mode == "nearest_even":
            return _per_element(pair, lambda x: b.op("llvm.fptrunc", b.f32, x))
        cvt = f"cvt.{_PTX_ROUNDING[mode]}.f32.f64"
        return _per_element(pair, _ptx(e, cvt, b.f32))
    if to == "f32":
        return _to_f32(e, kind, pair)
    if to == "f16" and kind == "f64" and mode == "nearest_even":
        return (e.packer.pack_values([b.op("llvm.fptrunc", b.f16, x) for x in pair]),)
    if to == "f16" and mode == "zero":
        return _to_f16_down(e, kind, pair)
    pair = _to_f32(e, kind, pair)
    if to == "bf16" and mode == "zero":
        return (e.packer.pack_values([_to_bf16_down(e, x) for x in pair]),)
    ty = b.vector_type(2, b.f16 if to == "f16" else b.bf16)
    return (b.op("llvm.fptrunc", ty, e.packer.pack_values(pair)),)


def _to_f16_down(e: Emitter, kind: str, pair: Pair) -> Pair:
    """To f16, toward zero."""
    b = e.builder
    if kind != "f64":
        kind, pair = "f32", _to_f32(e, kind, pair)
    cvt = _ptx(e, f"cvt.rz.f16.{kind}", b.i16)
    return (e.packer.pack_values([b.bitcast(cvt(x), b.f16) for x in pair]),)


def _to_bf16_down(e: Emitter, x: ir.Value) -> ir.Value:
    """To bf16, toward zero: the upper half of an f32, but for a NaN."""
    b = e.builder
    upper = b.op("llvm.trunc", b.i16, b.binary("lshr", b.bitcast(x, b.i32), 16))
    nan = b.constant(b.i16, 0x7FFF)
    return b.bitcast(b.select(b.fcmp("uno", x, x), nan, upper), b.bf16)


def _narrowed(e: Emitter, kind: str, pair: Pair, to: str, mode: str) -> Pair:
    """A pair of a carrier type as any float type, rounded once."""
    if to not in CARRIERS:
        return _to_base(e, kind, pair, to, mode)
    if kind == "f16" and encodes_f16(e, to):
        return encoded_f16(e, to, pair)
    return encoded(e, to, _to_f32(e, kind, pair), mode)


def _effective_mode(source: str, result: str, mode: str) -> str:
    """The rounding mode where it matters; what is exact may as well be to nearest."""
    directed = {("f64", "f32"): ("negative_inf", "positive_inf")}
    known = ("nearest_even", "zero", *directed.get((source, result), ()))
    if result == "f8E8M0FNU":
        return mode
    if result == "tf32" and source == "f32":
        known = (*known, "nearest_away")
    return mode if mode in known else "nearest_even"


@RULES.register("ftof")
def ftof(e: Emitter, op: ir.Operation) -> None:
    """Rounded once, in pairs."""
    source, result = (
        element_name(element_of(v)) for v in (op.operands[0], op.results[0])
    )
    mode = keyword(op, "rounding_mode", "nearest_even")
    mode = _effective_mode(source, result, mode)
    kind = carrier(e, source)
    taken = op.operands[0]
    if (largest := clamps_to(result)) is not None:  # implied_clamps C1
        taken = without_implied(taken, largest)
    set_pairs(
        e,
        op.results[0],
        [
            _narrowed(e, kind, decoded(e, source, pair), result, mode)
            for pair in pairs_of(e, taken)
        ],
    )


# Between integers and floats ----------------------------------------------------------


@RULES.register("itof")
def itof(e: Emitter, op: ir.Operation) -> None:
    """Integer to float, rounded once to nearest even, or clamped by small formats."""
    b, result = e.builder, element_name(element_of(op.results[0]))
    is_signed = keyword(op, "signedness") == "signed"
    convert = "llvm.sitofp" if is_signed else "llvm.uitofp"

    def wide(x: ir.Value) -> ir.Value:
        if ir.IntegerType(x.type).width >= b.i32.width:
            return x
        return b.op("llvm.sext" if is_signed else "llvm.zext", b.i32, x)

    source_bits = ir.IntegerType(element_of(op.operands[0])).width
    if can_spread(op, result, is_signed=is_signed):
        spread_bytes(e, op, result, is_signed=is_signed)
        return
    if result in ("f16", "f32", "f64"):
        to = _result_type(e, op)
        e.elementwise(op, lambda x: b.op(convert, to, wide(x)))
        return

    def single(x: ir.Value) -> ir.Value:
        x = wide(x)
        if result in _CLAMPS:
            x = _clamped(e, x, _CLAMPS[result], is_signed=is_signed)
        elif source_bits > _F32_INTEGER_BITS:
            return _odd_of_integer(e, x, is_signed=is_signed)
        return b.op(convert, b.f32, x)

    set_pairs(
        e,
        op.results[0],
        [
            _narrowed(e, "f32", _per_element(pair, single), result, "nearest_even")
            for pair in pairs_of(e, op.operands[0])
        ],
    )


def _clamped(e: Emitter, x: ir.Value, most: int, *, is_signed: bool) -> ir.Value:
    """An integer clamped to -most..most."""
    b, sign = e.builder, "s" if is_signed else "u"
    x = b.op(f"llvm.intr.{sign}min", x.type, x, b.constant(x.type, most))
    if is_signed:
        x = b.op("llvm.intr.smax", x.type, x, b.constant(x.type, -most))
    return x


def _odd_of_integer(e: Emitter, x: ir.Value, *, is_signed: bool) -> ir.Value:
    sign = "s" if is_signed else "u"
    exact = f"{sign}{ir.IntegerType(x.type).width}"
    return _odd_f32(e, x, exact, f"llvm.fpto{sign}i", "ne")


@RULES.register("ftoi")
def ftoi(e: Emitter, op: ir.Operation) -> None:
    """Float to integer, rounded towards zero; `saturating` clamps, NaN becomes zero.

    To i1 it is a comparison with zero, which a NaN is not equal to. From other types
    than f64 the value goes through f32, which holds it.
    """
    b, source = e.builder, element_name(element_of(op.operands[0]))
    kind = carrier(e, source)
    values: list[ir.Value] = []
    for pair in pairs_of(e, op.operands[0]):
        pair = decoded(e, source, pair)
        values += pair if kind == "f64" else _to_f32(e, kind, pair)
    ty, sign = _result_type(e, op), keyword(op, "signedness")[0]
    if ty == b.i1:
        zero = b.constant(values[0].type, 0.0)
        _set_values(e, op, [b.fcmp("une", x, zero) for x in values])
    elif ty == b.i8 and kind != "f64":
        _to_bytes(e, op, values, sign)
    elif flag(op, "saturating"):
        name = f"llvm.fpto{sign}i.sat.{ty}.{values[0].type}"
        _set_values(e, op, [b.intrinsic(name, ty, [x]) for x in values])
    else:
        _set_values(e, op, [b.op(f"llvm.fpto{sign}i", ty, x) for x in values])


def _set_values(e: Emitter, op: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Single values, with a copy at the end where a thread has but one element."""
    result = op.results[0]
    if not is_distributed(result):
        e.set(result, values[0])
        return
    layout = layout_of(result)
    e.set(result, Fragment(layout, tuple(values[: layout.n_registers])))


def _to_bytes(
    e: Emitter, op: ir.Operation, values: Sequence[ir.Value], sign: str
) -> None:
    """f32 to i8, clamped: the chip clamps to i32 and then two at a time to bytes.

    Values out of range are clamped without `saturating` too, which is one of the
    results that they may have.
    """
    b, result = e.builder, op.results[0]
    cvt = _ptx(e, "cvt.rzi.s32.f32", b.i32)
    numbers = [cvt(x) for x in values]
    text = f"cvt.pack.sat.{sign}8.s32.b32 $0, $1, $2, $3;"
    words: list[ir.Value] = []
    for i in range(0, len(numbers), 4):
        word = b.constant(b.i32, 0)
        part = numbers[i : i + 4]
        for low, high in reversed([*zip(part[0::2], part[1::2], strict=True)]):
            word = b.ptx_value(text, b.i32, high, low, word)
        words.append(word)
    if len(numbers) == 2:
        pair = b.op("llvm.trunc", b.i16, words[0])
        words = [pair]
    if is_distributed(result) and layout_of(result).n_registers > 1:
        set_byte_words(e, result, words)
    else:
        _set_values(e, op, [b.op("llvm.trunc", b.i8, words[0])])
