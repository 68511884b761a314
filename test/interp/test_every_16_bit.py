# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One-operand ops on all 65536 codes of f16 and bf16, against tables of the formats.

The functions of the math family are in `test_math_functions.py`, floor and ceil in
`test_float.py`.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np
import pytest
from interp_build import apply
from interp_harness import DTYPES
from interp_types import FORMATS, LARGEST, WIDTHS, decode, patterns

KINDS = ("f16", "bf16")
CODES = np.arange(1 << 16, dtype=np.uint16)


def every(kind: str) -> np.ndarray:
    return CODES.view(DTYPES[kind])


def exact(kind: str) -> np.ndarray:
    """The float64 value of each code, from the fields of the format."""
    return np.array([float(decode(int(code), kind)) for code in CODES])


@pytest.mark.parametrize("kind", KINDS)
def test_sign_bits(kind: str) -> None:
    a, known = every(kind), ~np.isnan(exact(kind))
    for name, expected in (("negf", CODES ^ 0x8000), ("absf", CODES & 0x7FFF)):
        got = apply(name, [(a, kind)], [(a.shape, kind)]).view(np.uint16)
        np.testing.assert_array_equal(got[known], expected[known])


def rounded(values: np.ndarray, kind: str) -> np.ndarray:
    """Codes of the nearest values, ties to the even one; NaN not among them.

    Sorted by size the finite values of a format have ascending codes.
    """
    form = FORMATS[kind]
    top = 1 << (form.exponent + form.fraction)
    sizes = [float(decode(code << form.unused, kind)) for code in range(top)]
    finite = np.array([x for x in sizes if isfinite(x)])
    size = np.minimum(np.abs(values), finite[-1] * 2)
    middle = (finite[1:] + finite[:-1]) / 2  # exact: the formats are narrow
    code = np.searchsorted(middle, size, side="left")
    tie = np.isin(size, middle) & (code % 2 == 1)
    code = code + tie
    if kind in LARGEST:
        code = np.minimum(code, len(finite) - 1)
    else:
        step = finite[-1] - finite[-2]
        beyond = (size >= finite[-1] + step / 2) | (np.abs(values) == inf)
        code = np.where(beyond, len(finite), code)
    return (code | np.signbit(values) * top) << form.unused


SMALLER = ("f8E4M3FN", "f8E5M2", "f4E2M1FN")
NARROWING = [("f16", "bf16"), ("bf16", "f16")] + [
    (kind, to) for kind in KINDS for to in SMALLER
]


@pytest.mark.parametrize(("kind", "to"), NARROWING)
def test_narrowing(kind: str, to: str) -> None:
    a, values = every(kind), exact(kind)
    got = np.array(patterns(to, apply("ftof", [(a, kind)], [(a.shape, to)])))
    known = ~np.isnan(values)
    np.testing.assert_array_equal(got[known], rounded(values[known], to))
    lost = [decode(int(code), to) for code in np.unique(got[~known])]
    assert all(x != x for x in lost) or (to, lost) == ("f4E2M1FN", [6])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", ["f32", "tf32", "f64"])
def test_widening(kind: str, to: str) -> None:
    a = every(kind)
    got = apply("ftof", [(a, kind)], [(a.shape, to)]).astype(np.float64)
    np.testing.assert_array_equal(got, exact(kind))
    known = ~np.isnan(got)
    np.testing.assert_array_equal(np.signbit(got)[known], (CODES >= 0x8000)[known])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", ["i1", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_to_integers(kind: str, to: str, sign: str) -> None:
    a, values = every(kind), exact(kind)
    low = -(1 << (WIDTHS[to] - 1)) if sign == "signed" else 0
    high = low + (1 << WIDTHS[to]) - 1
    attributes: dict[str, Any] = {"signedness": sign, "saturating": True}
    got = apply("ftoi", [(a, kind)], [(a.shape, to)], **attributes)
    clipped = [
        0 if x != x else high if x >= high else low if x <= low else int(x)
        for x in values.tolist()
    ]
    if to == "i1":
        clipped = [int(x != 0) for x in values.tolist()]
    mask = (1 << WIDTHS[to]) - 1
    assert patterns(to, got) == [x & mask for x in clipped]
