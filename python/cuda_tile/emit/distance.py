# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of integers that differ by constants from register to register.

A mask such as `row >= column` compares, in each thread, numbers that are the same but
for constants: the places of its elements. So the difference of one pair of them says
all: where the first pair is (x, y) and another one (x + c, y + d), then

    x + c >= y + d    is    x - y >= d - c

with an immediate on the right. The difference saturates, which keeps its comparison
with any small constant; equal constants share one comparison, such as those along the
diagonals of a causal mask. Sums are followed only as far as none can wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cuda_tile._mlir import ir
from cuda_tile.constants import LEAST_DIFFERENCES
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.offsets import Root

Combine = Callable[[ir.Value, ir.Value], ir.Value]


def comparison(
    e: Emitter, pairs: Sequence[Sequence[ir.Value]], predicate: str
) -> Combine:
    """How to compare the elements of a `cmpi`, one pair after the other.

    Args:
        e: The emitter.
        pairs: The elements.
        predicate: LLVM's name of the comparison.
    """
    plain = partial(e.builder.icmp, predicate)
    if predicate[0] == "u" or len(pairs) < LEAST_DIFFERENCES:
        return plain
    differences = Differences(e, predicate)
    for x, y in pairs:
        differences.add(x, y)
    return differences.compare if differences.pay else plain


class Differences:
    """Comparisons of pairs by the differences of those that have the same roots.

    Args:
        e: The emitter.
        predicate: LLVM's name of a signed comparison.
    """

    def __init__(self, e: Emitter, predicate: str) -> None:
        self._builder = e.builder
        self._offsets = e.offsets
        self._predicate = predicate
        self._firsts: dict[tuple[Root, Root], int] = {}
        self._limits: dict[tuple[Root, Root, int], ir.Value | None] = {}
        self._differences: dict[tuple[Root, Root], ir.Value] = {}
        self._n_pairs = 0
        self._width = 0

    def add(self, x: ir.Value, y: ir.Value) -> None:
        """Says that a pair will be compared.

        Args:
            x: A scalar integer.
            y: Another one of the same type.
        """
        self._width = ir.IntegerType(x.type).width
        self._n_pairs += 1
        self._limits[self._key(x, y)] = None

    @property
    def pay(self) -> bool:
        """Whether differences take fewer instructions, and their limits fit."""
        largest = max(abs(limit) for _, _, limit in self._limits)
        fits = largest < (1 << (self._width - 1)) - 1
        is_constant = len(self._limits) == len(self._firsts)
        return (
            fits
            and not is_constant
            and len(self._firsts) * LEAST_DIFFERENCES <= self._n_pairs
        )

    def compare(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """Whether the comparison holds of a pair.

        Args:
            x: A scalar integer.
            y: Another one of the same type.
        """
        b, key = self._builder, self._key(x, y)
        left, right, limit = key
        if (left, right) not in self._differences:
            difference = b.op("llvm.intr.ssub.sat", x.type, x, y)
            self._differences[left, right] = difference
        found = self._limits[key]
        if found is None:
            difference, bound = (
                self._differences[left, right],
                b.constant(x.type, limit),
            )
            found = self._limits[key] = b.icmp(self._predicate, difference, bound)
        return found

    def _key(self, x: ir.Value, y: ir.Value) -> tuple[Root, Root, int]:
        """The roots of a pair, and what the first pair with them must exceed."""
        (left, c), (right, d) = self._offsets.of(x), self._offsets.of(y)
        return left, right, d - c - self._firsts.setdefault((left, right), d - c)
