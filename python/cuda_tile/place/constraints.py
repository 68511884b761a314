# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constraints of an op on the layouts of its tiles.

A rule returns a list of constraints; `place/solve.py` finds layouts that satisfy
them. This module does not read the IR; it only holds values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

Transfer = Callable[[LinearLayout], LinearLayout | None]
"""The layout of one value from that of another, or None where it says nothing."""


@dataclass(frozen=True)
class Same:
    """All values (of one shape) share one layout."""

    values: tuple[ir.Value, ...]


@dataclass(frozen=True)
class Related:
    """The layouts of an operand and a result determine each other.

    Attributes:
        op: The operation both belong to.
        operand: Index of the operand.
        result: Index of the result.
        forward: Result layout from operand layout.
        backward: Operand layout from result layout, or None if many are possible.
        is_binding: Whether the op needs this relation. If not, it is only the cheapest
            choice, and the op itself moves elements between threads.
        guess: If `backward` is None, one possible operand layout for a result layout;
            the result is converted if `forward` gives another layout for it.
    """

    op: ir.Operation
    operand: int
    result: int
    forward: Transfer | None
    backward: Transfer | None
    is_binding: bool = True
    guess: Transfer | None = None


@dataclass(frozen=True)
class Fixed:
    """`value` has exactly this layout (the result of a matrix instruction).

    Attributes:
        value: A result.
        layout: Its layout.
        weight: Estimated bytes computed over the whole run. If several such values
            should share a layout, the heaviest decides it, and the others are
            converted.
    """

    value: ir.Value
    layout: LinearLayout
    weight: int


@dataclass(frozen=True)
class Demand:
    """Operand `index` of `op` must arrive in `layout`, converted if need be."""

    op: ir.Operation
    index: int
    layout: LinearLayout


@dataclass(frozen=True)
class Prefer:
    """A memory access that is cheapest in `layout`.

    Attributes:
        op: The access.
        operand: Index of the stored operand, or None for a load's result 0.
        layout: The cheapest layout.
        cycles: Gives the cost of one execution in a layout, see place/cost.py.
        n_bytes: Bytes of the tile.
        trips: Estimated executions.
        can_convert: Whether the tile may be converted next to the access. The tile of
            an access through pointers may not: its addresses share the layout.
    """

    op: ir.Operation
    operand: int | None
    layout: LinearLayout
    cycles: Callable[[LinearLayout], float]
    n_bytes: int
    trips: int
    can_convert: bool = True

    @property
    def weight(self) -> int:
        """Estimated bytes moved over the whole run, to rank accesses."""
        return self.n_bytes * self.trips

    @property
    def value(self) -> ir.Value:
        """The tile that is loaded or stored."""
        if self.operand is None:
            return self.op.results[0]
        return self.op.operands[self.operand]


@dataclass(frozen=True)
class Meets:
    """A tile that is written through pointers has their layout.

    If the tile's layout is fixed, and the access wastes more in it than a conversion of
    the tile costs, the pointers get a layout of their own.

    Attributes:
        prefer: The access.
        pointers: The number of its pointers.
    """

    prefer: Prefer
    pointers: int

    @property
    def apart(self) -> Prefer:
        """The access as one whose pointers have a layout of their own."""
        return replace(self.prefer, operand=self.pointers)


Constraint = Same | Related | Fixed | Demand | Prefer | Meets
