# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which integers of a thread differ by constants that are known.

The elements of a tile that a thread holds often lie a fixed way apart: those of an
`iota`, and sums with it. `distance.py` compares such numbers by their differences.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.fact_values import Facts, every_divisor
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of

Root = int | ir.Value
Place = tuple[Root, int]


class Offsets:
    """Which integers of a thread differ by known constants.

    A value is a root and a constant: values with the same root differ, as signed
    numbers, by exactly the difference of their constants.
    """

    def __init__(self) -> None:
        self._places: dict[ir.Value, Place] = {}
        self._sums: dict[tuple[str, Root, Root], int] = {}
        self._parts: dict[ir.Value, tuple[ir.Value, ir.Value]] = {}

    def of(self, value: ir.Value) -> Place:
        """Root and constant of a value."""
        return self._places.get(value) or (value, 0)

    def note(self, value: ir.Value, root: Root, constant: int) -> None:
        """Says that a value is a root and a constant.

        Args:
            value: The value.
            root: The root.
            constant: The constant.
        """
        self._places[value] = root, constant

    def parts(self, value: ir.Value) -> tuple[ir.Value, ...]:
        """The two terms of a value that is a sum in an address.

        That is modulo 2^64, so that a sum of 64 bits may wrap around.
        """
        return self._parts.get(value, ())

    def note_parts(self, value: ir.Value, x: ir.Value, y: ir.Value) -> None:
        """Says what `parts` gives.

        Args:
            value: The sum.
            x: One term.
            y: The other.
        """
        self._parts[value] = x, y

    def note_product(self, value: ir.Value, x: ir.Value, factor: int) -> None:
        """Says that a value is x times a number, without a wrap.

        Args:
            value: The product.
            x: One factor.
            factor: The other.
        """
        root, c = self.of(x)
        key = f"*{factor}", root, 0
        self.note(value, self._sums.setdefault(key, len(self._sums)), c * factor)

    def note_sum(self, value: ir.Value, x: ir.Value, y: ir.Value, sign: int) -> None:
        """Says that a value is x + y, or x - y for a sign of -1, without a wrap.

        Args:
            value: The sum.
            x: The first term.
            y: The second term.
            sign: 1 or -1.
        """
        (root, c), (other, d) = self.of(x), self.of(y)
        key = "+" if sign > 0 else "-", root, other
        self.note(value, self._sums.setdefault(key, len(self._sums)), c + sign * d)


def never_wraps(facts: Callable[[ir.Value], Facts], op: ir.Operation) -> bool:
    """Whether a result is that of the signed numbers themselves.

    So it is where the program promises it or its bounds are known, and where a multiple
    of a power of two is increased by less than that.

    Args:
        facts: What is known of a value.
        op: An addition, subtraction or multiplication.
    """
    if keyword(op, "overflow", "none") in ("no_signed_wrap", "no_wrap"):
        return True
    known = facts(op.results[0])
    if known.low is not None and known.high is not None:
        return True
    if op.name != "cuda_tile.addi":
        return False
    width = ir.IntegerType(element_of(op.results[0])).width
    for multiple, rest in (op.operands, reversed(list(op.operands))):
        bounds, unit = facts(rest), every_divisor(facts(multiple))
        if bounds.low is None or bounds.high is None or bounds.low < 0:
            continue
        if bounds.high < min(unit, 1 << (width - 1)):
            return True
    return False
