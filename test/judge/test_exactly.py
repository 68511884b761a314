# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference in exact numbers, and which references have an answer there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cuda_tile.exact import MODULUS, entered, narrow, widen
from cuda_tile.judge.residues import NotExactError, exact_answer

F32 = np.dtype(np.float32)
Reference = Callable[..., Any]


def asked(reference: Reference, *args: Any, kind: Any = np.float32) -> Any:
    """A reference's answer in exact numbers."""
    (found,) = exact_answer(lambda given: [reference(*given)], args, [np.dtype(kind)])
    return found


def numbers(shape: Any, kind: Any = np.float32) -> Any:
    return np.random.default_rng(3).standard_normal(shape).astype(kind)


def test_integers_are_themselves() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert asked(lambda a: a @ a.T + 2 * a.sum(1), x).tolist() == [
        [14 + 12, 38 + 44, 62 + 76],
        [38 + 12, 126 + 44, 214 + 76],
        [62 + 12, 214 + 44, 366 + 76],
    ]


def test_orders_of_sums_are_one() -> None:
    x = numbers(300)
    one = asked(lambda a: a.sum(), x)
    other = asked(lambda a: sum(a[::-1][n::7].sum() for n in range(7)), x)
    assert one.tobytes() == other.tobytes()
    less = asked(lambda a: a[:-1].sum() + a[-1] * 0.99609375, x)
    assert less.tobytes() != one.tobytes()


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_rounded_at_the_end(kind: Any) -> None:
    x = numbers((4, 8), kind)
    name = "f16" if kind is np.float16 else "bf16"
    wide = asked(lambda a: a.astype(np.float32) @ a.T, x)
    short = asked(lambda a: (a.astype(np.float32) @ a.T).astype(kind), x, kind=kind)
    assert short.dtype == kind
    assert (narrow(widen(wide, "f32"), name).tobytes()) == short.tobytes()
    same = asked(lambda a: a.astype(kind), x, kind=kind)
    assert same.tobytes() == entered(x).tobytes()


def test_half_is_the_inverse_of_two() -> None:
    x = np.ones(1, np.float32)
    assert asked(lambda a: a / 2 + a * 0.5, x).tolist() == [1]
    assert asked(lambda a: (a * 0.5) * 2, x).tolist() == [1]
    assert int(asked(lambda a: a * 0.5, x)[0]) % MODULUS == (MODULUS + 1) // 2


@pytest.mark.parametrize(
    "reference",
    [
        np.exp,
        np.sqrt,
        lambda a: np.maximum(a, 0),
        lambda a: a / a.sum(),
        lambda a: a / 3,
        lambda a: a * 0.1,
        lambda a: a.mean(),
        lambda a: a.astype(np.int32),
        lambda a: np.where(a > 0, a, 0),
        lambda a: a * np.nan,
        lambda a: a**0.5,
    ],
    ids=[
        "exp",
        "sqrt",
        "maximum",
        "share",
        "third",
        "tenth",
        "mean",
        "cast",
        "where",
        "nan",
        "power",
    ],
)
def test_what_has_no_exact_answer(reference: Reference) -> None:
    with pytest.raises(NotExactError):
        asked(reference, np.ones(12, np.float32) * 3)


def test_infinities_have_none() -> None:
    with pytest.raises(NotExactError, match="finite"):
        asked(lambda a: a, np.array([np.inf], np.float32))


def test_other_types_are_left_out() -> None:
    found = exact_answer(lambda given: given, [np.arange(3)], [np.dtype(np.int64)])
    assert found == [None]
