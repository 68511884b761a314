# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions compute what Python and NumPy do, and reach nothing else."""

import re
from contextlib import suppress

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_tile.debug.expression import Coordinates, evaluate, is_true
from cuda_tile.errors import UserError

NAMES = {
    "block": Coordinates((3, 0, 0)),
    "k": np.asarray(12, np.int32),
    "acc": np.asarray([[1.0, np.nan], [3.0, -4.0]], np.float32),
    "half": np.asarray([1.5, np.inf], ml_dtypes.bfloat16),
    "%0": np.asarray(7),
    "%v#1": np.asarray([2, 3]),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("block == (3, 0)", True),
        ("block == 3", True),
        ("block == (3, 1)", False),
        ("block != (3, 0, 0)", False),
        ("block == (3, 0, 0, 0)", False),
        ("block.x + block[1]", 3),
        ("k > 10", True),
        ("10 < k <= 12", True),
        ("10 < k <= 11", False),
        ("k % 5", 2),
        ("k %5", 2),
        ("%0 + %v#1[1]", 10),
        ("k %%0", 5),
        ("k > 3 and %0 == 7", True),
        ("isnan(acc).any()", True),
        ("isnan(acc[1]).any()", False),
        ("acc[1, :].sum() == -1", True),
        ("isinf(half).sum()", 1),
        ("half[0] * 2", 3.0),
        ("max(abs(acc[1]))", 4.0),
        ("acc.shape == (2, 2) and not k < 3", True),
        ("1 if k == 12 else 2", 1),
        ("sum(acc, axis=0)[0]", 4.0),
        ("-2 ** 2 + ~1", -6),
    ],
)
def test_values(text, expected):
    assert evaluate(text, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("acc.__class__", "expected one of T"),
        ("().__class__.__bases__", "expected one of T"),
        ("__import__('os')", "expected one of abs"),
        ("acc.tofile('x')", "expected one of T"),
        ("acc.dtype.type", "expected one of T"),
        ("(lambda: 1)()", "expected one of abs"),
        ("[x for x in (1, 2)]", "expected arithmetic"),
        ("'a' * 9", "expected a number"),
        ("f'{k}'", "expected arithmetic"),
        ("sqrt(acc, out=acc)", "expected keywords"),
        ("sum(acc, **{'axis': 0})", "expected"),
        ("(k := 3)", "expected arithmetic"),
        ("9 ** 9 ** 9", "exponent"),
        ("1 << 999999", "exponent"),
        ("acc[9]", "has no value"),
        ("unknown", "expected a name in scope, got 'unknown'"),
        ("%1 + 1", "expected a name in scope, got '%1'"),
        ("k k", "expected an expression"),
        ("k in acc", "expected =="),
        ("(" * 400 + "k" + ")" * 400, "expected"),
        ("1+" * 600 + "1", "expected at most 1000 characters"),
    ],
)
def test_refusals(text, why):
    with pytest.raises(UserError, match=re.escape(why)):
        evaluate(text, NAMES)


def test_nothing_can_be_written():
    shared = np.ones(4, np.float32)
    view = shared.view()
    view.flags.writeable = False
    with pytest.raises(UserError):
        evaluate("sqrt(x, x)", {"x": view})
    assert (shared == 1).all()


def test_a_condition_has_one_value():
    with pytest.raises(UserError, match=r"got 4; end it with \.any"):
        is_true(evaluate("acc > 0", NAMES))
    assert is_true(evaluate("acc[1] > 0", NAMES)[:1])


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_a_user_error(text):
    with suppress(UserError):
        evaluate(text, NAMES)
