# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Iterations without end: what counts in a loop becomes a sum with a symbol.

A path that comes to a label again in a state that differs from an earlier one in
counters alone, by d each, may go on like this for ever. All these states are one: each
counter is what it was then plus d * i, for an i that nobody knows, and bounds of sums
move with it. If the path then comes back with i + 1 for i, it has been there. Nothing
is assumed: what is followed from there holds for every i, or is unknown.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.proof.facts import FAR, Facts, Range, turned_first
from cuda_tile.emulator.proof.values import Counted, Key, Made, Value, ordered
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import Array

DISTINCT = 12
"""Values of a register at one place, all different, after which it is taken for one
that counts. More than the slots and phases of most rings."""
MOST_VISITS = 40
"""Visits of a label after which counters are forgotten that are in no relation."""
Place = tuple[int, Register]
"""A register of the threads at one place of a path."""
Known = dict[Place, Value]


@dataclass(frozen=True, eq=False)
class Fork:
    """Where a path came from: its last fork, and those before.

    Attributes:
        before: The fork before; None at the start.
        depth: How many there are before.
    """

    before: Fork | None = None
    depth: int = 0

    def child(self) -> Fork:
        """One of the ways on."""
        return Fork(self, self.depth + 1)

    def is_under(self, other: Fork) -> bool:
        """Whether it is another one, or comes from there."""
        found = self
        while found.depth > other.depth:
            assert found.before is not None, "the first one has depth 0"
            found = found.before
        return found is other


@dataclass(frozen=True, eq=False)
class Visit:
    """A path at a label.

    Attributes:
        skeleton: What must be equal but for registers and bounds.
        known: The registers that decide.
        facts: The bounds.
        rest: The other registers.
        fork: How the path came there.
    """

    skeleton: Hashable
    known: Known
    facts: Facts
    rest: Known
    fork: Fork

    def turns(self, later: Visit, masks: Sequence[Array]) -> set[Place]:
        """The registers that differ by numbers, if nothing else does but bounds.

        None unless bounds move, too: a loop may have a fixed number of iterations.

        Args:
            later: Another visit of the path.
            masks: The threads of each group.
        """
        if self.skeleton != later.skeleton or not self.facts.rise_to(later.facts):
            return set()
        if self.known.keys() != later.known.keys():
            return set()
        found = {p for p, v in self.known.items() if v.key != later.known[p].key}
        is_linear = all(
            _steps(self.known[place], later.known[place], masks[place[0]]) is not None
            for place in found
        )
        return found if is_linear else set()


@dataclass(eq=False)
class Visits:
    """The last visits of one label.

    Attributes:
        seen: They, the latest one last.
    """

    seen: list[Visit] = field(default_factory=list[Visit])

    def copy(self) -> Visits:
        """Those of another path."""
        return Visits(list(self.seen))

    def add(self, visit: Visit) -> None:
        """One more."""
        self.seen = [*self.seen, visit][-MOST_VISITS:]

    def turned(
        self, masks: Sequence[Array], counters: set[Place]
    ) -> tuple[Visit, set[Place]] | None:
        """The latest visit since which numbers have moved, and they.

        Args:
            masks: The threads of each group.
            counters: The registers that were never the same; they may be no numbers.
        """
        last = self.seen[-1]
        for visit in reversed(self.seen[:-1]):
            if found := visit.turns(last, masks):
                return visit, found
        earlier = self.earlier(counters) if counters else None
        return None if earlier is None else (earlier, counters)

    def counters(self) -> set[Place]:
        """The registers that were never the same."""
        last = self.seen[-DISTINCT:]
        if len(last) < DISTINCT:
            return set()
        return {
            place
            for place in last[-1].known
            if all(place in visit.known for visit in last)
            and len({visit.known[place].key for visit in last}) == DISTINCT
        }

    def earlier(self, counters: set[Place]) -> Visit | None:
        """The latest visit from which the last one differs in counters alone."""
        last = self.seen[-1]
        fixed = _keys(last, counters)
        for visit in reversed(self.seen[:-1]):
            if visit.skeleton == last.skeleton and _keys(visit, counters) == fixed:
                return visit
        return None


def _keys(visit: Visit, counters: set[Place]) -> dict[Place, Key]:
    return {p: v.key for p, v in visit.known.items() if p not in counters}


def moved(
    before: Value, now: Value, mask: Array, symbol: Counted
) -> tuple[Value, int] | None:
    """A counter as a sum with a symbol, and its step; None if it is no such sum.

    Args:
        before: What it was at the earlier visit.
        now: What it is at the last one.
        mask: The threads that count.
        symbol: The symbol.
    """
    steps = _steps(before, now, mask)
    if steps is None or before.array is None:
        return None
    step = int(steps[0])
    array = np.where(mask, before.array, before.array[mask][0])
    terms = ordered({**dict(before.terms), symbol: step})
    return before._replace(array=array, terms=terms), step


def _steps(before: Value, now: Value, mask: Array) -> Array | None:
    """By what threads count, if it is the same for all."""
    if before.array is None or now.array is None or before.terms != now.terms:
        return None
    steps = (now.array - before.array)[mask]
    return steps if steps.size and (steps == steps[0]).all() else None


def is_made_of_counts(symbol: Hashable) -> bool:
    """Whether a symbol is computed of one that counts, and so changes with it."""
    leaves = symbol.leaves if isinstance(symbol, Made) else frozenset[Hashable]()
    return any(isinstance(leaf, Counted) for leaf in leaves)


def forgotten(value: Value, mask: Array) -> Value:
    """A value of which nobody knows any more but whether threads share it."""
    array = value.array
    is_one = value.is_uniform if array is None else _is_equal(array[mask])
    return Value(None, (), is_one, value.origins)


def _is_equal(array: Array) -> bool:
    return bool((array == array[:1]).all())


def moved_facts(before: Facts, now: Facts, symbol: Counted) -> Facts:
    """Bounds that hold with the symbol: those that moved, and those that did not."""
    found = Facts({((symbol, 1),): Range(0, FAR)})
    for terms, range_ in before.known.items():
        other = now.known.get(terms, Range())
        kept = Range(  # a bound that gets narrower holds as it was, too
            range_.least if range_.least <= other.least else -FAR,
            range_.most if range_.most >= other.most else FAR,
        )
        if kept != Range():
            found.known[terms] = kept
        for is_most, (old, new) in enumerate(zip(range_, other, strict=True)):
            if old == new or abs(old) >= FAR or abs(new) >= FAR:
                continue
            whole = ordered({**dict(terms), symbol: old - new})
            normal, is_turned = turned_first(whole)
            end = Range(most=old) if is_most else Range(least=old)
            end = end.turned() if is_turned else end
            found.known[normal] = found.known.get(normal, Range()).both(end)
    return found
