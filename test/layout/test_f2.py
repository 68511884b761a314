# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra over F2 against enumeration of all vectors."""

from __future__ import annotations

import doctest
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_tile.layout import f2

vectors = st.lists(st.integers(0, 63), max_size=7)


def span_of(columns: list[int]) -> set[int]:
    return {f2.apply(columns, mask) for mask in range(1 << len(columns))}


@given(vectors, st.integers(0, 63))
def test_apply_is_the_xor_of_the_chosen_columns(columns: list[int], mask: int) -> None:
    mask &= (1 << len(columns)) - 1
    expected = 0
    for index, column in enumerate(columns):
        if mask >> index & 1:
            expected ^= column
    assert f2.apply(columns, mask) == expected


@given(vectors, st.integers(0, 63))
def test_solve_finds_every_vector_of_the_span(columns: list[int], wanted: int) -> None:
    mask = f2.Span(columns).solve(wanted)
    assert (mask is not None) == (wanted in span_of(columns))
    assert (wanted in f2.Span(columns)) == (mask is not None)
    if mask is not None:
        assert f2.apply(columns, mask) == wanted


@given(vectors)
def test_solve_uses_no_vector_that_depends_on_earlier_ones(columns: list[int]) -> None:
    dependent = 0
    for index, column in enumerate(columns):
        dependent |= int(column in span_of(columns[:index])) << index
    span = f2.Span(columns)
    for wanted in span_of(columns):
        mask = span.solve(wanted)
        assert mask is not None
        assert not mask & dependent


@given(vectors)
def test_rank_counts_the_span(columns: list[int]) -> None:
    assert 1 << f2.rank(columns) == len(span_of(columns))


@given(vectors)
def test_kernel_spans_the_inputs_that_give_zero(columns: list[int]) -> None:
    zeros = {mask for mask in range(1 << len(columns)) if not f2.apply(columns, mask)}
    basis = f2.kernel(columns)
    assert span_of(basis) == zeros
    assert f2.rank(basis) == len(basis)


@given(vectors, vectors)
def test_intersection_has_the_common_vectors(left: list[int], right: list[int]) -> None:
    basis = f2.intersection(left, right)
    assert span_of(basis) == span_of(left) & span_of(right)
    assert f2.rank(basis) == len(basis)


@given(vectors, vectors)
def test_complete_extends_the_span_by_independent_vectors(
    start: list[int], candidates: list[int]
) -> None:
    chosen = f2.complete(start, candidates)
    assert span_of(start + chosen) == span_of(start + candidates)
    assert f2.rank(start + chosen) == f2.rank(start) + len(chosen)


@given(vectors)
def test_factor_needs_as_many_terms_as_the_rank(columns: list[int]) -> None:
    pairs = f2.factor(columns)
    assert len(pairs) == f2.rank(columns)
    for mask in range(1 << len(columns)):
        total = 0
        for parity_mask, vector in pairs:
            total ^= vector if (mask & parity_mask).bit_count() & 1 else 0
        assert total == f2.apply(columns, mask)


def test_invert_agrees_with_every_invertible_3_by_3_matrix() -> None:
    n_invertible = 0
    for columns in itertools.product(range(8), repeat=3):
        if f2.rank(columns) == 3:
            n_invertible += 1
            inverse = f2.invert(columns)
            for vector in range(8):
                assert f2.apply(inverse, f2.apply(columns, vector)) == vector
    assert n_invertible == 168  # order of GL(3, 2)


@pytest.mark.parametrize("columns", [(1, 1), (0, 2), (1, 4)])
def test_invert_refuses_a_singular_matrix(columns: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected 2 independent columns"):
        f2.invert(columns)


def test_examples_of_the_texts() -> None:
    outcome = doctest.testmod(f2)
    assert outcome.attempted > 0
    assert outcome.failed == 0
