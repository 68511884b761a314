# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family integer: two's complement, one LLVM operation or a few each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cuda_tile._mlir import ir
from cuda_tile.analysis.wraps import never_wraps
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.counted import Counted, by_differences, counted
from cuda_tile.emit.distance import comparison
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.integer_bytes import are_words, by_words, shifted_bytes
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, is_distributed, layout_of
from cuda_tile.layout.linear import LinearLayout

_SAME = {"addi": "llvm.add", "subi": "llvm.sub", "muli": "llvm.mul"}
_SIGNS = {"llvm.add": 1, "llvm.sub": -1}
_BY_SIGN = {
    "maxi": ("llvm.intr.smax", "llvm.intr.umax"),
    "mini": ("llvm.intr.smin", "llvm.intr.umin"),
}


def _signed(op: ir.Operation) -> bool:
    return keyword(op, "signedness") == "signed"


@RULES.register(*_SAME)
def wrapping(e: Emitter, op: ir.Operation) -> None:
    """Without `nsw`, `nuw`: a violated overflow flag would make the result poison."""
    name = _SAME[op.name.removeprefix("cuda_tile.")]
    sign = _SIGNS.get(name, 0)
    is_tile = is_distributed(op.results[0])
    is_exact = is_tile and never_wraps(e.facts.of, op)
    is_address = is_tile and str(element_of(op.results[0])) == "i64"
    factors = [e.facts.of(operand).constant for operand in op.operands]

    def combine(a: ir.Value, b: ir.Value) -> ir.Value:
        value = e.builder.op(name, a.type, a, b)
        if is_exact or is_address:
            for operand, number in zip((a, b), factors, strict=True):
                if number is not None:
                    e.forms.note_constant(operand, number)
            if sign:
                e.forms.note_sum(value, a, b, sign)
            else:
                e.forms.note_product(value, a, b)
        if is_exact:
            _note_exact(e, value, (a, b), sign, factors)
        return value

    e.elementwise(op, combine)


def _note_exact(
    e: Emitter,
    value: ir.Value,
    operands: tuple[ir.Value, ir.Value],
    sign: int,
    factors: Sequence[int | None],
) -> None:
    """Notes a sum or a product that is that of the signed numbers themselves."""
    if sign:
        e.offsets.note_sum(value, *operands, sign)
        return
    for x, factor in zip(operands, reversed(factors), strict=True):
        if factor is not None:
            e.offsets.note_product(value, x, factor)


@RULES.register(*_BY_SIGN)
def by_sign(e: Emitter, op: ir.Operation) -> None:
    """The signed or the unsigned operation, by the attribute `signedness`."""
    signed, unsigned = _BY_SIGN[op.name.removeprefix("cuda_tile.")]
    name = signed if _signed(op) else unsigned
    e.elementwise(op, lambda a, b: e.builder.op(name, a.type, a, b))


@RULES.register("absi")
def absi(e: Emitter, op: ir.Operation) -> None:
    """Absolute value; that of the smallest integer wraps to itself."""
    poison = ir.IntegerAttr.get(e.builder.i1, 0)
    e.elementwise(
        op,
        lambda a: e.builder.op("llvm.intr.abs", a.type, a, is_int_min_poison=poison),
    )


@RULES.register("negi")
def negi(e: Emitter, op: ir.Operation) -> None:
    """Zero minus the operand."""
    b = e.builder
    e.elementwise(op, lambda a: b.sub(b.constant(a.type, 0), a))


@RULES.register("mulhii")
def mulhii(e: Emitter, op: ir.Operation) -> None:
    """Upper half of the unsigned product; LLVM forms `mul.hi` of it."""
    b = e.builder

    def combine(x: ir.Value, y: ir.Value) -> ir.Value:
        width = ir.IntegerType(x.type).width
        wide = ir.IntegerType.get_signless(2 * width)
        product = b.mul(b.op("llvm.zext", wide, x), b.op("llvm.zext", wide, y))
        high = b.binary("lshr", product, width)
        return b.op("llvm.trunc", x.type, high)

    e.elementwise(op, combine)


@RULES.register("cmpi")
def cmpi(e: Emitter, op: ir.Operation) -> None:
    """One for several registers where facts say that it cannot change."""
    predicate = integer_predicate(keyword(op, "comparison_predicate"), _signed(op))
    result = op.results[0]
    if not is_distributed(result):
        e.elementwise(op, partial(e.builder.icmp, predicate))
        return
    columns = [e.packer.scalars(e.fragment(value)) for value in op.operands]
    layout, known = layout_of(result), counted(e, op)
    firsts = _first_equals(layout, e.facts.of(result).constancy, known)
    pairs = {first: [column[first] for column in columns] for first in firsts}
    made = by_differences(e, op, known, pairs) if known else {}
    others = {first: pairs[first] for first in pairs if first not in made}
    compare = comparison(e, list(others.values()), predicate)
    made |= {first: compare(*pair) for first, pair in others.items()}
    e.set(result, Fragment(layout, tuple(made[first] for first in firsts)))


def _first_equals(
    layout: LinearLayout, constancy: Sequence[int], known: Counted | None
) -> list[int]:
    """For each register the first one that surely holds the same.

    Args:
        layout: Of a tile.
        constancy: Along each dimension, elements of aligned groups of equals. Registers
            change bits of the place, so that those of a group are of one power of two.
        known: What is known of a comparison's left side, if it counts up.
    """
    groups = [number & -number for number in constancy]
    seen: dict[object, int] = {}
    firsts: list[int] = []
    for register, place in enumerate(layout.register_offsets()):
        key = [n // group for n, group in zip(place, groups, strict=True)]
        block = None if known is None else known.block(place)
        if known is not None and block is not None:
            key[known.dim] = -1
        firsts.append(seen.setdefault((*key, block), register))
    return firsts


def integer_predicate(name: str, signed: bool) -> str:
    """LLVM's name of a comparison.

    Args:
        name: The keyword of `cmpi`, such as `less_than`.
        signed: Whether operands are read as signed.
    """
    if name in ("equal", "not_equal"):
        return {"equal": "eq", "not_equal": "ne"}[name]
    short = {
        "less_than": "lt",
        "less_than_or_equal": "le",
        "greater_than": "gt",
        "greater_than_or_equal": "ge",
    }[name]
    return ("s" if signed else "u") + short


@RULES.register("shli", "shri")
def shift(e: Emitter, op: ir.Operation) -> None:
    """Shifts out everything for amounts of the width and more, as PTX does.

    The dialect leaves these undefined and LLVM makes poison of them, which spreads to
    what does not use the result; LLVM's back end knows that PTX needs no comparison.
    """
    b = e.builder
    width = ir.IntegerType(element_of(op.results[0])).width
    amount = e.facts.of(op.operands[1])
    is_small = amount.low is not None and amount.high is not None
    is_small = is_small and (amount.low or 0) >= 0 and (amount.high or 0) < width
    is_signed = op.name.endswith("shri") and _signed(op)
    name = "llvm.ashr" if is_signed else "llvm.lshr"
    name = "llvm.shl" if op.name.endswith("shli") else name
    if amount.low == amount.high and is_small and are_words(e, op):
        count = amount.low or 0
        by_words(e, op, lambda *words: shifted_bytes(e, words[0], count, name))
        return

    def clamped(x: ir.Value, y: ir.Value) -> ir.Value:
        most = b.constant(y.type, width - 1)
        if is_signed:
            return b.op(name, x.type, x, b.op("llvm.intr.umin", y.type, y, most))
        fits, zero = b.icmp("ule", y, most), b.constant(x.type, 0)
        return b.select(fits, b.op(name, x.type, x, y), zero)

    e.elementwise(op, (lambda x, y: b.op(name, x.type, x, y)) if is_small else clamped)


@RULES.register("remi")
def remi(e: Emitter, op: ir.Operation) -> None:
    """The remainder of the truncated quotient."""
    name = "llvm.srem" if _signed(op) else "llvm.urem"
    divisor = _divisor(e, op)
    e.elementwise(op, lambda x, y: e.builder.op(name, x.type, x, divisor(y)))


@RULES.register("divi")
def divi(e: Emitter, op: ir.Operation) -> None:
    """The truncated quotient, corrected by one where the rounding asks for it.

    An arithmetic shift rounds down.
    """
    rounding = keyword(op, "rounding", "zero")
    known = e.facts.of(op.operands[1])
    if rounding == "negative_inf" and _signed(op) and _is_power(known.constant):
        bits = (known.constant or 1).bit_length() - 1
        b = e.builder
        e.elementwise(
            op, lambda x, _: b.op("llvm.ashr", x.type, x, b.constant(x.type, bits))
        )
        return
    is_positive = (known.low or 0) > 0
    divide = divide_function(e.builder, rounding, _signed(op), is_positive=is_positive)
    divisor = _divisor(e, op)
    e.elementwise(op, lambda x, y: divide(x, divisor(y)))


def _is_power(number: int | None) -> bool:
    """Whether a number is known, and a power of two."""
    return number is not None and number > 0 and not number & (number - 1)


def _divisor(e: Emitter, op: ir.Operation) -> Callable[[ir.Value], ir.Value]:
    """The divisor, or one where it is zero.

    Division by zero is undefined, but only its own result may suffer: LLVM would take
    it that no divisor is ever zero, and drop the mask `y != 0` of a later store.
    """
    b = e.builder
    known = e.facts.of(op.operands[1])
    if (known.low or 0) > 0 or (known.high or 0) < 0:
        return lambda y: y

    def checked(y: ir.Value) -> ir.Value:
        is_zero = b.icmp("eq", y, 0)
        return b.select(is_zero, b.constant(y.type, 1), y)

    return checked


def divide_function(
    b: Builder, rounding: str, signed: bool, *, is_positive: bool = False
) -> Callable[[ir.Value, ir.Value], ir.Value]:
    """Division with rounding `zero`, `negative_inf` or `positive_inf`.

    Args:
        b: The builder.
        rounding: The rounding mode.
        signed: Whether operands are read as signed.
        is_positive: Whether divisors are known to be: then the rest has the sign of
            the exact quotient.
    """

    def divide(x: ir.Value, y: ir.Value) -> ir.Value:
        ty = x.type
        quotient = b.op("llvm.sdiv" if signed else "llvm.udiv", ty, x, y)
        if rounding == "zero" or (rounding == "negative_inf" and not signed):
            return quotient
        rest = b.sub(x, b.mul(quotient, y))
        zero = b.constant(ty, 0)
        is_floor = rounding == "negative_inf"
        if signed and is_positive:
            inexact = b.icmp("slt" if is_floor else "sgt", rest, zero)
        elif signed:
            opposite = b.binary("xor", rest, y)
            sign = b.icmp("slt" if is_floor else "sge", opposite, zero)
            inexact = b.binary("and", b.icmp("ne", rest, zero), sign)
        else:
            inexact = b.icmp("ne", rest, zero)
        corrected = b.add(quotient, -1 if is_floor else 1)
        return b.select(inexact, corrected, quotient)

    return divide
