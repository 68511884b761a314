# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms of tiles: equal terms mean equal tiles.

A term is a function of an element's number (row-major, as bits). Since extents are
powers of two, reshape, permute, broadcast, cut and repeat read another element of a
tile; its number is affine over F2 in the bits of the wanted one. So a term consists of
*views* of opaque tiles, each with such a map; elementwise ops and reductions are terms
of terms. Two tiles that are joined make one term again: their views differ by a
constant, which becomes the column of one more bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import NamedTuple

from cuda_tile.layout import f2

MOST_DEEP = 16
"""Steps of computing through which elements are asked for, for the time it takes: of
what is deeper a term has views, as of what no law takes apart."""

Columns = tuple[int, ...]
"""Of each bit of a wanted number the bits that it adds to the one that is asked for."""


class Node(NamedTuple):
    """A term.

    Attributes:
        kind: `view` of a label; `each`, what a label makes of the peers of its parts;
            `over`, what it makes of all elements of its parts, which have more bits
            behind the term's own; `choice` of the part that the parity of its columns
            names.
        bits: Bits of an element's number.
        label: What is seen or done.
        parts: Other terms.
        columns: Of a view and a choice, by bit.
        origin: What these are added to.
    """

    kind: str
    bits: int
    label: Hashable
    parts: tuple[int, ...] = ()
    columns: Columns = ()
    origin: int = 0


class _Deep(NamedTuple):
    """The label of views of a term."""

    term: int


class Terms:
    """Terms by number: equal terms have one number."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._depths: list[int] = []
        self._numbers: dict[Node, int] = {}
        self._asked: dict[tuple[int, Columns, int], int] = {}

    def number(self, node: Node) -> int:
        """The number of a term."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            deepest = max((self._depths[part] for part in node.parts), default=-1)
            self._depths.append(deepest + 1)
        return number

    def view(self, label: Hashable, bits: int) -> int:
        """A tile that no law takes apart.

        Args:
            label: What tells it from others.
            bits: Bits of its elements' numbers.
        """
        return self.number(Node("view", bits, label, (), identity(bits)))

    def splat(self, label: Hashable, bits: int) -> int:
        """A tile whose elements are one."""
        return self.number(Node("view", bits, label, (), (0,) * bits))

    def each(self, label: Hashable, parts: Sequence[int], bits: int) -> int:
        """What is computed of peers.

        Args:
            label: How.
            parts: The operands.
            bits: Bits of their elements' numbers.
        """
        return self.number(Node("each", bits, label, tuple(parts)))

    def over(self, label: Hashable, parts: Sequence[int], bits: int) -> int:
        """What is made of all elements of parts whose numbers begin with these bits."""
        return self.number(Node("over", bits, label, tuple(parts)))

    def bits(self, term: int) -> int:
        """Bits of a number of an element."""
        return self.nodes[term].bits

    def taken(self, term: int, columns: Columns, origin: int = 0) -> int:
        """A tile whose elements are some of another one.

        Args:
            term: The other tile.
            columns: Of each bit of a wanted number, what it adds.
            origin: The number of the first.
        """
        key = term, columns, origin
        if (found := self._asked.get(key)) is None:
            found = self._asked[key] = self._taken(*key)
        return found

    def _taken(self, term: int, columns: Columns, origin: int) -> int:
        node, bits = self.nodes[term], len(columns)
        if not origin and columns == identity(node.bits):
            return term
        if self._depths[term] > MOST_DEEP:
            node = Node("view", node.bits, _Deep(term), (), identity(node.bits))
        if node.kind == "view":
            found, first = _composed(node, columns, origin)
            return self._seen(Node("view", bits, node.label, (), found, first))
        parts = tuple(
            self.taken(part, columns + identity(self.bits(part))[node.bits :], origin)
            for part in node.parts
        )
        if node.kind != "choice":
            return self.number(Node(node.kind, bits, node.label, parts))
        return self._choice(parts, *_composed(node, columns, origin))

    def _seen(self, view: Node) -> int:
        """A view, or the term of which it is a view of all elements in order."""
        label = view.label
        if not isinstance(label, _Deep) or view.origin:
            return self.number(view)
        if view.columns == identity(self.bits(label.term)):
            return label.term
        return self.number(view)

    def _choice(self, parts: Sequence[int], chosen: Columns, first: int) -> int:
        if not any(chosen) or parts[0] == parts[1]:
            return parts[first]
        node = Node("choice", len(chosen), "", tuple(parts), chosen, first)
        return self.number(node)

    def joined(self, first: int, second: int, at: int) -> int:
        """Two tiles as one, which a new bit of the number tells apart.

        Args:
            first: Where the bit is 0.
            second: Where it is 1.
            at: Which bit.
        """
        if (found := self.merged(first, second, at, may_choose=True)) is None:
            raise AssertionError("what may be chosen of can be joined")
        return found

    def merged(
        self, first: int, second: int, at: int, *, may_choose: bool
    ) -> int | None:
        """What `joined` gives; None if it must choose and may not."""
        one, other = self.nodes[first], self.nodes[second]
        alike = one[:3] == other[:3] and one.columns == other.columns
        if alike and one.kind == "view":
            step = one.origin ^ other.origin
            columns = (*one.columns[:at], step, *one.columns[at:])
            return self._seen(one._replace(bits=one.bits + 1, columns=columns))
        if alike and one.kind != "choice" and self._is_parallel(one, other):
            parts = [
                self.merged(*pair, at, may_choose=may_choose)
                for pair in zip(one.parts, other.parts, strict=True)
            ]
            known = tuple(part for part in parts if part is not None)
            if len(known) == len(parts):
                return self.number(one._replace(bits=one.bits + 1, parts=known))
        if not may_choose:
            return None
        wider = identity(one.bits)
        wider = (*wider[:at], 0, *wider[at:])
        both = [self.taken(term, wider) for term in (first, second)]
        return self._choice(both, tuple(int(b == at) for b in range(len(wider))), 0)

    def _is_parallel(self, one: Node, other: Node) -> bool:
        """Whether parts have peers of as many bits."""
        return [*map(self.bits, one.parts)] == [*map(self.bits, other.parts)]

    def replaced(self, whole: int, part: Columns, start: int, term: int) -> int:
        """A tile of which an equal part is another one.

        Args:
            whole: The tile.
            part: Of each bit of an element's number in the part, that in the tile.
            start: The number of the part's first element in the tile.
            term: What is there.
        """
        bits = self.bits(whole)
        at = next((b for b in range(bits) if 1 << b not in part), None)
        if at is None:
            return term
        halves = [self.taken(whole, without(bits, at), n << at) for n in (0, 1)]
        inner = tuple(_drop(column, at) for column in part)
        side = start >> at & 1
        halves[side] = self.replaced(halves[side], inner, _drop(start, at), term)
        return self.joined(halves[0], halves[1], at)

    def is_splat(self, term: int, label: Hashable) -> bool:
        """Whether a term is the same element everywhere."""
        node = self.nodes[term]
        return node.label == label and node.kind == "view" and not any(node.columns)

    def parts(self, term: int) -> tuple[int, ...]:
        """The parts of a term."""
        return self.nodes[term].parts

    def views(self, term: int) -> list[Node]:
        """The views that a term asks, each once, in its own order."""
        found, seen, stack = list[Node](), {term}, [term]
        while stack:
            node = self.nodes[stack.pop()]
            if node.kind in {"view", "choice"}:
                found.append(node)
            news = [part for part in reversed(node.parts) if part not in seen]
            seen.update(news)
            stack += news
        return found


@cache
def identity(bits: int) -> Columns:
    """The map that asks for the very element that is wanted."""
    return tuple(1 << bit for bit in range(bits))


def _composed(node: Node, columns: Columns, origin: int) -> tuple[Columns, int]:
    """The columns and the origin of a view of a view."""
    if node.columns == identity(node.bits):
        return columns, node.origin ^ origin
    found = tuple(f2.apply(node.columns, column) for column in columns)
    return found, node.origin ^ f2.apply(node.columns, origin)


def _drop(number: int, bit: int) -> int:
    """A number without one of its bits."""
    low = number & (1 << bit) - 1
    return low | number >> bit + 1 << bit


def without(bits: int, at: int) -> Columns:
    """All bits but one."""
    return tuple(1 << bit for bit in range(bits) if bit != at)
