"""Family float: IEEE arithmetic; modes that LLVM has no form for as inline PTX."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.errors import Unsupported
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_of

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


NAN_EXTREMUM_CAPABILITY = 80
"""First chip with `max.NaN.f32` (PTX ISA, "max", Target ISA Notes)."""


def ptx_float(e: Emitter, instruction: str, suffix: str) -> Callable[..., ir.Value]:
    """A function that applies one PTX instruction to f32 or f64 scalars."""
    letter = {"f32": "f", "f64": "d"}[suffix]

    def apply(*operands: ir.Value) -> ir.Value:
        slots = ", ".join(f"${i}" for i in range(len(operands) + 1))
        constraints = ",".join([f"={letter}"] + [letter] * len(operands))
        return e.builder.inline_ptx(
            f"{instruction}.{suffix} {slots};",
            constraints,
            [operands[0].type],
            operands,
            side_effects=False,
        )[0]

    return apply


@RULES.register("addf", "subf", "mulf", "fma")
def arithmetic(e: Emitter, op: ir.Operation) -> None:
    """One correctly rounded operation."""
    stem = op.name.removeprefix("cuda_tile.")
    element = str(element_of(op.results[0]))
    rounding = keyword(op, "rounding_mode", "nearest_even")
    if rounding == "nearest_even" and not flag(op, "flush_to_zero"):

        def apply(*operands: ir.Value) -> ir.Value:
            return e.builder.op(_LLVM[stem], operands[0].type, *operands)

        e.elementwise(op, apply, packed=True)
        return
    e.elementwise(op, _directed(e, op, stem, element, rounding))


def _directed(
    e: Emitter, op: ir.Operation, stem: str, element: str, rounding: str
) -> Callable[..., ir.Value]:
    if element not in ("f32", "f64"):
        raise Unsupported(
            f"{stem}: expected f32 or f64 for rounding '{rounding}', got {element}, "
            "which runs on the interpreter only"
        )
    ftz = ".ftz" if flag(op, "flush_to_zero") else ""
    return ptx_float(e, _PTX[stem] + _PTX_ROUNDING[rounding] + ftz, element)


@RULES.register("divf")
def divf(e: Emitter, op: ir.Operation) -> None:
    """Correctly rounded, or the fast forms of f32; 16-bit types through f32.

    f32 carries more than twice the bits of a 16-bit type, so rounding twice gives
    the correctly rounded quotient.
    """
    b = e.builder
    element = str(element_of(op.results[0]))
    rounding = keyword(op, "rounding_mode", "nearest_even")
    if rounding != "nearest_even" or flag(op, "flush_to_zero"):
        e.elementwise(op, _directed(e, op, "divf", element, rounding))
        return

    def divide(x: ir.Value, y: ir.Value) -> ir.Value:
        if element in ("f32", "f64"):
            return b.op("llvm.fdiv", x.type, x, y)
        wide = b.op(
            "llvm.fdiv",
            b.f32,
            b.op("llvm.fpext", b.f32, x),
            b.op("llvm.fpext", b.f32, y),
        )
        return b.op("llvm.fptrunc", x.type, wide)

    e.elementwise(op, divide)


@RULES.register("negf")
def negf(e: Emitter, op: ir.Operation) -> None:
    """Flips the sign bit."""
    e.elementwise(op, lambda a: e.builder.op("llvm.fneg", a.type, a), packed=True)


@RULES.register("absf")
def absf(e: Emitter, op: ir.Operation) -> None:
    """Clears the sign bit."""
    e.elementwise(op, lambda a: e.builder.op("llvm.intr.fabs", a.type, a), packed=True)


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
    e.elementwise(op, lambda a, b: e.builder.op(name, a.type, a, b), packed=True)


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
