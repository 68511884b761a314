# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family float: IEEE arithmetic; modes that LLVM has no form for as inline PTX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.codegen.libdevice import PREFIX
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.pairs import widened
from cuda_tile.emit.quotients import (
    FRACTION,
    NAN_EXTREMUM_CAPABILITY,
    joint_quotients,
)
from cuda_tile.emit.remainder import remainder
from cuda_tile.emit.steps import IN_PAIRS, ptx_float
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.ir.async_products import reader_name, runs_by_itself
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_of, is_distributed, layout_of
from cuda_tile.ir.walk import enclosing_ops_of, nested_ops, op_stem

_LLVM = {
    "addf": "llvm.fadd",
    "subf": "llvm.fsub",
    "mulf": "llvm.fmul",
    "fma": "llvm.intr.fma",
    "divf": "llvm.fdiv",
}
_PTX = {"addf": "add", "subf": "sub", "mulf": "mul", "fma": "fma", "divf": "div"}
_PTX_ROUNDING = {
    "nearest_even": ".rn",
    "zero": ".rz",
    "negative_inf": ".rm",
    "positive_inf": ".rp",
    "approx": ".approx",
    "full": ".full",
}
"""Rounding modifiers (PTX ISA, "Rounding Modifiers"; "div": .approx, .full)."""

BF16_CAPABILITY = 80
"""First compute capability with arithmetic on bf16 (PTX ISA, "fma")."""

Narrowing = Callable[[ir.Value], ir.Value]
"""Makes a 16-bit float of an f32."""


def rounding_suffix(op: ir.Operation) -> str:
    """The modifiers of an instruction that an op's attributes ask for."""
    rounding = keyword(op, "rounding_mode", "nearest_even")
    return _PTX_ROUNDING[rounding] + (".ftz" if flag(op, "flush_to_zero") else "")


def through_f32(
    e: Emitter,
    op: ir.Operation,
    function: Callable[..., ir.Value],
    rounding: str = "nearest_even",
    operands: Sequence[ir.Value] | None = None,
) -> None:
    """Emits an op on 16-bit floats by a function of f32 scalars, rounded at the end.

    Neighbours stay together, since one instruction rounds two of them to nearest.
    """
    b = e.builder
    to_element = _narrow(e, str(element_of(op.results[0])), rounding)

    def apply(*values: ir.Value) -> ir.Value:
        rows = zip(*(widened(b, x) for x in values), strict=True)
        results = [function(*row) for row in rows]
        if rounding == "nearest_even":
            return b.op("llvm.fptrunc", values[0].type, b.vector(results))
        return b.vector([to_element(x) for x in results])

    e.elementwise(op, apply, operands=operands, pack=e.pack_of(op.results[0]))


def _narrow(e: Emitter, element: str, rounding: str) -> Narrowing:
    """Cuts an f32 in a direction to f16 or bf16; a NaN must be the canonical one.

    That is the NaN which instructions for f32 give.
    """
    b = e.builder
    if element == "bf16":
        return lambda x: b.bitcast(_cut(b, x, rounding), b.bf16)
    text = f"cvt{_PTX_ROUNDING[rounding]}.f16.f32 $0, $1;"

    def convert(x: ir.Value) -> ir.Value:
        return b.bitcast(b.ptx_value(text, b.i16, x), b.f16)

    return convert


def _cut(b: Builder, x: ir.Value, rounding: str) -> ir.Value:
    """The high half of an f32, one more where the rounding is away from zero.

    `cvt` has no such forms for bf16 (PTX ISA, "cvt"). The next code from the largest
    finite one is that of infinity; codes from infinity on stay.
    """
    bits = b.bitcast(x, b.i32)
    high = b.op("llvm.trunc", b.i16, b.binary("lshr", bits, _i32(b, 16)))
    if rounding == "zero":
        return high
    sign = _i32(b, 1 << 31 if rounding == "negative_inf" else 0)
    magnitude = b.binary("xor", bits, sign)
    away = b.icmp("ult", magnitude, _i32(b, 0x7F800000))
    lost = b.binary("and", bits, _i32(b, 0xFFFF))
    away = b.binary("and", away, b.icmp("ne", lost, _i32(b, 0)))
    return b.add(high, b.op("llvm.zext", b.i16, away))


def _i32(b: Builder, value: int) -> ir.Value:
    return b.constant(b.i32, value)


@RULES.register("addf", "subf", "mulf", "fma", "divf")
def arithmetic(e: Emitter, op: ir.Operation) -> None:
    """One correctly rounded operation, or the fast divisions of f32.

    16-bit types go through f32 where they have no instruction. f32 carries more than
    twice their bits, so rounding twice, in the same direction, gives the correctly
    rounded sum, product or quotient; see `_fused` for fma.
    """
    stem = op.name.removeprefix("cuda_tile.")
    element = str(element_of(op.results[0]))
    rounding = keyword(op, "rounding_mode", "nearest_even")
    is_narrow = element in ("f16", "bf16")
    is_plain = rounding == "nearest_even" and not flag(op, "flush_to_zero")

    def operation(*operands: ir.Value) -> ir.Value:
        return e.builder.op(_LLVM[stem], operands[0].type, *operands)

    function: Callable[..., ir.Value] = operation
    if not is_plain:
        kind = "f32" if is_narrow else element
        function = ptx_float(e, _PTX[stem] + rounding_suffix(op), kind)
    elif is_narrow and stem != "divf" and _is_native(e, element):
        e.elementwise(op, function, pack=e.pack_of(op.results[0]))
        return
    elif is_narrow and stem == "fma":
        function = _fused_to_odd(e)
    if is_narrow:
        through_f32(e, op, function, rounding)
    elif (
        stem != "divf"
        or element != "f32"
        or not is_plain
        or not _divides_jointly(e, op)
    ):
        pack = e.pack_to_compute(op.results[0]) if goes_in_pairs(e, op) else 1
        e.elementwise(op, function, pack=pack)


def _divides_jointly(e: Emitter, op: ir.Operation) -> bool:
    """Emits a division of f32 whose quotients have one test, where a branch may be.

    By a power of two, LLVM multiplies. A branch in a loop in which products run by
    themselves would have ptxas wait for these.
    """
    bits = uniform_bits(op.operands[1])
    is_power = bits is not None and not bits & FRACTION
    if not is_distributed(op.results[0]) or is_power or _is_beside_products(op):
        return False
    made = joint_quotients(e, op)
    if made is not None:
        result = op.results[0]
        e.set(result, Fragment(layout_of(result), tuple(made)))
    return made is not None


def _is_beside_products(op: ir.Operation) -> bool:
    loops = filter(_cuda_tile.is_loop, enclosing_ops_of(op))
    inner = (op for loop in loops for op in nested_ops(loop) if runs_by_itself(op))
    return any(reader_name(op) == WGMMA.op for op in inner)


def goes_in_pairs(e: Emitter, op: ir.Operation) -> bool:
    """Whether one instruction does an op on f32 for two neighbours.

    Args:
        e: The emitter.
        op: Any op, of scalars or tiles.
    """
    is_known = _PTX.get(op_stem(op)) in IN_PAIRS
    is_single = is_known and isinstance(element_of(op.results[0]), ir.F32Type)
    return is_single and e.target.has_packed_f32


def _is_native(e: Emitter, element: str) -> bool:
    """Whether the chip rounds fma of the type itself (PTX ISA, "fma", half precision).

    It then does sums and products too, as fma with one or zero if need be.
    """
    return element == "f16" or e.target.capability >= BF16_CAPABILITY


def _fused_to_odd(e: Emitter) -> Callable[..., ir.Value]:
    """Fused in f32 and rounded to odd, so that a second rounding to bf16 is exact.

    The value cut toward zero gets an odd last bit where it is not exact, which shows
    as a difference between rounding down and up (S. Boldo, G. Melquiond, "Emulation of
    a FMA and correctly rounded sums: proved algorithms using rounding to odd").
    """
    b = e.builder
    cut, down, up = (ptx_float(e, f"fma.{mode}", "f32") for mode in ("rz", "rm", "rp"))

    def fused(*operands: ir.Value) -> ir.Value:
        bits = [b.bitcast(f(*operands), b.i32) for f in (cut, down, up)]
        inexact = b.op("llvm.zext", b.i32, b.icmp("ne", bits[1], bits[2]))
        return b.bitcast(b.binary("or", bits[0], inexact), b.f32)

    return fused


@RULES.register("remf")
def remf(e: Emitter, op: ir.Operation) -> None:
    """C's fmod, which is exact, and so is the way through f32."""
    b = e.builder
    element = str(element_of(op.results[0]))
    if element == "f64":
        e.elementwise(op, partial(remainder, b))
        return

    def single(x: ir.Value, y: ir.Value) -> ir.Value:
        return b.call(PREFIX + "fmodf", b.f32, [x, y])

    if element == "f32":
        e.elementwise(op, single)
    else:
        through_f32(e, op, single)


_OF_SIGN = {"negf": "llvm.fneg", "absf": "llvm.intr.fabs"}


@RULES.register(*_OF_SIGN)
def of_sign(e: Emitter, op: ir.Operation) -> None:
    """Flips or clears the sign bit."""
    name, pack = _OF_SIGN[op_stem(op)], e.pack_of(op.results[0])
    e.elementwise(op, lambda a: e.builder.op(name, a.type, a), pack=pack)


@RULES.register("maxf", "minf")
def extremum(e: Emitter, op: ir.Operation) -> None:
    """`max`/`min`, with `.NaN` where a NaN operand wins (PTX ISA, "max")."""
    base = "max" if op.name.endswith("maxf") else "min"
    propagate = flag(op, "propagate_nan")
    if flag(op, "flush_to_zero"):
        if propagate and e.target.capability < NAN_EXTREMUM_CAPABILITY:
            apply = _propagating(e, base + ".ftz")
        else:
            suffix = ".ftz.NaN" if propagate else ".ftz"
            apply = ptx_float(e, base + suffix, "f32")
        e.elementwise(op, apply)
        return
    name = f"llvm.intr.{base}imum" if propagate else f"llvm.intr.{base}num"
    e.elementwise(
        op, lambda a, b: e.builder.op(name, a.type, a, b), pack=e.pack_of(op.results[0])
    )


def _propagating(e: Emitter, instruction: str) -> Callable[..., ir.Value]:
    """The plain instruction, and a NaN where an operand is one."""
    b, plain = e.builder, ptx_float(e, instruction, "f32")

    def apply(x: ir.Value, y: ir.Value) -> ir.Value:
        either = b.op("llvm.fadd", b.f32, x, y)
        return b.op("llvm.select", b.f32, b.fcmp("uno", x, y), either, plain(x, y))

    return apply


@RULES.register("cmpf")
def cmpf(e: Emitter, op: ir.Operation) -> None:
    """Ordered is false with a NaN, unordered true."""
    short = {
        "equal": "eq",
        "not_equal": "ne",
        "less_than": "lt",
        "less_than_or_equal": "le",
        "greater_than": "gt",
        "greater_than_or_equal": "ge",
    }[keyword(op, "comparison_predicate")]
    ordered = keyword(op, "comparison_ordering") == "ordered"
    predicate = ("o" if ordered else "u") + short
    e.elementwise(op, lambda a, b: e.builder.fcmp(predicate, a, b))
