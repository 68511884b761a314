"""Family math: exp, exp2, rounding to integers."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.float import ptx_float
from cuda_tile.errors import Unsupported
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_of

LOG2_E = 1.4426950216293335
"""log2(e) rounded to f32."""
LOG2_E_LOW = 1.925963033500233e-08
"""log2(e) - LOG2_E, rounded to f32."""
LN_2 = 0.6931471824645996
"""ln(2) rounded to f32."""


def _through_f32(
    e: Emitter, op: ir.Operation, function: Callable[[ir.Value], ir.Value]
) -> None:
    """Applies an f32 function; 16-bit types are widened and rounded once."""
    element = str(element_of(op.results[0]))
    b = e.builder
    if element == "f64":
        raise Unsupported(
            f"{op.name}: expected f16, bf16 or f32, got f64, which runs on the "
            "interpreter only"
        )

    def narrow(x: ir.Value) -> ir.Value:
        return b.op("llvm.fptrunc", x.type, function(b.op("llvm.fpext", b.f32, x)))

    e.elementwise(op, function if element == "f32" else narrow)


@RULES.register("exp2")
def exp2(e: Emitter, op: ir.Operation) -> None:
    """`ex2.approx`: two units in the last place everywhere (PTX ISA, "ex2")."""
    ftz = ".ftz" if flag(op, "flush_to_zero") else ""
    _through_f32(e, op, ptx_float(e, "ex2.approx" + ftz, "f32"))


@RULES.register("exp")
def exp(e: Emitter, op: ir.Operation) -> None:
    """Computes 2^h (1 + l ln 2) with h + l = x log2(e) to twice the precision.

    The plain product x log2(e) alone would lose |x| 2^-24; its rounding error is
    recovered by an fma and multiplied back. Where 2^h is 0, infinite or NaN it is
    the result already (the correction would be 0 x infinity).
    """
    b = e.builder
    power = ptx_float(e, "ex2.approx", "f32")

    def approximate(x: ir.Value) -> ir.Value:
        return power(b.op("llvm.fmul", b.f32, x, b.constant(b.f32, LOG2_E)))

    def accurate(x: ir.Value) -> ir.Value:
        scale = b.constant(b.f32, LOG2_E)
        high = b.op("llvm.fmul", b.f32, x, scale)
        error = b.op("llvm.fneg", b.f32, high)
        error = b.op("llvm.intr.fma", b.f32, x, scale, error)
        low = b.constant(b.f32, LOG2_E_LOW)
        error = b.op("llvm.intr.fma", b.f32, x, low, error)
        error = b.op("llvm.fmul", b.f32, error, b.constant(b.f32, LN_2))
        base = power(high)
        better = b.op("llvm.intr.fma", b.f32, base, error, base)
        positive = b.fcmp("ogt", base, b.constant(b.f32, 0.0))
        finite = b.fcmp("olt", base, b.constant(b.f32, float("inf")))
        usable = b.op("llvm.and", b.i1, positive, finite)
        return b.select(usable, better, base)

    fast = keyword(op, "rounding_mode", "full") == "approx"
    _through_f32(e, op, approximate if fast else accurate)


@RULES.register("floor", "ceil")
def integral(e: Emitter, op: ir.Operation) -> None:
    """`cvt.rmi` or `cvt.rpi`; LLVM widens 16-bit types."""
    name = f"llvm.intr.{op.name.removeprefix('cuda_tile.')}"
    e.elementwise(op, lambda a: e.builder.op(name, a.type, a))
