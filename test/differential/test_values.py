# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays hold what their heads ask for, and are compared as these say."""

from __future__ import annotations

import numpy as np
import pytest
from differential_case import ArrayArgument
from differential_values import VALUES
from emit_data import DTYPES
from op_case import differing

LOWEST = np.finfo("f4").min


def contents(values: str, element: str = "f32", count: int = 256) -> np.ndarray:
    text = f"array 0 {element} size={count} start=0 shape={count} strides=1"
    text += "" if values == "any" else f" values={values}"
    argument = ArrayArgument.parse(text)
    assert str(argument) == text
    return argument.buffer(7).data


@pytest.mark.parametrize("element", DTYPES)
def test_every_kind_suits_every_type(element: str) -> None:
    for values in VALUES:
        made = contents(values, element)
        assert made.shape == (256,)
        assert made.dtype == DTYPES[element]


def test_special_values_are_there() -> None:
    assert (contents("lowest") == LOWEST).any()
    assert (contents("hidden") == LOWEST).all()
    assert (contents("masked")[-64:] == LOWEST).all()
    assert set(np.sign(contents("huge"))) == {-1, 1}
    assert {np.inf, -np.inf} < set(contents("infinities"))
    assert np.isnan(contents("nans")).any()
    assert (np.abs(contents("subnormals", "f64")) < 1e-320).any()
    zeros = contents("zeros")
    assert set(np.signbit(zeros[zeros == 0])) == {True, False}
    equal = np.diff(contents("neighbours")) == 0
    assert 150 < equal.sum() < 255
    assert sorted(contents("places", "i32")) == list(range(256))
    assert {-128, 127} < set(contents("ends", "i8").tolist())
    assert np.isfinite(contents("ordinary", "f16").astype("f4")).all()


def test_unknown_contents_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"expected values of a kind any, .* got 'odd'"
    ):
        contents("odd")


def test_numbers_may_be_some_units_of_what_was_added_apart() -> None:
    wanted = np.array([1.0, 1.0, np.nan, np.inf, np.inf], "f4")
    found = np.array([1.0001, 1.1, np.nan, np.inf, 1.0], "f4")
    assert list(differing(wanted, found, 0)) == [0, 1, 4]
    assert list(differing(wanted, found, 2, 1000.0)) == [1, 4]
    line = "array 0 f32 size=5 start=0 shape=5 strides=1 ulp=2 scale=1000"
    assert str(ArrayArgument.parse(line)) == line
