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
from numpy.typing import NDArray

from cuda_tile.emulator.isa.mma_elements import decode
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Operand, Register
from cuda_tile.emulator.ptx.types import Array, Type
from cuda_tile.emulator.tensor.formats import BITS, Packing, unpack
from cuda_tile.exact.algebra import RING, Algebra

Fn = Callable[..., Array]

_NAMED = {
    "div": "quotient",
    "rcp": "inverse",
    "sqrt": "root",
    "rsqrt": "inverse_root",
    "ex2": "exp2",
    "lg2": "log2",
}
"""Opcodes that are functions of other names."""
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


def only_in_ring(form: Form, b: Builder) -> None:
    """Stops where terms have no meaning: the instruction looks at bits."""
    if b.algebra not in (None, RING):
        form.error("terms are not supported here; run with --numbers=exact")


def function(algebra: Algebra, opcode: str, natural: Fn) -> Fn:
    """What an opcode of single or double precision is; `natural` follows an order."""
    sums: dict[str, Fn] = {
        "add": algebra.add,
        "sub": algebra.subtract,
        "mul": algebra.multiply,
        "fma": algebra.fma,
        "mad": algebra.fma,
    }
    found = sums.get(opcode)
    return found or algebra.function(_NAMED.get(opcode, opcode), natural)


def algebra_of(b: Builder) -> Algebra:
    """The algebra of a launch that has one."""
    assert b.algebra is not None, "floats are no floats"
    return b.algebra


def on_elements(b: Builder, fn: Fn, sources: Sequence[Operand]) -> Fn:
    """The function; what integer instructions may have made becomes elements first."""
    unsure = [isinstance(s, Register) and s in b.made_of_bits for s in sources]
    if not any(unsure):
        return fn
    from_bits = algebra_of(b).from_bits

    def apply(*values: Array) -> Array:
        pairs = zip(values, unsure, strict=True)
        return fn(*(from_bits(v) if is_unsure else v for v, is_unsure in pairs))

    return apply


def from_pairs(algebra: Algebra, fn: Fn) -> Fn:
    """The function of singles that pairs hold, whose halves any instruction made."""
    return lambda *values: fn(*(algebra.from_bits(value) for value in values))


def of_sign(b: Builder, ty: Type, mask: Operand, natural: Fn) -> Fn:
    """What `and` and `or` are of words in which a float may be.

    With a mask that leaves its sign out `and` is its absolute value, with one of the
    sign alone `or` is the negative of that.
    """
    number = mask.value if isinstance(mask, Immediate) else None
    if b.algebra is None or ty.bits < 32 or not isinstance(number, int):
        return natural
    without_sign, sign = b.algebra.without_sign, 1 << ty.bits - 1
    bits = number & 2 * sign - 1

    def clear(x: Array, y: Array) -> Array:
        return without_sign(x)

    def set_(x: Array, y: Array) -> Array:
        return without_sign(x) ^ y  # the other sign is the negative

    if natural is np.bitwise_and and bits == sign - 1:
        return clear
    return set_ if natural is np.bitwise_or and bits == sign else natural


def limited(algebra: Algebra, fn: Fn, *, sat: bool, relu: bool = False) -> Fn:
    """Adds `.sat` and `.relu` by the order of elements."""
    if not sat and not relu:
        return fn
    return lambda *values: algebra.limited(fn(*values), sat=sat)


def half_name(ty: Type) -> str:
    """f16 or bf16, of one or of a pair."""
    return ty.name.removesuffix("x2")


def halves(algebra: Algebra, values: Array, name: str) -> Array:
    """The elements of f16 or bf16 registers, packed or not, as f32."""
    return algebra.of_codes(np.ascontiguousarray(values).view(np.uint16), name)


def on_halves(
    algebra: Algebra, ty: Type, opcode: str, natural: Fn, *, sat: bool, relu: bool
) -> Fn:
    """A function on f16 or bf16 registers: widened, computed, narrowed."""
    fn = function(algebra, opcode, natural)
    return _on_codes(algebra, limited(algebra, fn, sat=sat, relu=relu), half_name(ty))


def _on_codes(algebra: Algebra, fn: Fn, name: str) -> Fn:
    def apply(*values: Array) -> Array:
        result = fn(*(halves(algebra, value, name) for value in values))
        return algebra.codes_of(result, name).view(values[0].dtype)

    return apply


_WHOLE = {"rni": "round", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


def _then(first: Fn, second: Fn) -> Fn:
    def both(x: Array) -> Array:
        return second(first(x))

    return both


def conversion(
    algebra: Algebra,
    to: Type,
    source: Type,
    natural: Fn,
    *,
    sat: bool = False,
    relu: bool = False,
    whole: str = "",
) -> Fn:
    """A plain conversion; `natural` is that of f64 to integers.

    Args:
        algebra: What floats are.
        to: The type of the result.
        source: The type of the operand.
        natural: The conversion of f64, if the result is an integer.
        sat: Whether what leaves 0 to 1 is brought back.
        relu: Whether what is negative becomes zero.
        whole: The mode of a rounding to whole numbers; elements of the ring are whole.
    """
    widen = _widening(algebra, source)
    if whole in _WHOLE and _is_float(to):
        widen = _then(widen, algebra.function(_WHOLE[whole], np.positive))
    if not _is_float(to):
        return _then(widen, algebra.to_integers(natural))
    wide = limited(algebra, widen, sat=sat, relu=relu)

    def convert(x: Array) -> Array:
        if to.name in ("f16", "bf16"):
            return algebra.codes_of(wide(x), to.name).view(to.dtype)
        return wide(x).astype(to.dtype)

    return convert


def _is_float(ty: Type) -> bool:
    return ty.is_float or ty.name == "bf16"


def _widening(algebra: Algebra, source: Type) -> Fn:
    if source.name in ("f16", "bf16"):
        return partial(halves, algebra, name=source.name)
    return algebra.of_integers if source.is_integer else np.asarray


def codes_of(algebra: Algebra, elements: Array, name: str) -> Array:
    """The codes of a format by PTX's name."""
    return algebra.codes_of(elements, _NAMES.get(name, name))


def small_elements(algebra: Algebra, codes: Array, name: str) -> Array:
    """The elements of codes of a format of at most 8 bits."""
    return algebra.of_codes(codes, _NAMES[name])


def limited_codes(algebra: Algebra, elements: Array, name: str, *, relu: bool) -> Array:
    """The codes of f16 or bf16, zero for what is below zero if `relu`."""
    wide = algebra.limited(elements, sat=False) if relu else elements
    return algebra.codes_of(wide, name)


def matrix_elements(algebra: Algebra, rows: Array, name: str) -> Array:
    """What `decode` gives, as elements."""
    if name in ("f16", "bf16"):
        return halves(algebra, rows, name).reshape(*rows.shape, -1)
    if name == "tf32":
        cut = algebra.cut_to_tf32(rows.view(np.float32))
        return cut.reshape(*rows.shape, 1)
    if name in ("e4m3", "e5m2"):
        codes = np.ascontiguousarray(rows).view(np.uint8)
        return algebra.of_codes(codes, _NAMES[name]).reshape(*rows.shape, 4)
    values = decode(rows, name)
    # Numbers of a few bits are looked up as numbers.
    return values if name in (*_INTEGERS, "f64") else algebra.literals(values)


def tensor_elements(
    algebra: Algebra, data: NDArray[np.uint8], name: str, packing: Packing
) -> Array:
    """What `unpack` gives, as elements."""
    if BITS[name] < 8:
        return algebra.literals(unpack(data, name, packing))
    words = np.ascontiguousarray(data).view(np.uint32)
    return matrix_elements(algebra, words, name).reshape(*data.shape[:-1], -1)


def scaled_product(
    algebra: Algebra, left: Array, right: Array, factors: Sequence[Array]
) -> Array:
    """A [M, K] times B [K, N], with factors [M, blocks] and [N, blocks] along K."""
    block = left.shape[1] // factors[0].shape[1]
    rows, columns = (
        np.repeat(algebra.literals(each), block, axis=1) for each in factors
    )
    return algebra.matmul(
        algebra.multiply(left, rows), algebra.multiply(right, columns.T)
    )


def tensor_sum(
    algebra: Algebra, total: Array, before: Array | None, result: str, power: int
) -> NDArray[np.uint32]:
    """Words of tensor memory: what is there times two to the minus power, and more."""
    if before is not None:
        is_half = result == "f16"
        words = before.astype(np.uint16) if is_half else before.view(np.float32)
        old = algebra.of_codes(words, "f16") if is_half else words
        scale = algebra.literals(np.full_like(old, 2.0**-power))
        total = algebra.fma(old, scale, total) if power else algebra.add(old, total)
    values = finish(algebra, total, result)
    if result == "f16":
        return values.view(np.uint16).astype(np.uint32)
    return np.ascontiguousarray(values).view(np.uint32)


def finish(algebra: Algebra, total: Array, result: str) -> Array:
    """Sums as the type of the result, f16, f32 or f64."""
    if result == "f16":
        return algebra.codes_of(total, "f16").view(np.float16)
    return total.astype(np.float64 if result == "f64" else np.float32)


def update(algebra: Algebra, operation: str, ty: Type, natural: Fn) -> Fn:
    """The new value of an atomic operation on floats."""
    name = half_name(ty)
    fn = function(algebra, operation, natural)
    if operation == "add":
        fn = partial(algebra.accumulated, name=name)
    if name in ("f16", "bf16"):
        return _on_codes(algebra, fn, name)

    def change(old: Array, value: Array) -> Array:
        return fn(old, value).astype(ty.dtype)

    return change
