# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples are chosen by names alone, and about one case of N is in them."""

from __future__ import annotations

import argparse

import pytest
from sampling import add_sample_option, fewer, is_sampled

NAMES = [f"case {number}" for number in range(3000)]


def test_about_one_case_of_n_is_in_a_sample() -> None:
    count = sum(is_sampled(name, 3) for name in NAMES)
    assert 900 < count < 1100


def test_without_the_option_each_case_is_taken() -> None:
    parser = argparse.ArgumentParser()
    add_sample_option(parser, 4)
    assert parser.parse_args([]).sample == 1
    assert parser.parse_args(["--sample"]).sample == 4
    assert all(is_sampled(name, 1) for name in NAMES)


@pytest.mark.parametrize(("draws", "left"), [(100, 33), (8, 2), (3, 2), (2, 2), (1, 1)])
def test_a_sample_makes_a_third_of_the_draws_or_two(draws: int, left: int) -> None:
    assert fewer(draws) == left
