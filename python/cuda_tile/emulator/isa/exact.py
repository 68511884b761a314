# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What instructions compute with exact numbers; see `cuda_tile.exact`.

Registers hold floats whose values are elements, so that whatever follows their order or
their sign (min, max, comparisons, `.sat`) is as with any numbers. Codes of 16 bits and
fewer are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from cuda_tile.emulator.isa.mma_elements import decode
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand, Register
from cuda_tile.emulator.ptx.types import Array, Type
from cuda_tile.exact import element_of, formats, from_bits, functions, of_integers, ring

Fn = Callable[..., Array]

_FUNCTIONS: dict[str, Fn] = {
    "add": ring.add,
    "sub": ring.subtract,
    "mul": ring.multiply,
    "fma": ring.fma,
    "mad": ring.fma,
    "div": functions.quotient,
    "rcp": functions.inverse,
    "sqrt": functions.root,
    "rsqrt": functions.inverse_root,
    "ex2": functions.exp2,
    "lg2": functions.log2,
    **{name: partial(functions.mixed, name) for name in ("sin", "cos", "tanh")},
}
_NAMES = {
    "e4m3": "f8E4M3FN",
    "e5m2": "f8E5M2",
    "e2m3": "f6E2M3FN",
    "e3m2": "f6E3M2FN",
    "e2m1": "f4E2M1FN",
    "ue8m0": "f8E8M0FNU",
}
_INTEGERS = ("s8", "u8", "s4", "u4", "b1")


def refuse(form: Form, what: str) -> None:
    """Stops where exact numbers have no meaning yet."""
    form.error(f"{what} with exact numbers are not supported; run without them")


def function(opcode: str, natural: Fn) -> Fn:
    """The function of elements that an opcode of single or double precision is."""
    return _FUNCTIONS.get(opcode, natural)


def on_elements(b: Builder, fn: Fn, sources: Sequence[Operand]) -> Fn:
    """The function; what integer instructions may have made becomes elements first."""
    unsure = [isinstance(s, Register) and s in b.made_of_bits for s in sources]
    if not any(unsure):
        return fn

    def apply(*values: Array) -> Array:
        pairs = zip(values, unsure, strict=True)
        return fn(*(from_bits(v) if is_unsure else v for v, is_unsure in pairs))

    return apply


def from_pairs(fn: Fn) -> Fn:
    """The function of singles that pairs hold, whose halves any instruction made."""
    return lambda *values: fn(*(from_bits(value) for value in values))


def limited(fn: Fn, *, sat: bool, relu: bool = False) -> Fn:
    """Adds `.sat` and `.relu` by the order of elements."""
    if not sat and not relu:
        return fn

    def apply(*values: Array) -> Array:
        result = fn(*values)
        result = np.where(result > 0, result, 0.0)
        return np.minimum(result, 1.0) if sat else result

    return apply


def half_name(ty: Type) -> str:
    """f16 or bf16, of one or of a pair."""
    return ty.name.removesuffix("x2")


def halves(values: Array, name: str) -> Array:
    """The elements of f16 or bf16 registers, packed or not, as f32."""
    codes = np.ascontiguousarray(values).view(np.uint16)
    return formats.elements_of_codes(codes, name)


def on_halves(ty: Type, opcode: str, natural: Fn, *, sat: bool, relu: bool) -> Fn:
    """A function on f16 or bf16 registers: widened, computed, narrowed."""
    fn, name = limited(function(opcode, natural), sat=sat, relu=relu), half_name(ty)

    def apply(*values: Array) -> Array:
        result = fn(*(halves(value, name) for value in values))
        return formats.codes_of(result, name).view(values[0].dtype)

    return apply


def conversion(
    to: Type, source: Type, natural: Fn, *, sat: bool = False, relu: bool = False
) -> Fn:
    """A plain conversion; `natural` is that of f64 to integers."""
    if not _is_float(to):
        widen = _widening(source)

        def to_integer(x: Array) -> Array:
            return natural(widen(x))

        return to_integer
    wide = limited(_widening(source), sat=sat, relu=relu)
    if to.name in ("f16", "bf16"):

        def to_half(x: Array) -> Array:
            return formats.codes_of(wide(x), to.name).view(to.dtype)

        return to_half

    def to_wide(x: Array) -> Array:
        return wide(x).astype(to.dtype)

    return to_wide


def _is_float(ty: Type) -> bool:
    return ty.is_float or ty.name == "bf16"


def _widening(source: Type) -> Fn:
    if source.name in ("f16", "bf16"):
        return partial(halves, name=source.name)
    return of_integers if source.is_integer else np.asarray


def codes_of(elements: Array, name: str) -> Array:
    """The codes of a format by PTX's name."""
    return formats.codes_of(elements, _NAMES.get(name, name))


def small_elements(codes: Array, name: str) -> Array:
    """The elements of codes of a format of at most 8 bits."""
    return formats.elements_of_codes(codes, _NAMES[name])


def limited_codes(elements: Array, name: str, *, relu: bool) -> Array:
    """The codes of f16 or bf16, zero for what is below zero if `relu`."""
    return formats.codes_of(np.maximum(elements, 0) if relu else elements, name)


def matrix_elements(rows: Array, name: str) -> Array:
    """What `decode` gives, as elements."""
    if name in ("f16", "bf16"):
        return halves(rows, name).reshape(*rows.shape, -1)
    values = decode(rows, name)
    # An f32 as tf32 is an element; numbers of a few bits are looked up as numbers.
    return values if name in (*_INTEGERS, "f64", "tf32") else element_of(values)


def finish(total: Array, result: str) -> Array:
    """Sums as the type of the result, f16, f32 or f64."""
    if result == "f16":
        return formats.codes_of(total, "f16").view(np.float16)
    return total.astype(np.float64 if result == "f64" else np.float32)


def update(operation: str, ty: Type, natural: Fn) -> Fn:
    """The new value of an atomic operation on floats."""
    if ty.name.removesuffix("x2") in ("f16", "bf16"):
        return on_halves(ty, operation, natural, sat=False, relu=False)

    def add(old: Array, value: Array) -> Array:
        return ring.add(old, value).astype(ty.dtype)

    return natural if operation != "add" else add
