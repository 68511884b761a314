# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which integers of a thread differ by constants that are known.

The elements of a tile that a thread holds often lie a fixed way apart: those of an
`iota`, and sums with it. `distance.py` compares such numbers by their differences.
"""

from __future__ import annotations

from cuda_tile._mlir import ir

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
