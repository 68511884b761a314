# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over a row that are hoisted into the loop of a reduction which they need.

Such a sum may overflow although the program's sum does not. Infinities and NaN persist,
since no sum or product of them is finite again. So a finite sum is right. If the sum is
not finite, a loop that only such rows run computes it as the program does: infinities,
NaN and overflow are exactly the program's.
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
    """The values of one iteration of a loop.

    Attributes:
        index: The iteration's number, a scalar.
        before: The operand parts of the anchor, joined before this iteration.
        after: The same, with the part of this iteration.
        part: Gives the part of a row.
    """

    index: ir.Value
    before: ir.Value
    after: ir.Value
    part: Callable[[ir.Value], ir.Value]


class HoistedSum(Protocol):
    """A sum over a row computed in the loop of a reduction that it needs.

    Attributes:
        anchor: The reduction that the sum needs.
        total: The reduction of the sum.
        may_overflow: Whether its terms may overflow although the program's do not.
    """

    @property
    def anchor(self) -> ir.Operation:
        """The reduction that the sum needs."""
        ...

    @property
    def total(self) -> ir.Operation:
        """The reduction of the sum."""
        ...

    @property
    def may_overflow(self) -> bool:
        """Whether the sum is valid only if it is finite."""
        ...

    def begin(self, ty: ir.Type) -> list[ir.Value]:
        """The initial values that it carries; `ty` is the type of a part."""
        ...

    def iterate(self, given: Sequence[ir.Value], step: Step) -> list[ir.Value]:
        """The values that the loop carries for it after an iteration.

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
            found: The values that the loop carried at the end.
            joined: The operand of the anchor.
            known: Gives the present form of a value that is no row.
        """
        ...


def is_finite(number: ir.Value) -> ir.Value:
    """Whether the only element of a tile of floats is finite."""
    distance = cuda_tile.AbsFOp(reshaped(number, [])).result
    infinity = constant_number(distance.type, float("inf"))
    truth = TileType.get([], ir.IntegerType.get_signless(1))
    return cuda_tile.CmpFOp(truth, "less_than", "ordered", distance, infinity).result
