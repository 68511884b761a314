# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms of many elements: sums of products, and results of reductions.

A sum takes its products one by one, in any order. Two products that differ only by
constants become one with one more bit that is summed over. Thus a product equals the
sum of its slices along K, if each of them is added once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import zip_longest

from cuda_tile.checkers.terms import Columns, Node, Terms, without


class Folds(Terms):
    """Terms by number, with sums and reductions among them."""

    def sum(self, base: int, terms: Sequence[int]) -> int:
        """A sum; each term is summed over its bits beyond those of the base.

        Args:
            base: The term that the sum begins with: a tile, or another sum.
            terms: The terms that are added, in order.
        """
        node = self.nodes[base]
        inner = node.parts if self.is_sum(base) else (base,)
        base, *found = inner
        for term in terms:
            self._add(found, term, node.bits)
        return self.over("sum", (base, *found), node.bits)

    def _add(self, found: list[int], term: int, bits: int) -> None:
        """Adds a term to others, merged with an alike one if there is one.

        A term that chooses by a bit that is summed over is added as two.
        """
        if (at := self._chooses(term, bits)) is not None:
            for n in (0, 1):
                half = self.taken(term, without(self.bits(term), at), n << at)
                self._add(found, half, bits)
            return
        for place, other in enumerate(found):
            at = self.bits(other)
            if at == self.bits(term):
                both = self.merged(other, term, at, may_choose=False)
                if both is not None:
                    rest = found[place + 1 :]
                    del found[place:]
                    self._add(found, both, bits)
                    found += rest
                    return
        found.append(term)

    def _chooses(self, term: int, bits: int) -> int | None:
        """A bit, beyond the first `bits`, by which a term chooses; None without one."""
        for node in self.views(term):
            for at in range(bits, node.bits):
                if node.kind == "choice" and node.columns[at]:
                    return at
        return None

    def is_sum(self, term: int) -> bool:
        """Whether a term is a sum of products."""
        node = self.nodes[term]
        return node.kind == "over" and node.label == "sum"

    def folded(
        self, label: Hashable, parts: Sequence[int], columns: Columns, bits: int
    ) -> list[int] | None:
        """The operands behind partial results, so that one reduction folds them.

        Args:
            label: The label of the inner reductions; with a number it is that of a
                result.
            parts: The candidates for their results, in order.
            columns: The wanted elements of these, beyond the first bits.
            bits: How many bits stay.

        Returns:
            The operands, with the bits that the inner reductions fold before the
            others; None if the parts are no such results.
        """
        nodes = [self.nodes[part] for part in parts]
        wanted = [("over", (label, n)) for n in range(len(nodes))]
        inner = {node.parts for node in nodes}
        if [(n.kind, n.label) for n in nodes] != wanted or len(inner) != 1:
            return None
        own = range(nodes[0].bits, self.bits(nodes[0].parts[0]))
        first = tuple(1 << bit for bit in own)
        order = (*columns[:bits], *first, *columns[bits:])
        return [self.taken(part, order) for part in nodes[0].parts]

    def sorted_bits(self, parts: Sequence[int], bits: int) -> list[int]:
        """Parts with their bits from a place on sorted, as the parts decide."""
        views = list(dict.fromkeys(v for part in parts for v in self.views(part)))
        most = self.bits(parts[0])
        behind = sorted(
            range(bits, most),
            key=lambda b: [view.columns[b] for view in views if view.bits >= most],
        )
        columns = tuple(1 << b for b in (*range(bits), *behind))
        return [self.taken(part, columns) for part in parts]

    def difference(self, first: int, second: int) -> tuple[str, str]:
        """The first views in which two terms differ, in words."""
        pair = self.views(first), self.views(second)
        for one, other in zip_longest(*pair):
            if one != other:
                return _text(one), _text(other)
        return "the same views", "another term of these"

    def order_of(self, term: int) -> tuple[list[str], list[Columns]]:
        """A key that sorts factors, the same for all slices of one."""
        views = self.views(term)
        return [str(view.label) for view in views], [view.columns for view in views]


def _text(view: Node | None) -> str:
    """A view in words: of what, its first element, and steps to others by bits."""
    if view is None:
        return "nothing more"
    return f"elements of {view.label} from {view.origin} on by {list(view.columns)}"
