# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear equations that are added one by one if they say something new.

Kirchhoff's law for programs: control that enters a block leaves it (Knuth, "The Art of
Computer Programming" 1, 1.3.3), so that few counters tell how often each block ran.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]
_ZERO = 1e-9
_AGREES = 1e-6


class Equations:
    """Equations in reduced form: each one that is kept has its own variable.

    Attributes:
        agreeing, contradicting: Equations that followed from earlier ones, and that
            did not agree with them and were left out.
    """

    def __init__(self, n_variables: int) -> None:
        self._rows = np.zeros((0, n_variables + 1))
        self._pivots: list[int] = []
        self.agreeing = self.contradicting = 0

    def add(self, row: Row, value: float) -> None:
        """Adds `row @ x == value` unless it follows from or contradicts the others."""
        left = self.reduced(np.append(row, value))
        largest = np.abs(left[:-1]).max(initial=0.0)
        if largest <= _ZERO:
            fits = bool(abs(left[-1]) <= _AGREES * max(1.0, abs(value)))
            self.agreeing += fits
            self.contradicting += not fits
            return
        pivot = int(np.abs(left[:-1]).argmax())
        left = left / left[pivot]
        self._rows -= np.outer(self._rows[:, pivot], left)
        self._rows = np.vstack([self._rows, left])
        self._pivots.append(pivot)

    def reduced(self, row: Row) -> Row:
        """`row`, as coefficients and value, after substituting known variables."""
        if not self._pivots:
            return row
        known: Row = np.matmul(row[self._pivots], self._rows)
        return row - known

    def solve(self, row: Row) -> tuple[float, bool]:
        """The value of `row @ x` with free variables 0, and whether there are none.

        If all of x is at least 0 and the free part has no negative coefficient, the
        value is the least possible; otherwise the least is assumed to be 0.
        """
        left = self.reduced(np.append(row, 0.0))
        free = left[:-1]
        is_known = bool((np.abs(free) <= 1e-6).all())
        value = -float(left[-1])
        return (value if is_known or free.min() > -1e-6 else 0.0), is_known
