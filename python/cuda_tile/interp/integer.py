# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the integer family: two's complement arithmetic of w bits.

`S` and `U` are the signed and unsigned readings, as in `words.py`. Broken overflow
promises, division by zero and over-wide shifts are errors in strict mode; permissive
mode gives the values stated at each rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import RULES
from cuda_tile.interp.words import big, limits, reading, signed, unsigned, wrap
from cuda_tile.runtime.elements import Array, Element

PROMISES = {
    "none": (),
    "no_signed_wrap": ("signed",),
    "no_unsigned_wrap": ("unsigned",),
    "no_wrap": ("signed", "unsigned"),
}
"""Readings in which an `overflow` keyword promises the exact result to fit."""

COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}


def check_promise(
    run: TileBlock, op: Op, exact: dict[str, NDArray[np.object_]], kind: Element
) -> None:
    """Fails where an exact result does not fit, in a reading that was promised.

    Args:
        run: The tile block.
        op: The op with the `overflow` attribute.
        exact: Exact results as Python integers, per promised reading.
        kind: Element type that should hold them.
    """
    for signedness, values in exact.items():
        lowest, highest = limits(kind, signedness)
        bad = np.asarray((values < lowest) | (values > highest), dtype=np.bool_)
        text = f"the result overflows the promised {signedness} {kind}"
        run.forbid(op, bad, text, np.asarray(values))


def _promised(run: TileBlock, op: Op) -> tuple[str, ...]:
    if not run.launch.is_checked:
        return ()
    return PROMISES[op.attributes.get("overflow", "none")]


@RULES.register("addi")
def addi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The sum mod 2^w."""
    kind = op.tile().element
    exact = {s: big(lhs, kind, s) + big(rhs, kind, s) for s in _promised(run, op)}
    check_promise(run, op, exact, kind)
    return wrap(unsigned(lhs, kind) + unsigned(rhs, kind), kind)


@RULES.register("subi")
def subi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The difference mod 2^w."""
    kind = op.tile().element
    exact = {s: big(lhs, kind, s) - big(rhs, kind, s) for s in _promised(run, op)}
    check_promise(run, op, exact, kind)
    return wrap(unsigned(lhs, kind) - unsigned(rhs, kind), kind)


@RULES.register("muli")
def muli(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The product mod 2^w."""
    kind = op.tile().element
    exact = {s: big(lhs, kind, s) * big(rhs, kind, s) for s in _promised(run, op)}
    check_promise(run, op, exact, kind)
    return wrap(unsigned(lhs, kind) * unsigned(rhs, kind), kind)


@RULES.register("mulhii")
def mulhii(run: TileBlock, op: Op, x: Array, y: Array) -> Array:
    """High half of the unsigned product."""
    kind = op.tile().element
    a, b = unsigned(x, kind), unsigned(y, kind)
    if kind.bits <= 32:
        return wrap((a * b) >> np.uint64(kind.bits), kind)
    half, low_half = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_high, a_low, b_high, b_low = a >> half, a & low_half, b >> half, b & low_half
    middle = a_high * b_low + (a_low * b_low >> half)
    carry = (middle & low_half) + a_low * b_high
    return wrap(a_high * b_high + (middle >> half) + (carry >> half), kind)


@RULES.register("negi")
def negi(run: TileBlock, op: Op, source: Array) -> Array:
    """The negative mod 2^w; the smallest value stays itself."""
    kind = op.tile().element
    exact = {s: -big(source, kind, s) for s in _promised(run, op)}
    check_promise(run, op, exact, kind)
    return wrap(np.uint64(0) - unsigned(source, kind), kind)


@RULES.register("absi")
def absi(run: TileBlock, op: Op, source: Array) -> Array:
    """|S(x)|; the smallest value keeps its bits."""
    return wrap(np.abs(signed(source)), op.tile().element)


@RULES.register("maxi")
def maxi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The larger value in the given reading."""
    kind, sign = op.tile().element, op.attributes["signedness"]
    return wrap(np.maximum(reading(lhs, kind, sign), reading(rhs, kind, sign)), kind)


@RULES.register("mini")
def mini(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The smaller value in the given reading."""
    kind, sign = op.tile().element, op.attributes["signedness"]
    return wrap(np.minimum(reading(lhs, kind, sign), reading(rhs, kind, sign)), kind)


@RULES.register("cmpi")
def cmpi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The relation in the given reading."""
    kind, sign = op.operand_tile().element, op.attributes["signedness"]
    compare = COMPARE[op.attributes["comparison_predicate"]]
    return compare(reading(lhs, kind, sign), reading(rhs, kind, sign))


def _truncated(
    run: TileBlock, op: Op, lhs: Array, rhs: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Quotient and remainder toward zero, both readings, and where they hold.

    Returns:
        `(dividend, divisor, quotient, remainder, is_plain)`; where `is_plain` is False
        (zero divisor, or smallest value by -1) quotient and remainder mean nothing.
    """
    kind, sign = op.tile().element, op.attributes["signedness"]
    a, b = reading(lhs, kind, sign), reading(rhs, kind, sign)
    run.forbid(op, b == 0, "division by zero")
    overflows = np.zeros(a.shape, dtype=np.bool_)
    if sign == "signed":
        overflows = (a == limits(kind, sign)[0]) & (b == -1)
        if op.name == "divi" or decisions.REMI_OVERFLOW_IS_UNDEFINED:
            run.forbid(op, overflows, f"the smallest {kind} divided by -1 overflows")
    is_plain = (b != 0) & ~overflows
    divisor = np.where(is_plain, b, b.dtype.type(1))
    if sign == "unsigned":
        return a, divisor, a // divisor, a % divisor, is_plain
    remainder = np.fmod(a, divisor)  # sign of the dividend
    return a, divisor, (a - remainder) // divisor, remainder, is_plain


@RULES.register("divi")
def divi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Permissive: the dividend where the quotient overflows.

    `negative_inf` on unsigned operands comes from bytecode only and truncates.
    """
    kind = op.tile().element
    a, b, quotient, remainder, is_plain = _truncated(run, op, lhs, rhs)
    mode = op.attributes.get("rounding", "zero")
    inexact = remainder != 0
    if op.attributes["signedness"] == "unsigned":
        if mode == "negative_inf" and not decisions.UNSIGNED_FLOOR_TRUNCATES:
            run.fail(op, "expected zero or positive_inf, got negative_inf")
        up = inexact & (mode == "positive_inf")
        down = np.zeros_like(up)
    else:
        below_zero = (remainder < 0) != (b < 0)
        down = inexact & below_zero & (mode == "negative_inf")
        up = inexact & ~below_zero & (mode == "positive_inf")
    one = quotient.dtype.type(1)
    exact = np.where(up, quotient + one, np.where(down, quotient - one, quotient))
    by_zero = np.asarray(rhs) == 0
    undefined = np.full(exact.shape, decisions.DIVI_BY_ZERO, dtype=np.int64)
    special = np.where(by_zero, wrap(undefined, kind), wrap(a, kind))
    return np.where(is_plain, wrap(exact, kind), special)


@RULES.register("remi")
def remi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Permissive: the dividend for a zero divisor, 0 where the quotient overflows."""
    kind = op.tile().element
    a, _, _, remainder, is_plain = _truncated(run, op, lhs, rhs)
    special = np.where(np.asarray(rhs) == 0, a, a.dtype.type(0))
    return wrap(np.where(is_plain, remainder, special), kind)


def _shift_amount(run: TileBlock, op: Op, rhs: Array, kind: Element) -> Array:
    """The amount, at most 64: beyond every width (permissive mode)."""
    amount = unsigned(rhs, kind)
    if decisions.WIDE_SHIFT_IS_UNDEFINED:
        text = f"shifts {kind} by {kind.bits} bits or more"
        run.forbid(op, amount >= kind.bits, text, amount)
    if decisions.WIDE_SHIFT == "mask":
        return amount & np.uint64(kind.bits - 1)
    return np.minimum(amount, np.uint64(64))


def _shifted(
    lhs: Array, amount: Array, kind: Element, signedness: str
) -> NDArray[np.object_]:
    """The exact product with a power of two."""
    power = np.asarray(2 ** amount.astype(object), dtype=object)
    return big(lhs, kind, signedness) * power


@RULES.register("shli")
def shli(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Zeros enter from the right."""
    kind = op.tile().element
    amount = _shift_amount(run, op, rhs, kind)
    exact = {s: _shifted(lhs, amount, kind, s) for s in _promised(run, op)}
    check_promise(run, op, exact, kind)
    shifted = unsigned(lhs, kind) << np.minimum(amount, np.uint64(63))
    return wrap(np.where(amount >= 64, np.uint64(0), shifted), kind)


@RULES.register("shri")
def shri(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Zeros enter from the left, or copies of the sign bit if signed."""
    kind = op.tile().element
    amount = _shift_amount(run, op, rhs, kind)
    if op.attributes["signedness"] == "signed":
        return wrap(signed(lhs) >> np.minimum(amount.astype(np.int64), 63), kind)
    shifted = unsigned(lhs, kind) >> np.minimum(amount, np.uint64(63))
    return wrap(np.where(amount >= 64, np.uint64(0), shifted), kind)
