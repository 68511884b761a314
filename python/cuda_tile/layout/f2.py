# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra over F2, the integers modulo 2, with integers as bit vectors.

A vector is a non-negative `int` (bit i = component i), addition is XOR, and a
matrix is a sequence of such ints, one per *column*: column i is the image of
input bit i. The rest of this package applies these functions; nothing here knows
about tensors, threads or memory.

Gaussian elimination on n columns costs O(n^2) word operations; n stays below 30.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Span:
    """The subspace spanned by the vectors added so far, kept in echelon form.

    >>> span = Span([0b01, 0b11])
    >>> span.solve(0b10)  # the first and the second vector together
    3
    >>> span.add(0b10)  # already inside
    False
    """

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._rows: dict[int, tuple[int, int]] = {}  # leading bit -> vector, mask
        self._n_added = 0
        for vector in vectors:
            self.add(vector)

    @property
    def rank(self) -> int:
        """Dimension of the subspace."""
        return len(self._rows)

    def _eliminate(self, vector: int) -> tuple[int, int]:
        mask = left = 0
        while vector:
            lead = vector.bit_length() - 1
            row, row_mask = self._rows.get(lead, (1 << lead, 0))
            left |= 0 if lead in self._rows else row
            vector ^= row
            mask ^= row_mask
        return left, mask

    def add(self, vector: int) -> bool:
        """Adds a vector; returns whether it was outside the span."""
        rest, mask = self._eliminate(vector)
        index = self._n_added
        self._n_added += 1
        if rest == 0:
            return False
        self._rows[rest.bit_length() - 1] = (rest, mask | 1 << index)
        return True

    def __contains__(self, vector: int) -> bool:
        """Returns whether `vector` is a sum of added vectors."""
        return self._eliminate(vector)[0] == 0

    def solve(self, vector: int) -> int | None:
        """Gives a mask of added vectors whose XOR is `vector`, None if none is.

        Only vectors that were independent of the earlier ones are used, so early
        vectors are preferred and the solution is unique.
        """
        rest, mask = self._eliminate(vector)
        return None if rest else mask


def apply(columns: Sequence[int], vector: int) -> int:
    """Multiplies the matrix by a vector: the XOR of the columns at its set bits.

    Args:
        columns: The columns of the matrix, as bit masks.
        vector: The vector, a bit mask.
    """
    result, rest = 0, vector & (1 << len(columns)) - 1
    while rest:
        lowest = rest & -rest
        result ^= columns[lowest.bit_length() - 1]
        rest ^= lowest
    return result


def rank(vectors: Iterable[int]) -> int:
    """Gives the dimension of the span of `vectors`."""
    return Span(vectors).rank


def kernel(columns: Sequence[int]) -> list[int]:
    """Gives a basis of the inputs that the matrix maps to zero."""
    span = Span()
    basis: list[int] = []
    for index, column in enumerate(columns):
        known = span.solve(column)
        if known is not None:
            basis.append(known | 1 << index)
        span.add(column)
    return basis


def invert(columns: Sequence[int]) -> tuple[int, ...]:
    """Inverts a square matrix of full rank.

    Raises:
        ValueError: The columns are dependent, or do not fill `len(columns)` bits.
    """
    span = Span(columns)
    inverse = [span.solve(1 << bit) for bit in range(len(columns))]
    found = tuple(mask for mask in inverse if mask is not None)
    if len(found) != len(columns) or span.rank != len(columns):
        msg = f"expected {len(columns)} independent columns, got rank {span.rank}"
        raise ValueError(msg)
    return found


def complete(vectors: Iterable[int], candidates: Iterable[int]) -> list[int]:
    """Picks, in order, the candidates that enlarge the span of `vectors`.

    Args:
        vectors: The vectors, as bit masks.
        candidates: The candidates, as bit masks.
    """
    span = Span(vectors)
    return [candidate for candidate in candidates if span.add(candidate)]


def intersection(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Gives a basis of the intersection of two spans.

    Args:
        left: Generators of one span, as bit masks.
        right: Generators of the other.
    """
    mine = complete((), left)
    both = mine + complete((), right)
    low = (1 << len(mine)) - 1
    return complete((), (apply(mine, mask & low) for mask in kernel(both)))


def factor(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Splits a matrix into rank-one terms, as few as its rank.

    Returns pairs (input mask, output vector): the image of x is the XOR of the
    vectors whose mask has odd parity with x.

    >>> factor([0b1, 0b1, 0b0])
    [(3, 1)]
    """
    span = Span()
    vectors: dict[int, int] = {}  # index of an independent column -> column
    masks: dict[int, int] = {}
    for index, column in enumerate(columns):
        known = span.solve(column)
        if known is None:
            vectors[index] = column
            known = 1 << index
        span.add(column)
        for chosen in vectors:
            if known >> chosen & 1:
                masks[chosen] = masks.get(chosen, 0) | 1 << index
    return [(masks[chosen], vector) for chosen, vector in vectors.items()]
