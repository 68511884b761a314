# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of an index that follow from a mask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import SPREADS
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.records import dataclass

Path = tuple[tuple[str, tuple[int, ...], str], ...]
"""The ops between a tile and one that is made of it, which rename or repeat elements:
name, shape and attributes of each, the last one first. Tiles with one path to a third
one have their elements in the same places of that."""
_OPPOSITE = {
    "less_than": "greater_than",
    "less_than_or_equal": "greater_than_or_equal",
    "greater_than": "less_than",
    "greater_than_or_equal": "less_than_or_equal",
}


def spread(op: ir.Operation) -> Path:
    """The step that an op adds to a path; none for ops that keep elements in place."""
    if op.name not in SPREADS or op_stem(op) == "assume":
        return ()
    attributes = ",".join(f"{name}={op.attributes[name]}" for name in op.attributes)
    return ((op.name, tuple(shape_of(op.results[0])), attributes),)


def extended_from(value: ir.Value) -> ir.Value | None:
    """The narrower integer from which a value was sign-extended."""
    op = defining_op(value)
    if op is None or op_stem(op) != "exti" or keyword(op, "signedness") != "signed":
        return None
    return op.operands[0]


@dataclass
class Guards:
    """Bounds of indices at the elements where a mask is true.

    Attributes:
        least: A lower bound of each index with its path.
        greatest: An upper bound of each index with its path.
    """

    least: dict[tuple[ir.Value, Path], int] = field(
        default_factory=dict[tuple[ir.Value, Path], int]
    )
    greatest: dict[tuple[ir.Value, Path], int] = field(
        default_factory=dict[tuple[ir.Value, Path], int]
    )

    def __bool__(self) -> bool:
        return bool(self.least and self.greatest)

    @classmethod
    def of_mask(cls, mask: ir.Value, facts: FactsAnalysis) -> Guards:
        """The bounds that a mask gives.

        Args:
            mask: A tile of i1.
            facts: The facts of the entry's values.
        """
        guards = cls()
        for op, path in _comparisons(mask, ()):
            guards._note(op, path, facts)
        return guards

    @classmethod
    def of_all(cls, several: Sequence[Guards]) -> Guards:
        """The bounds that hold whichever of several masks is true."""
        if not several:
            return cls()
        first, *others = several
        least = {
            key: min(low, *(each.least[key] for each in others)) if others else low
            for key, low in first.least.items()
            if all(key in each.least for each in others)
        }
        greatest = {
            key: max(high, *(each.greatest[key] for each in others)) if others else high
            for key, high in first.greatest.items()
            if all(key in each.greatest for each in others)
        }
        return cls(least, greatest)

    def most(self, value: ir.Value, path: Path) -> int | None:
        """The greatest number that an index may be, if it is never below zero.

        Args:
            value: The index, or the value from which ops of a path make it.
            path: The path without these ops.
        """
        value, path = _made_of(value, path)
        least = self.least.get((value, path))
        return None if least is None or least < 0 else self.greatest.get((value, path))

    def _note(self, op: ir.Operation, path: Path, facts: FactsAnalysis) -> None:
        predicate = keyword(op, "comparison_predicate")
        if predicate not in _OPPOSITE:
            return
        is_signed = keyword(op, "signedness") == "signed"
        left, right = op.operands
        self._compare(left, right, predicate, path, facts, is_signed=is_signed)
        opposite = _OPPOSITE[predicate]
        self._compare(right, left, opposite, path, facts, is_signed=is_signed)

    def _compare(
        self,
        index: ir.Value,
        bound: ir.Value,
        predicate: str,
        path: Path,
        facts: FactsAnalysis,
        *,
        is_signed: bool,
    ) -> None:
        low, high = _ends(bound, facts)
        key, away = _made_of(index, path), int(not predicate.endswith("equal"))
        if predicate.startswith("greater"):
            if is_signed:
                self.least[key] = max(low + away, self.least.get(key, low + away))
            return
        if not is_signed and low < 0:  # a huge number
            return
        self.greatest[key] = min(high - away, self.greatest.get(key, high - away))
        if not is_signed:
            self.least[key] = max(0, self.least.get(key, 0))


def _comparisons(mask: ir.Value, path: Path) -> Iterator[tuple[ir.Operation, Path]]:
    """The comparisons that all hold if a mask is true."""
    op = defining_op(mask)
    if op is None:
        return
    if op_stem(op) == "cmpi":
        yield op, path
    elif op_stem(op) == "andi" or op.name in SPREADS:
        for operand in op.operands:
            yield from _comparisons(operand, (*path, *spread(op)))


def _made_of(value: ir.Value, path: Path) -> tuple[ir.Value, Path]:
    """The values behind a value: before extensions, renaming and repetition."""
    while (op := defining_op(value)) is not None:
        narrow = extended_from(value)
        if narrow is None and op.name not in SPREADS:
            break
        path = (*path, *spread(op))
        value = op.operands[0]
    return value, path


def _ends(value: ir.Value, facts: FactsAnalysis) -> tuple[int, int]:
    """Bounds of a signed integer, from the ops that compute it."""
    lows: list[int] = []
    highs: list[int] = []
    while True:
        half = 1 << ir.IntegerType(element_of(value)).width - 1
        known = facts.of(value)
        lows.append(-half if known.low is None else known.low)
        highs.append(half - 1 if known.high is None else known.high)
        op = defining_op(value)
        if op is None or (extended_from(value) is None and op.name not in SPREADS):
            return max(lows), min(highs)
        value = op.operands[0]
