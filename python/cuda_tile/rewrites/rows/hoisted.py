# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over a row that are hoisted into the loop of a reduction which they need.

Such a sum may overflow on the way where the sum of the text does not. Infinities and
NaN stay what they are, as no sum or product of them is finite again. So a finite sum is
right. In place of any other one, a loop that only such rows run computes the sum as in
the text: infinities, NaN and overflow are exactly the text's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tile_values import constant_number, reshaped
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Step:
    """What a loop has in an iteration.

    Attributes:
        index: The iteration's number, a scalar.
        before: What the parts were joined to that the anchor reduces.
        after: With this iteration's.
        part: Gives the part of a row.
    """

    index: ir.Value
    before: ir.Value
    after: ir.Value
    part: Callable[[ir.Value], ir.Value]


class HoistedSum(Protocol):
    """A sum over a row computed in the loop of a reduction that it needs.

    Attributes:
        anchor: That reduction.
        total: The one of the sum.
        may_overflow: Whether what it is made of may do so where the text does not.
    """

    @property
    def anchor(self) -> ir.Operation:
        """The reduction."""
        ...

    @property
    def total(self) -> ir.Operation:
        """That of the sum."""
        ...

    @property
    def may_overflow(self) -> bool:
        """Whether it counts only where it is finite."""
        ...

    def begin(self, ty: ir.Type) -> list[ir.Value]:
        """What the loop carries for it, at first; `ty` is the type of a part."""
        ...

    def iterate(self, given: Sequence[ir.Value], step: Step) -> list[ir.Value]:
        """The same behind an iteration.

        Args:
            given: The values that the loop carries for it.
            step: The iteration.
        """
        ...

    def finish(
        self,
        found: Sequence[ir.Value],
        joined: ir.Value,
        known: Callable[[ir.Value], ir.Value],
    ) -> ir.Value:
        """A tile whose sum is the wanted one.

        Args:
            found: What the loop carried at last.
            joined: What the anchor reduces.
            known: Gives what values that are no rows are.
        """
        ...


def is_finite(number: ir.Value) -> ir.Value:
    """Whether the only element of a tile of floats is finite."""
    distance = cuda_tile.AbsFOp(reshaped(number, [])).result
    infinity = constant_number(distance.type, float("inf"))
    truth = TileType.get([], ir.IntegerType.get_signless(1))
    return cuda_tile.CmpFOp(truth, "less_than", "ordered", distance, infinity).result
