# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The measurement of errors finds them."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy import COLUMNS, PAGE, numbers_of
from ulp.measure import compiled, errors, measure, worst_texts
from ulp.samples import operands_of, special
from ulp.subjects import ELEMENTS, FORMATS, SUBJECTS, Array, Subject


def subject(name: str) -> Subject:
    return next(s for s in SUBJECTS if s.name == name)


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_step_is_a_unit(element: str) -> None:
    """The neighbour of a rounded result is half a unit to one and a half off."""
    root = subject("sqrt nearest_even")
    form = FORMATS[element]
    x = np.array([2.0, 3.0, 10.0], form.dtype)
    exact = np.sqrt(x.astype(np.float64)).astype(form.dtype)
    assert errors(root, element, [x], exact).ulp <= 0.5
    next_one = (exact.view(form.word) + 1).view(form.dtype)
    assert 0.5 < errors(root, element, [x], next_one).ulp <= 1.5


@pytest.mark.parametrize("name", ["exp", "log", "atan2", "pow"])
def test_special_values_are_looked_at(name: str) -> None:
    function = subject(name)
    operands: list[Array] = [special("f32")] * (2 if function.has_two else 1)
    wide = [a.astype(np.float64) for a in operands]
    with np.errstate(all="ignore"):
        right = np.asarray(function.doubles(*wide)).astype(np.float32)
    assert errors(function, "f32", operands, right).wrong == 0
    finite = np.nan_to_num(right, nan=1.0)
    missing = int(np.isnan(right).sum())
    assert missing
    assert errors(function, "f32", operands, finite).wrong == missing


def test_the_limits_of_the_hardware_show() -> None:
    function = subject("exp2")
    ptx = compiled(function, "f32", "sm_90").ptx
    operands = operands_of(function, "f32", 1 << 9)
    ideal = measure(function, "f32", ptx, operands)
    assert ideal.ulp < 0.51
    limits = [measure(function, "f32", text, operands) for text in worst_texts(ptx)]
    assert len(limits) == 2
    assert all(2 <= limit.ulp <= 4.5 and not limit.wrong for limit in limits)


def test_the_table_is_read() -> None:
    page = "| x | 1 |\n" + COLUMNS + "| f | none | 0.500 (1.5) |  | 2.25 |  |\n"
    assert numbers_of(page) == {("f", "f16"): 0.5, ("f", "f32"): 2.25}
    wanted = {(s.name, element) for s in SUBJECTS for element in s.elements}
    assert set(numbers_of(PAGE.read_text())) == wanted
