# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of a case, and of its other call."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_tile.judge.draw import OTHER_KINDS_ON, draw, draws


def kind_of(x):
    """Whether all are equal, some are, or none."""
    count = np.unique(x).size
    return "equal" if count == 1 else "runs" if count < x.size // 2 else "mixed"


@pytest.mark.parametrize("number", range(7))
def test_other_data_is_of_another_kind(number):
    first = draw(draws([1, 0, number]), (16, 32), number=number)
    other = draw(draws([1, 7, number], OTHER_KINDS_ON), (16, 32), number=number)
    moments = [(kind_of(x), np.sign(x).mean().round(1), np.abs(x).max().round(1))
               for x in (first, other)]  # fmt: skip
    assert moments[0] != moments[1]


def test_some_case_has_neighbours_that_are_equal_and_others_that_are_not():
    x = draw(draws([2]), (64, 32), number=6)
    assert (x[:, 0] == x[:, 1]).all()
    assert kind_of(x) == "runs"
    assert draw(draws([2]), 1, number=6).shape == (1,)


def test_a_generator_of_numpy_will_do():
    assert draw(np.random.default_rng(1), 3).shape == (3,)
