# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples are chosen by names alone, and about one case of N is in them."""

from __future__ import annotations

import argparse
from itertools import product

import pytest
from sampling import Coverage, add_sample_option, fewer, is_sampled

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


CASES = [
    (("chip", chip), ("type", kind), ("number", number))
    for number, (chip, kind) in enumerate(product(range(4), range(9)))
]


def sample(every: int) -> list[tuple[tuple[str, int], ...]]:
    """The cases that only coverage keeps."""
    coverage = Coverage()
    for case in CASES:
        coverage.note(case)
    kept: list[tuple[tuple[str, int], ...]] = []
    for case in CASES:
        if coverage.is_new(case, every):
            coverage.take(case)
            kept.append(case)
    return kept


def test_each_chip_and_type_is_covered() -> None:
    found = sample(4)
    assert {case[0] for case in found} == {("chip", n) for n in range(4)}
    assert {case[1] for case in found} == {("type", n) for n in range(9)}
    assert len(found) == 9 + 3


def test_what_has_more_values_than_cases_are_left_is_not() -> None:
    """Of nine cases four chips, no nine types, and no 36 numbers."""
    assert len(sample(9)) == 4
    assert len(sample(36)) == 0


def test_one_letter_decides_nothing() -> None:
    """Of names that differ in one letter about half are in a sample of one in two."""
    for first in "abcdefgh":
        names = [f"test_x[{first}{n}-near]" for n in range(64)]
        assert 16 < sum(is_sampled(name, 2) for name in names) < 48
