# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family math: short sequences where they are accurate, else functions of libdevice.

f16 and bf16 are computed in f32 and rounded once. docs/accuracy.md has the measured
error of every function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.float_bounds import NEVER_POSITIVE
from cuda_tile.analysis.hidden_subnormals import MAY_FLUSH
from cuda_tile.codegen.libdevice import PREFIX
from cuda_tile.constants import MOST_POWER_FACTORS
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.float import rounding_suffix, through_f32
from cuda_tile.emit.steps import Step, each, in_steps, ptx_float, splat
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.records import dataclass

LOG2_E = 1.4426950216293335
"""log2(e) rounded to f32."""
LOG2_E_ABOVE = 1.4426951408386230
"""The next f32, more than log2(e)."""
LN_2 = 0.6931471824645996
"""ln(2) rounded to f32."""
LN_2_LOW = -1.9046542121259336e-09
"""ln(2) - LN_2, rounded to f32."""

Function = Callable[..., ir.Value]


@dataclass(frozen=True)
class Forms:
    """How to compute a function; each takes and gives scalars of its type.

    Attributes:
        f32: For f32, and for the 16-bit types where nothing cheaper will do.
        f64: For f64.
        f16: In f32, but only as accurate as f16 needs.
        bf16: The same for bf16.
        in_pairs: Whether that for f32 takes pairs, too.
    """

    f32: Function
    f64: Function
    f16: Function | None = None
    bf16: Function | None = None
    in_pairs: bool = False


def _elementwise(e: Emitter, op: ir.Operation, forms: Forms) -> None:
    element = str(element_of(op.results[0]))
    by_type = {
        "f32": forms.f32,
        "f64": forms.f64,
        "f16": forms.f16 or forms.f32,
        "bf16": forms.bf16 or forms.f32,
    }
    function = by_type[element]
    if element in ("f16", "bf16"):
        through_f32(e, op, function)
    else:
        pack = e.pack_to_compute(op.results[0]) if forms.in_pairs else 1
        e.elementwise(op, function, pack=pack if element == "f32" else 1)


def library(e: Emitter, name: str, element: str) -> Function:
    """The libdevice function for a C function, on scalars of f32 or f64.

    Args:
        e: The emitter.
        name: The name of the C function.
        element: `f32` or `f64`.
    """
    b = e.builder
    symbol = PREFIX + name + {"f32": "f", "f64": ""}[element]
    result = {"f32": b.f32, "f64": b.f64}[element]
    return lambda *operands: b.call(symbol, result, operands)


def _library_forms(e: Emitter, name: str) -> Forms:
    return Forms(library(e, name, "f32"), library(e, name, "f64"))


@RULES.register("sin", "cos", "tan", "sinh", "cosh", "atan2", "pow")
def by_library(e: Emitter, op: ir.Operation) -> None:
    """Functions whose reduction of the argument is long."""
    name = op.name.removeprefix("cuda_tile.")
    _elementwise(e, op, _library_forms(e, name))


@RULES.register("tanh")
def tanh(e: Emitter, op: ir.Operation) -> None:
    """`tanh.approx`: relative error 2^-11 (PTX ISA, "tanh")."""
    if keyword(op, "rounding_mode", "full") == "approx":
        e.elementwise(op, ptx_float(e, "tanh.approx", "f32"))
        return
    _elementwise(e, op, _library_forms(e, "tanh"))


@RULES.register("log", "log2")
def logarithm(e: Emitter, op: ir.Operation) -> None:
    """Of libdevice, but `lg2.approx` for bf16.

    Its absolute error is 2^-22 around one, where the logarithm of the bf16 next to one
    is still 2^-8, and its relative error 2^-22 elsewhere (PTX ISA, "lg2"); that of one
    itself is not promised to be zero.
    """
    b = e.builder
    name = op.name.removeprefix("cuda_tile.")
    approximate = ptx_float(e, "lg2.approx", "f32")

    def coarse(x: ir.Value) -> ir.Value:
        power = approximate(x)
        if name == "log":
            power = b.op("llvm.fmul", b.f32, power, b.constant(b.f32, LN_2))
        is_one = b.fcmp("oeq", x, b.constant(b.f32, 1.0))
        return b.select(is_one, b.constant(b.f32, 0.0), power)

    single, double = library(e, name, "f32"), library(e, name, "f64")
    _elementwise(e, op, Forms(single, double, bf16=coarse))


@RULES.register("exp2")
def exp2(e: Emitter, op: ir.Operation) -> None:
    """`ex2.approx`: two units in the last place everywhere (PTX ISA, "ex2").

    What `.ftz` takes for zero is zero in f16 too, and costs ptxas three instructions
    less.
    """
    flushes = flag(op, "flush_to_zero") or flag(op, MAY_FLUSH)
    power = ptx_float(e, "ex2.approx" + (".ftz" if flushes else ""), "f32")
    short = ptx_float(e, "ex2.approx.ftz", "f32")
    _elementwise(e, op, Forms(power, library(e, "exp2", "f64"), f16=short))


@RULES.register("exp")
def exp(e: Emitter, op: ir.Operation) -> None:
    """The plain product x log2(e) for `approx` and the 16-bit types.

    It loses |x| 2^-24, which is far below half a unit of f16 or bf16.
    """
    b = e.builder

    def approximate(power: Function) -> Function:
        def function(x: ir.Value) -> ir.Value:
            scaled = b.op("llvm.fmul", x.type, x, splat(e, x.type, LOG2_E))
            return each(e, power)(scaled)

        return function

    whole = ptx_float(e, "ex2.approx" + (".ftz" if flag(op, MAY_FLUSH) else ""), "f32")
    plain = approximate(whole)
    short = approximate(ptx_float(e, "ex2.approx.ftz", "f32"))
    fast = keyword(op, "rounding_mode", "full") == "approx"
    is_below = flag(op, NEVER_POSITIVE)
    steps = ACCURATE_EXP_BELOW_ZERO if is_below else ACCURATE_EXP
    accurate = in_steps(e, flushed(steps) if flag(op, MAY_FLUSH) else steps)
    single = plain if fast else accurate
    double = library(e, "exp", "f64")
    _elementwise(e, op, Forms(single, double, short, plain, in_pairs=True))


ACCURATE_EXP = (
    Step("high", "mul.rm", ("x", LOG2_E)),
    Step("low", "fma.rn", ("high", -LN_2, "x")),
    Step("low", "fma.rn", ("high", -LN_2_LOW, "low")),
    Step("low", "min", ("low", 1.0)),
    Step("power", "ex2.approx", ("high",)),
    Step("result", "fma.rn", ("power", "low", "power")),
)
"""2^h (1 + l) with h = x log2(e), rounded down, and l = x - h ln(2).

No case is told apart. LOG2_E is less than log2(e), so l is positive where x is, and
where 2^h is infinite so is the result; it is never infinity minus infinity. `min` gives
1 where l is NaN, for infinite x, or infinite; the result is then 2^h, which is 0,
infinite or NaN.
"""

ACCURATE_EXP_BELOW_ZERO = (
    Step("high", "mul.rm", ("x", LOG2_E_ABOVE)),
    Step("low", "fma.rn", ("high", -LN_2, "x")),
    Step("low", "fma.rn.sat", ("high", -LN_2_LOW, "low")),
    Step("power", "ex2.approx", ("high",)),
    Step("result", "fma.rn", ("power", "low", "power")),
)
"""The same where x is not positive: LOG2_E_ABOVE is more than log2(e), so l is never
negative. `.sat` makes 0 of a NaN (PTX ISA, "fma"), for infinite x, and 1 of infinity;
2^h is 0 then, or NaN."""


def flushed(steps: Sequence[Step]) -> list[Step]:
    """The same with 0 for a subnormal power."""
    power = {"ex2.approx": "ex2.approx.ftz"}
    return [
        replace(step, instruction=power.get(step.instruction, step.instruction))
        for step in steps
    ]


@RULES.register("sqrt")
def sqrt(e: Emitter, op: ir.Operation) -> None:
    """Correctly rounded, or `sqrt.approx`; 16-bit types through f32.

    f32 carries more than twice the bits of a 16-bit type, so rounding twice, in the
    same direction, gives the correctly rounded root.
    """
    element = str(element_of(op.results[0]))
    rounding = keyword(op, "rounding_mode", "nearest_even")
    kind = "f64" if element == "f64" else "f32"
    root: Function = ptx_float(e, "sqrt" + rounding_suffix(op), kind)
    if element in ("f16", "bf16"):
        through_f32(e, op, root, rounding)
    else:
        e.elementwise(op, root)


@RULES.register("rsqrt")
def rsqrt(e: Emitter, op: ir.Operation) -> None:
    """`rsqrt.approx`: relative error 2^-22.9 in f32 (PTX ISA, "rsqrt").

    For f64 `ptxas` makes the accurate sequence of it that libdevice relies on.
    """
    ftz = ".ftz" if flag(op, "flush_to_zero") else ""
    single = ptx_float(e, "rsqrt.approx" + ftz, "f32")
    _elementwise(e, op, Forms(single, ptx_float(e, "rsqrt.approx", "f64")))


@RULES.register("fpowi")
def fpowi(e: Emitter, op: ir.Operation) -> None:
    """Products for a small constant exponent, else `pow` of the same number."""
    b = e.builder
    source, exponent = op.operands
    element = str(element_of(source))
    width = ir.IntegerType(element_of(exponent)).width
    constant = _signed(uniform_bits(exponent), width)
    if constant is not None and -1 <= constant <= MOST_POWER_FACTORS:
        product = _small_power(e, constant)
        if element in ("f16", "bf16"):
            through_f32(e, op, product, operands=[source])
        else:
            e.elementwise(op, product, operands=[source])
        return
    pow_ = library(e, "pow", "f64" if element == "f64" else "f32")

    def power(x: ir.Value, n: ir.Value) -> ir.Value:
        if element != "f64" and width == 32:
            return _wide_power(e, pow_, x, n)
        return pow_(x, b.op("llvm.sitofp", x.type, n))

    def narrow_power(x: ir.Value, n: ir.Value) -> ir.Value:
        wide = power(b.op("llvm.fpext", b.f32, x), n)
        return b.op("llvm.fptrunc", x.type, wide)

    e.elementwise(op, narrow_power if element in ("f16", "bf16") else power)


def _signed(bits: int | None, width: int) -> int | None:
    if bits is None:
        return None
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


def _small_power(e: Emitter, exponent: int) -> Function:
    b = e.builder

    def power(x: ir.Value) -> ir.Value:
        one = b.constant(x.type, 1.0)
        if exponent < 0:
            return b.op("llvm.fdiv", x.type, one, x)
        if exponent in (0, 1):
            return x if exponent else one
        square = b.op("llvm.fmul", x.type, x, x)
        last = {2: None, 3: x, 4: square}[exponent]
        return square if last is None else b.op("llvm.fmul", x.type, square, last)

    return power


def _wide_power(e: Emitter, pow_: Function, x: ir.Value, n: ir.Value) -> ir.Value:
    """x^h x^l, where h is n cut to the 24 bits of f32, and l what was cut off.

    l has the sign of n, so that no factor overflows where the result does not, and l
    carries whether n is odd.
    """
    b = e.builder
    high = b.ptx_value("cvt.rz.f32.s32 $0, $1;", b.f32, n)
    rest = b.sub(n, b.op("llvm.fptosi", b.i32, high))
    low = b.op("llvm.sitofp", b.f32, rest)
    return b.op("llvm.fmul", b.f32, pow_(x, high), pow_(x, low))


@RULES.register("floor", "ceil")
def integral(e: Emitter, op: ir.Operation) -> None:
    """`cvt.rmi` or `cvt.rpi`; LLVM widens 16-bit types."""
    name = f"llvm.intr.{op.name.removeprefix('cuda_tile.')}"
    e.elementwise(op, lambda a: e.builder.op(name, a.type, a))
