"""Family integer: two's complement, one LLVM operation or a few each."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.ir.attributes import keyword

_SAME = {"addi": "llvm.add", "subi": "llvm.sub", "muli": "llvm.mul", "shli": "llvm.shl"}
_BY_SIGN = {
    "remi": ("llvm.srem", "llvm.urem"),
    "maxi": ("llvm.intr.smax", "llvm.intr.umax"),
    "mini": ("llvm.intr.smin", "llvm.intr.umin"),
    "shri": ("llvm.ashr", "llvm.lshr"),
}


def _signed(op: ir.Operation) -> bool:
    return keyword(op, "signedness") == "signed"


@RULES.register(*_SAME)
def wrapping(e: Emitter, op: ir.Operation) -> None:
    """Without `nsw`, `nuw`: a violated overflow flag would make the result poison."""
    name = _SAME[op.name.removeprefix("cuda_tile.")]
    e.elementwise(op, lambda a, b: e.builder.op(name, a.type, a, b))


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
        high = b.op("llvm.lshr", wide, product, b.constant(wide, width))
        return b.op("llvm.trunc", x.type, high)

    e.elementwise(op, combine)


@RULES.register("cmpi")
def cmpi(e: Emitter, op: ir.Operation) -> None:
    """Comparison; equality has no signedness."""
    predicate = integer_predicate(keyword(op, "comparison_predicate"), _signed(op))
    e.elementwise(op, lambda a, b: e.builder.icmp(predicate, a, b))


def integer_predicate(name: str, signed: bool) -> str:
    """LLVM's name of a comparison."""
    if name in ("equal", "not_equal"):
        return {"equal": "eq", "not_equal": "ne"}[name]
    short = {
        "less_than": "lt",
        "less_than_or_equal": "le",
        "greater_than": "gt",
        "greater_than_or_equal": "ge",
    }[name]
    return ("s" if signed else "u") + short


@RULES.register("divi")
def divi(e: Emitter, op: ir.Operation) -> None:
    """The truncated quotient, corrected by one where the rounding asks for it."""
    rounding = keyword(op, "rounding", "zero")
    divide = divide_function(e.builder, rounding, _signed(op))
    e.elementwise(op, divide)


def divide_function(
    b: Builder, rounding: str, signed: bool
) -> Callable[[ir.Value, ir.Value], ir.Value]:
    """Division with rounding `zero`, `negative_inf` or `positive_inf`."""

    def divide(x: ir.Value, y: ir.Value) -> ir.Value:
        ty = x.type
        quotient = b.op("llvm.sdiv" if signed else "llvm.udiv", ty, x, y)
        if rounding == "zero" or (rounding == "negative_inf" and not signed):
            return quotient
        rest = b.sub(x, b.mul(quotient, y))
        zero = b.constant(ty, 0)
        inexact = b.icmp("ne", rest, zero)
        if signed:
            opposite = b.op("llvm.xor", ty, rest, y)
            wanted = "slt" if rounding == "negative_inf" else "sge"
            sign = b.icmp(wanted, opposite, zero)
            inexact = b.op("llvm.and", b.i1, inexact, sign)
        step = -1 if rounding == "negative_inf" else 1
        corrected = b.add(quotient, b.constant(ty, step))
        return b.select(inexact, corrected, quotient)

    return divide
