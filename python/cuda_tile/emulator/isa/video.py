# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Scalar Video Instructions" and "SIMD Video Instructions".

Parts of two registers, bytes or halves, are widened by the sign of their types and
combined; the result is saturated, combined with a third operand, or put into a part of
it. nvcc makes some of them of the intrinsics `__vabsdiff4` and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Operand, Part, Register
from cuda_tile.emulator.ptx.types import B32, Array

CHAPTER = Chapter("Video Instructions")

Numbers = NDArray[np.int64]
_TYPES = ("u32", "s32")
_COMPARISONS: dict[str, Callable[[Numbers, Numbers], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_SECOND: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
}


def _average(x: Numbers, y: Numbers) -> Numbers:
    total = x + y
    return (total + (total >= 0)) >> 1


_OPERATIONS: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "add": np.add,
    "sub": np.subtract,
    "absdiff": lambda x, y: np.abs(x - y),
    "min": np.minimum,
    "max": np.maximum,
    "avrg": _average,
}


def _extended(values: Array, bits: int, *, is_signed: bool) -> Numbers:
    """The low bits of unsigned values as numbers."""
    found = values.astype(np.int64) & (1 << bits) - 1
    if is_signed:
        found -= (found >> bits - 1) << bits
    return found


def _clamped(values: Numbers, bits: int, *, is_signed: bool) -> Numbers:
    if is_signed:
        return values.clip(-(1 << bits - 1), (1 << bits - 1) - 1)
    return values.clip(0, (1 << bits) - 1)


def _split(operand: Operand) -> tuple[Operand, str]:
    """The register of an operand and its selector, empty for none."""
    if isinstance(operand, Part):
        return operand.register, operand.selector
    return operand, ""


def _source(form: Form, b: Builder, operand: Operand, *, constants: bool) -> Array:
    """A source of 32 bits; the scalar instructions take integer constants too."""
    is_integer = isinstance(operand, Immediate) and isinstance(operand.value, int)
    if not isinstance(operand, Register) and not (constants and is_integer):
        form.error("expected a register as a source")
    if isinstance(operand, Immediate) and operand.bits:
        form.error("expected an integer as a constant source")
    return b.src(operand, B32)


# One value ----------------------------------------------------------------------------


def _field(form: Form, selector: str) -> tuple[int, int]:
    """First bit and width of `.b0` to `.b3`, `.h0`, `.h1`, or of the whole."""
    if not selector:
        return 0, 32
    names = {f"b{i}": (8 * i, 8) for i in range(4)} | {"h0": (0, 16), "h1": (16, 16)}
    if selector not in names:
        form.error(f"expected .b0 to .b3, .h0 or .h1, got '.{selector}'")
    return names[selector]


def _scalar(
    form: Form,
    b: Builder,
    types: tuple[str, str, str],
    fn: Callable[[Numbers, Numbers], Numbers],
    *,
    saturates: bool = False,
) -> Compiled:
    """`vop d{.dsel}, a{.asel}, b{.bsel}{, c}`, with one secondary operation."""
    second = form.option(*_SECOND)
    to, *sources = types
    is_signed = to == "s32"
    target, *operands = form.some_operands(3, 4)
    d, part = _split(target)
    if (len(operands) == 3) != bool(second or part) or (second and part):
        form.error("expected a third source exactly for one secondary operation")
    first, width = _field(form, part)
    fields: list[tuple[int, int, bool]] = []
    registers: list[Array] = []
    for operand, ty in zip(operands, sources, strict=False):
        register, selector = _split(operand)
        fields.append((*_field(form, selector), ty == "s32"))
        registers.append(_source(form, b, register, constants=True))
    registers += [_source(form, b, x, constants=True) for x in operands[2:]]

    def run(*values: Array) -> Array:
        x, y = (
            _extended(value >> np.uint32(start), bits, is_signed=signed)
            for value, (start, bits, signed) in zip(values, fields, strict=False)
        )
        total = fn(x, y)
        if saturates:
            total = _clamped(total, width, is_signed=is_signed)
        if second:
            total = _SECOND[second](
                total, _extended(values[2], 32, is_signed=is_signed)
            )
        if part:
            mask = ((1 << width) - 1) << first
            kept = values[2].astype(np.int64) & ~mask
            total = (total << first & mask) | kept
        return (total & 0xFFFFFFFF).astype(np.uint32)

    return b.elementwise(run, b.dst(d, B32), *registers)


def _scalar_operation(name: str) -> Callable[[Form, Builder], Compiled]:
    def compiled(form: Form, b: Builder) -> Compiled:
        types = form.choice(*_TYPES), form.choice(*_TYPES), form.choice(*_TYPES)
        saturates = form.flag("sat")
        return _scalar(form, b, types, _OPERATIONS[name], saturates=saturates)

    compiled.__doc__ = f"Scalar video: v{name}."
    return compiled


def _shift(form: Form, b: Builder) -> Compiled:
    """Vshl and vshr; the amount is clamped to 32 or wraps."""
    types = form.choice(*_TYPES), form.choice(*_TYPES), form.choice("u32")
    saturates = form.flag("sat")
    wraps = form.choice("clamp", "wrap") == "wrap"
    is_left = form.instruction.opcode == "vshl"

    def fn(x: Numbers, amount: Numbers) -> Numbers:
        amount = amount & 31 if wraps else np.minimum(amount, 32)
        if not is_left:
            return x >> amount
        # By 32 the result is beyond 32 bits, however far: it must not leave 64.
        x = np.where(amount == 32, x.clip(-(1 << 30), 1 << 30), x)
        return x << amount

    return _scalar(form, b, types, fn, saturates=saturates)


def _set(form: Form, b: Builder) -> Compiled:
    """vset: 1 where a comparison holds."""
    types = "u32", form.choice(*_TYPES), form.choice(*_TYPES)
    compare = _COMPARISONS[form.choice(*_COMPARISONS)]
    return _scalar(form, b, types, lambda x, y: compare(x, y).astype(np.int64))


# Two or four values -------------------------------------------------------------------


def _places(form: Form, selector: str, n: int, first: int) -> list[int]:
    """Which parts of both sources a selector names, the lowest result's first."""
    if not selector:
        return list(range(first, first + n))
    letter, digits = selector[0], selector[1:]
    is_known = letter == ("h" if n == 2 else "b") and len(digits) == n
    if not is_known or any(digit not in "01234567"[: 2 * n] for digit in digits):
        form.error(f"expected a selector of {n} parts, got '.{selector}'")
    return [int(digit) for digit in reversed(digits)]


def _mask(form: Form, selector: str, n: int) -> list[bool]:
    """Which parts of the result are written."""
    if not selector:
        return [True] * n
    letter, digits = selector[0], selector[1:]
    places = [int(digit) for digit in digits if digit in "0123"[:n]]
    falls = all(x > y for x, y in pairwise(places))
    is_known = letter == ("h" if n == 2 else "b") and 0 < len(places) == len(digits)
    if not is_known or not falls:
        form.error(f"expected a mask of up to {n} parts, got '.{selector}'")
    return [place in places for place in range(n)]


def _simd(
    form: Form,
    b: Builder,
    n: int,
    types: tuple[str, str, str],
    fn: Callable[[Numbers, Numbers], Numbers],
    *,
    saturates: bool = False,
) -> Compiled:
    """`vopN{.add} d{.mask}, a{.asel}, b{.bsel}, c`."""
    adds = form.flag("add")
    bits = 32 // n
    target, *operands = form.operands(4)
    d, mask_text = _split(target)
    mask = _mask(form, mask_text, n)
    registers: list[Array] = []
    chosen: list[list[int]] = []
    for number, operand in enumerate(operands[:2]):
        register, selector = _split(operand)
        chosen.append(_places(form, selector, n, number * n))
        registers.append(_source(form, b, register, constants=False))
    third = _source(form, b, operands[2], constants=False)

    def run(x: Array, y: Array, c: Array) -> Array:
        both = [
            value >> np.uint32(bits * place) for value in (x, y) for place in range(n)
        ]
        total = c.astype(np.int64) if adds else np.zeros(len(c), np.int64)
        for place in range(n):
            low, high = (
                _extended(both[places[place]], bits, is_signed=ty == "s32")
                for places, ty in zip(chosen, types[1:], strict=True)
            )
            result = fn(low, high)
            if saturates:
                result = _clamped(result, bits, is_signed=types[0] == "s32")
            if adds:
                total += result if mask[place] else 0
                continue
            if not mask[place]:
                result = c.astype(np.int64) >> bits * place
            total |= (result & (1 << bits) - 1) << bits * place
        return (total & 0xFFFFFFFF).astype(np.uint32)

    return b.elementwise(run, b.dst(d, B32), *registers, third)


def _simd_operation(name: str, n: int) -> Callable[[Form, Builder], Compiled]:
    def compiled(form: Form, b: Builder) -> Compiled:
        types = form.choice(*_TYPES), form.choice(*_TYPES), form.choice(*_TYPES)
        saturates = form.flag("sat")
        return _simd(form, b, n, types, _OPERATIONS[name], saturates=saturates)

    compiled.__doc__ = f"SIMD video: v{name}{n}."
    return compiled


def _simd_set(n: int) -> Callable[[Form, Builder], Compiled]:
    def compiled(form: Form, b: Builder) -> Compiled:
        types = "u32", form.choice(*_TYPES), form.choice(*_TYPES)
        compare = _COMPARISONS[form.choice(*_COMPARISONS)]
        return _simd(form, b, n, types, lambda x, y: compare(x, y).astype(np.int64))

    compiled.__doc__ = f"SIMD video: vset{n}."
    return compiled


for _name in ("add", "sub", "absdiff", "min", "max"):
    CHAPTER.instruction(f"v{_name}")(_scalar_operation(_name))
for _name in _OPERATIONS:
    for _n in (2, 4):
        CHAPTER.instruction(f"v{_name}{_n}")(_simd_operation(_name, _n))
for _n in (2, 4):
    CHAPTER.instruction(f"vset{_n}")(_simd_set(_n))
CHAPTER.instruction("vset")(_set)
for _name in ("vshl", "vshr"):
    CHAPTER.instruction(_name)(_shift)
