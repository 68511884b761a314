# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of conversions between one pair of element types, against exact numbers."""

from __future__ import annotations

from fractions import Fraction
from math import isnan, trunc

import numpy as np
from interp_check_numbers import COUNT, SIGNS, Check, is_finite, run, wrap
from interp_legal import Signature
from interp_types import (
    FORMATS,
    NATIVE,
    WIDTHS,
    Number,
    decode,
    numbers,
    patterns,
    read,
    round_to,
    same,
    sample,
)


def exti(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], COUNT, 1)
    for sign in SIGNS:
        got = run("exti", row, [a], signedness=sign)
        expected = [wrap(read(x, row[0], sign), row[1]) for x in patterns(row[0], a)]
        assert patterns(row[1], got) == expected


def trunci(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], COUNT, 1)
    got = run("trunci", row, [a])
    assert patterns(row[1], got) == [wrap(x, row[1]) for x in patterns(row[0], a)]


def bitcast(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], COUNT, 1)
    assert patterns(row[1], run("bitcast", row, [a])) == patterns(row[0], a)


def itof(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], COUNT, 1)
    for sign in SIGNS:
        got = run("itof", row, [a], signedness=sign)
        exact = [Fraction(read(x, row[0], sign)) for x in patterns(row[0], a)]
        same(row[1], got, [round_to(x, row[1]) if x else 0.0 for x in exact])


def ftoi(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], COUNT, 1)
    values = float_values(row[0], a)
    if row[1] == "i1":
        for sign in SIGNS:
            for saturating in (False, True):
                got = run("ftoi", row, [a], signedness=sign, saturating=saturating)
                is_zero = [is_finite(x) and x == 0 for x in values]
                assert patterns(row[1], got) == [not zero for zero in is_zero]
        return
    for sign in SIGNS:
        ends = [read(x, row[1], sign) for x in range(1 << min(WIDTHS[row[1]], 8))]
        low = (
            min(ends)
            if WIDTHS[row[1]] <= 8
            else -(sign == "signed") << (WIDTHS[row[1]] - 1)
        )
        high = low + (1 << WIDTHS[row[1]]) - 1
        got = run("ftoi", row, [a], signedness=sign, saturating=True)
        clamped = [_clamp(x, low, high) for x in values]
        assert patterns(row[1], got) == [wrap(x, row[1]) for x in clamped]
        inside = [is_finite(x) and low <= trunc(x) <= high for x in values]
        kept = np.where(inside, a, a.dtype.type(1))
        if low <= 1 <= high:
            got = run("ftoi", row, [kept], signedness=sign)
            assert patterns(row[1], got) == [
                wrap(trunc(x) if ok else 1, row[1])
                for x, ok in zip(values, inside, strict=True)
            ]


def _clamp(x: Number, low: int, high: int) -> int:
    if not is_finite(x):
        return 0 if isnan(float(x)) else (high if x > 0 else low)
    return max(low, min(high, trunc(x)))


def float_values(kind: str, values: np.ndarray) -> list[Number]:
    return [decode(code, kind) for code in patterns(kind, values)]


def ftof(row: Signature, modes: list[str]) -> None:
    source, target = row
    a = sample(source, COUNT, 4)
    if source in FORMATS and target in FORMATS and width_of(source) > width_of(target):
        a[1::2] = _between(target, COUNT // 2, source)
    values = float_values(source, a)
    for mode in modes:
        got = run("ftof", row, [a], rounding_mode=mode)
        if target == "f8E8M0FNU":
            expected = [exponent_of(x, mode) for x in values]
            assert patterns(target, got) == expected
        else:
            same(target, got, [round_to(x, target, mode) for x in values])


def width_of(kind: str) -> int:
    form = FORMATS[kind]
    return form.exponent + form.fraction


def _between(kind: str, count: int, source: str) -> np.ndarray:
    """Halfway points of neighbours of a format, and numbers beside them."""
    dtype = NATIVE[source]
    middle = [float(x) for x in numbers(kind, sample(kind, count, 5)) if is_finite(x)]
    near = np.resize(np.array(middle), count)
    steps = np.spacing(np.abs(near).astype(np.float32)).astype(np.float64)
    steps *= 2.0 ** (23 - FORMATS[kind].fraction)
    beside = np.resize([0.5, 0.25, 0.75, 0.5000001], count)
    with np.errstate(all="ignore"):
        values = (near + steps * beside).astype(dtype)
    if source == "tf32":
        values = (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


def exponent_of(x: Number, mode: str) -> int:
    """The f8E8M0FNU code: the exponent of |x|, next one up towards +inf."""
    if isinstance(x, float) and isnan(x):
        return 0xFF
    if not is_finite(x):
        return 0xFE
    size = abs(Fraction(x))
    if size <= Fraction(2) ** -127:
        return 0
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    power += mode == "positive_inf" and Fraction(2) ** power < size
    return min(power, 127) + 127


CHECKS: dict[str, Check] = {
    "exti": exti,
    "trunci": trunci,
    "bitcast": bitcast,
    "itof": itof,
    "ftoi": ftoi,
    "ftof": ftof,
}
"""The check of each op."""
