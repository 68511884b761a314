"""Family convert: conversions between element types."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.errors import Unsupported
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed

_FLOATS = ("f16", "bf16", "f32", "f64")


def _result_type(e: Emitter, op: ir.Operation) -> ir.Type:
    return e.element_type(element_of(op.results[0]))


def _check_floats(op: ir.Operation, *elements: str) -> None:
    for element in elements:
        if element not in _FLOATS:
            raise Unsupported(
                f"{op.name}: expected one of {', '.join(_FLOATS)}, got {element}; "
                "other types run on the interpreter only"
            )


@RULES.register("exti")
def exti(e: Emitter, op: ir.Operation) -> None:
    """Sign or zero extension."""
    name = "llvm.sext" if keyword(op, "signedness") == "signed" else "llvm.zext"
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.op(name, ty, a))


@RULES.register("trunci")
def trunci(e: Emitter, op: ir.Operation) -> None:
    """The low bits."""
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.op("llvm.trunc", ty, a))


@RULES.register("bitcast")
def bitcast(e: Emitter, op: ir.Operation) -> None:
    """The same bits."""
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.bitcast(a, ty))


@RULES.register("itof")
def itof(e: Emitter, op: ir.Operation) -> None:
    """Integer to float, rounded to nearest even."""
    b, ty = e.builder, _result_type(e, op)
    _check_floats(op, str(element_of(op.results[0])))
    signed = keyword(op, "signedness") == "signed"
    extend, convert = ("llvm.sext", "llvm.sitofp")
    if not signed:
        extend, convert = ("llvm.zext", "llvm.uitofp")

    def from_integer(x: ir.Value) -> ir.Value:
        # LLVM 22 reads a signed i1 as unsigned on its way to bf16.
        wide = b.op(extend, b.i32, x) if x.type == b.i1 else x
        return b.op(convert, ty, wide)

    e.elementwise(op, from_integer)


@RULES.register("ftoi")
def ftoi(e: Emitter, op: ir.Operation) -> None:
    """Float to integer, rounded towards zero; `saturating` clamps, NaN becomes zero.

    LLVM 22 selects the inverse comparison for a direct conversion to i1, so that
    goes through i32.
    """
    b, ty = e.builder, _result_type(e, op)
    _check_floats(op, str(element_of(op.operands[0])))
    signed, saturating = keyword(op, "signedness") == "signed", flag(op, "saturating")
    kind = "fptosi" if signed else "fptoui"
    sign, bounds = ("s", (-1, 0)) if signed else ("u", (0, 1))
    low, high = (b.constant(b.i32, bound) for bound in bounds)

    def to_integer(x: ir.Value) -> ir.Value:
        wide = b.i32 if ty == b.i1 else ty
        if not saturating:
            value = b.op(f"llvm.{kind}", wide, x)
        else:
            value = b.intrinsic(f"llvm.{kind}.sat.{wide}.{x.type}", wide, [x])
        if wide == ty:
            return value
        if saturating:
            value = b.op(f"llvm.intr.{sign}max", b.i32, value, low)
            value = b.op(f"llvm.intr.{sign}min", b.i32, value, high)
        return b.op("llvm.trunc", ty, value)

    e.elementwise(op, to_integer)


@RULES.register("ftof")
def ftof(e: Emitter, op: ir.Operation) -> None:
    """Widening is exact, narrowing rounds to nearest even, in pairs to 16 bits."""
    source, result = element_of(op.operands[0]), element_of(op.results[0])
    _check_floats(op, str(source), str(result))
    mode = keyword(op, "rounding_mode", "nearest_even")
    is_exact = element_bits(source) < element_bits(result)
    if mode != "nearest_even" and not is_exact:
        raise Unsupported(
            f"ftof: expected rounding 'nearest_even', got '{mode}', which runs on the "
            "interpreter only"
        )
    b = e.builder
    packed = is_distributed(op.results[0]) and element_bits(result) == 16

    def convert(x: ir.Value) -> ir.Value:
        have, want = element_bits(source), element_bits(result)
        count = (
            ir.VectorType(x.type).shape[0] if isinstance(x.type, ir.VectorType) else 1
        )
        ty = b.vector_type(count, result)
        if have == want:  # f16 and bf16: exact to f32, then one rounding
            wide = b.op("llvm.fpext", b.vector_type(count, b.f32), x)
            return b.op("llvm.fptrunc", ty, wide)
        return b.op("llvm.fpext" if want > have else "llvm.fptrunc", ty, x)

    e.elementwise(op, convert, packed=packed)


@RULES.register("int_to_ptr")
def int_to_ptr(e: Emitter, op: ir.Operation) -> None:
    """An integer as an address of global memory."""
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.op("llvm.inttoptr", ty, a))


@RULES.register("ptr_to_int")
def ptr_to_int(e: Emitter, op: ir.Operation) -> None:
    """The address as an integer."""
    ty = _result_type(e, op)
    e.elementwise(op, lambda a: e.builder.op("llvm.ptrtoint", ty, a))


@RULES.register("ptr_to_ptr")
def ptr_to_ptr(e: Emitter, op: ir.Operation) -> None:
    """The same address: LLVM's pointers have no pointee type."""
    e.elementwise(op, lambda a: a)
