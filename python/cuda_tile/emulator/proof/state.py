# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the threads of a CTA are on one path, and what their registers hold."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from operator import is_

import numpy as np

from cuda_tile.emulator.proof.counting import (
    MOST_VISITS,
    Fork,
    Known,
    Place,
    Visit,
    Visits,
    forgotten,
    is_made_of_counts,
    moved,
    moved_facts,
)
from cuda_tile.emulator.proof.facts import Facts
from cuda_tile.emulator.proof.phases import Mbarriers
from cuda_tile.emulator.proof.products import BulkGroups, Products
from cuda_tile.emulator.proof.remade import MBARRIER, Remade
from cuda_tile.emulator.proof.shadow import WARP, Doubt, Shadow
from cuda_tile.emulator.proof.tensor import TensorMemory
from cuda_tile.emulator.proof.values import (
    Counted,
    Terms,
    Value,
    is_one,
    joined,
    replaced,
    solved,
    together,
    unknown,
)
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import Array

Trail = dict[tuple[object, ...], tuple[Known, tuple[tuple[Facts, Fork], ...]]]
"""States that have been, with what else was known of registers and of sums there."""


@dataclass(eq=False)
class Threads:
    """Threads that are at one place, or may be: a thread may be in several.

    Attributes:
        place: The number of their next instruction.
        mask: Which threads.
        registers: What is known of their registers.
        waits: The barrier at which they wait, or the mbarrier.
        loops: How often they have jumped back.
    """

    place: int
    mask: Array
    registers: dict[Register, Value]
    waits: int | tuple[str, int] | None = None
    loops: int = 0
    _warps: tuple[Array, int] | None = None

    def copy(self) -> Threads:
        """Others at the same place."""
        known = dict(self.registers)
        return Threads(self.place, self.mask, known, self.waits, self.loops)

    @property
    def warps(self) -> int:
        """Which warps have threads among them, as bits."""
        if self._warps is None or self._warps[0] is not self.mask:
            firsts = np.arange(0, self.mask.size, WARP)
            flags = np.packbits(np.logical_or.reduceat(self.mask, firsts))
            self._warps = self.mask, int.from_bytes(flags.tobytes(), "big")
        return self._warps[1]


@dataclass(eq=False)
class State:
    """A CTA on one path.

    Attributes:
        groups: Its threads, by place.
        shadow: Its shared memory.
        lost: The threads that may have ended, or go on for ever.
        facts: What the path knows of sums of symbols.
        mbarriers: The mbarriers.
        products: The products of each warpgroup, by its first thread.
        bulk: The bulk copies from shared memory.
        tensor: The tensor memory.
        named: The threads that meet at each barrier.
        visits: For each label what was at the last visits.
        counts: The symbols that count, each with the register that tells from which
            iteration on, and the least number that it has.
        trail: The states in which threads of this path were that may have been there.
        fork: How it came here.
        is_met: Whether it has been told from others where it is.
    """

    groups: list[Threads]
    shadow: Shadow
    lost: Array
    facts: Facts = field(default_factory=Facts)
    mbarriers: Mbarriers = field(default_factory=Mbarriers)
    products: dict[int, Products] = field(default_factory=dict[int, Products])
    bulk: BulkGroups = field(default_factory=BulkGroups)
    tensor: TensorMemory = field(default_factory=TensorMemory)
    named: dict[int, bytes] = field(default_factory=dict[int, bytes])
    visits: dict[int, Visits] = field(default_factory=dict[int, Visits])
    counts: dict[Counted, tuple[Register, int]] = field(
        default_factory=dict[Counted, "tuple[Register, int]"]
    )
    trail: Trail = field(
        default_factory=dict[
            tuple[object, ...], "tuple[Known, tuple[tuple[Facts, Fork], ...]]"
        ]
    )
    fork: Fork = field(default_factory=Fork)
    is_met: bool = False
    _told: tuple[list[Array], bytes, Array | None] | None = None

    def copy(self) -> State:
        """Another path from here."""
        groups = [group.copy() for group in self.groups]
        visits = {place: seen.copy() for place, seen in self.visits.items()}
        shadow, lost, facts = self.shadow.copy(), self.lost.copy(), self.facts.copy()
        products = {first: one.copy() for first, one in self.products.items()}
        others = self.mbarriers.copy(), products, self.bulk.copy(), self.tensor.copy()
        counts = dict(self.counts)
        trail = dict(self.trail)
        before = dict(self.named), visits, counts, trail, self.fork
        return State(groups, shadow, lost, facts, *others, *before)

    def is_new(
        self,
        seen: Trail,
        order: Hashable,
        placing: Collection[Register],
        *,
        exact: bool,
    ) -> bool:
        """Whether no path that knew less was here, and notes that one is now.

        States are told from others by what decides about shared memory and barriers.
        What else they know of registers is put together: what differs is known no more,
        and then the path goes on for all that have come here.

        Args:
            seen: The states so far.
            order: What `widen` has given.
            placing: The registers that decide.
            exact: Whether sums of symbols decide, or only that threads share them.
        """
        groups, rest, kept = self._sorted(), dict[Place, Value](), list[object]()
        for place, group in enumerate(groups):
            own: list[object] = []
            for register, value in group.registers.items():
                is_sum = value.array is None or (not exact and bool(value.terms))
                if is_sum or register not in placing:
                    rest[place, register] = value
                if register in placing:
                    is_shared = is_sum and is_one(value, group.mask)
                    own.append((register, is_shared if is_sum else value.key))
            kept.append(frozenset(own))
        key = self._skeleton(order), *kept
        before, known = seen.get(key, (rest, ()))
        both = {
            (place, register): together(
                value, before[place, register], groups[place].mask
            )
            for (place, register), value in rest.items()
            if (place, register) in before
        }
        for place, register in rest:
            groups[place].registers[register] = both.get((place, register), unknown())
        if len(both) < len(before) or any(both[p].key != before[p].key for p in both):
            known = ()
        if any(facts.covers(self.facts) for facts, _ in known):
            return False
        for facts, fork in known:
            if self.fork.is_under(fork):  # so that what moves is not followed for ever
                self.facts = facts.kept(self.facts)
        seen[key] = both, (*known, (self.facts.copy(), self.fork))
        return True

    def _sorted(self) -> list[Threads]:
        return sorted(self.groups, key=lambda g: (g.place, g.mask.tobytes()))

    def _skeleton(self, order: Hashable) -> tuple[object, ...]:
        """What tells it from others but for registers and bounds."""
        where = [
            (g.place, g.mask.tobytes(), g.waits, g.loops - self._least(g))
            for g in self._sorted()
        ]
        counts = frozenset(self.counts.items())
        return order, self.lost.tobytes(), tuple(where), counts

    def _order(self) -> Hashable:
        """A key of the state's memory, mbarriers and products."""
        signatures = self.shadow.signatures()
        said = [
            self.bulk.key(signatures),
            self.tensor.key(signatures),
            *(
                (at, one.key(signatures))
                for at, one in sorted(self.mbarriers.at.items())
            ),
            *((at, one.key(signatures)) for at, one in sorted(self.products.items())),
        ]
        others = (
            *(self.shadow.gone.tobytes(), self.shadow.words),
            frozenset(self.named.items()),
        )
        return self.shadow.key(signatures), tuple(said), *others

    def next(self, ranks: Sequence[int]) -> Threads | None:
        """The threads that run next: those that are furthest back.

        Of the threads of one warp it is those that have jumped back least, so that
        they meet again before the next iteration.

        Args:
            ranks: Of each place, how far it is.
        """
        ready = [group for group in self.groups if group.waits is None]
        first = min(ready, key=lambda g: ranks[g.place], default=None)
        if first is None or len(ready) < 2 or not self.is_certain(first):
            return first
        warps = first.warps
        near = [g for g in ready if g.warps & warps and self.is_certain(g)]
        return min(near, key=lambda g: (g.loops, ranks[g.place]))

    def rank(self, ranks: Sequence[int]) -> int:
        """How far it is: what `next` goes by, roughly."""
        ready = [ranks[group.place] for group in self.groups if group.waits is None]
        return min(ready, default=0)

    def gather(self, group: Threads) -> Threads:
        """Puts threads together with those that are at the same place.

        Args:
            group: The threads, which are among those of the state.
        """
        for other in list(self.groups):
            if other is group or other.waits is not None or other.place != group.place:
                continue
            group.registers = {
                register: joined(value, found, group.mask, other.mask)
                for register, value in group.registers.items()
                if (found := other.registers.get(register)) is not None
            }
            group.mask = group.mask | other.mask
            group.loops = max(group.loops, other.loops)
            self.groups.remove(other)
        return group

    def end(self, group: Threads, mask: Array, *, is_sure: bool = True) -> None:
        """Threads end.

        Args:
            group: The threads, and others at their place.
            mask: Which of them.
            is_sure: Whether they do, or only may.
        """
        if not is_sure or not self.is_certain(group):
            self.lost |= mask
        group.mask = group.mask & ~mask if is_sure else group.mask
        if is_sure:
            self.shadow.gone |= mask
        if not all(self.bulk.are_over(int(thread)) for thread in np.flatnonzero(mask)):
            raise Doubt("ends before bulk copies have read what they copy")
        if not group.mask.any():
            self.groups.remove(group)

    def meet(self, barrier: int, n_threads: int) -> None:
        """Threads that wait at a barrier go on if as many do as it says.

        Args:
            barrier: Its number.
            n_threads: The threads that it waits for.

        Raises:
            Doubt: Others have met there before.
        """
        waiting = [other for other in self.groups if other.waits == barrier]
        if sum(int(other.mask.sum()) for other in waiting) < n_threads:
            return
        who = np.logical_or.reduce([other.mask for other in waiting])
        if who.sum() != n_threads or self.named.setdefault(barrier, who.tobytes()) != (
            who.tobytes()
        ):
            raise Doubt("is a barrier of other threads at another time")
        self.shadow.meet(np.flatnonzero(who))
        for other in waiting:
            other.waits = None

    def meet_lanes(self, mask: Array) -> None:
        """Lanes of whole warps meet: each knows then what the others have waited for.

        That is no order of memory: they know of no access of each other.
        """
        rows = self.shadow.rows
        made = [one.made for one in self.mbarriers.at.values()]
        waits = np.flatnonzero(rows.is_wait & (rows.owner >= 0))
        waits = np.setdiff1d(waits, made)
        for first in np.unique(np.flatnonzero(mask) // WARP * WARP):
            lanes = slice(int(first), int(first) + WARP)
            known = rows.known[waits, lanes]
            rows.known[waits, lanes] = known.any(axis=1, keepdims=True)

    def wake(self, place: int) -> None:
        """A phase of an mbarrier is complete: who waits for it asks again.

        Args:
            place: Its address.
        """
        for group in self.groups:
            if group.waits == ("mbarrier", place):
                group.waits = None

    def solve(self, symbol: Hashable, number: int, terms: Terms) -> None:
        """Puts a sum in the place of a symbol that is equal to it on this path.

        Args:
            symbol: The symbol.
            number: The number of the sum.
            terms: Its symbols.
        """
        for group in self.groups:
            group.registers = {
                register: solved(value, symbol, number, terms)
                for register, value in group.registers.items()
            }

    def tidy(self) -> None:
        """Drops what nothing of what is to come can depend on."""
        phases = self.mbarriers.at.values()
        used = [row for one in (*phases, self.tensor) for row in one.rows()]
        new = self.shadow.tidy(np.array(used, np.int64))
        for part in (*phases, *self.products.values(), self.bulk, self.tensor):
            part.number(new)

    def is_certain(self, group: Threads) -> bool:
        """Whether all threads of a group are surely there."""
        several = self._several()
        return several is None or not (several & group.mask).any()

    def _several(self) -> Array | None:
        """The threads that may be in several places; None if there are none.

        Asked at each step: it is computed anew where a mask is another one.
        """
        masks, lost = [group.mask for group in self.groups], self.lost.tobytes()
        if self._told is not None and self._told[1] == lost:
            known, _, several = self._told
            if len(known) == len(masks) and all(map(is_, known, masks)):
                return several
        times = np.add.reduce([self.lost, *masks], dtype=np.int32)
        several = times > 1 if (times > 1).any() else None
        self._told = masks, lost, several
        return several

    def _least(self, group: Threads) -> int:
        """How often those have jumped back that did least, of the same warps."""
        warps = group.warps
        return min(other.loops for other in self.groups if other.warps & warps)

    def prune(self, live: Sequence[frozenset[Register]], remade: Remade) -> None:
        """Drops registers that nothing reads any more, and bounds of other sums.

        Args:
            live: Those that matter before each instruction.
            remade: The symbols that may be made anew.
        """
        for group in self.groups:
            matter = live[group.place]
            group.registers = {r: v for r, v in group.registers.items() if r in matter}
            for register, value in group.registers.items():
                if any(is_made_of_counts(name) for name, _ in value.terms):
                    group.registers[register] = forgotten(value, group.mask)
        held = {
            name
            for group in self.groups
            for value in group.registers.values()
            for name, _ in value.terms
        }
        for symbol in [symbol for symbol in self.counts if symbol not in held]:
            del self.counts[symbol]
        ahead = 0
        for group in self.groups:
            ahead |= remade.ahead[group.place]
        if not ahead & remade.bits.get(MBARRIER, 0) and not self.mbarriers.expects():
            self.mbarriers = Mbarriers()
            self.shadow.rows.forget_columns(self.lost.size)
        self.facts.forget(
            lambda name: is_made_of_counts(name) or not remade.can_be(name, ahead, held)
        )

    def widen(
        self, group: Threads, placing: Collection[Register], *, is_exact: bool
    ) -> tuple[Hashable, Fork | None]:
        """Makes sums with a symbol of what counts, or forgets it.

        Args:
            group: The threads, at a label.
            placing: The registers of which it is asked.
            is_exact: Whether sums are wanted.

        Returns:
            What tells its memory, mbarriers and products from others, and the fork
            from which on all that was is a case of this state.
        """
        self.tidy()
        self._shift()
        groups = self._sorted()
        known, rest = dict[Place, Value](), dict[Place, Value]()
        for place, other in enumerate(groups):
            for register, value in other.registers.items():
                (known if register in placing else rest)[place, register] = value
        visits = self.visits.setdefault(group.place, Visits())
        order = self._order()
        facts = self.facts.copy()
        visits.add(Visit(self._skeleton(order), known, facts, rest, self.fork))
        symbol, counters = Counted(group.place), visits.counters()
        if is_exact and symbol not in self.counts:
            found = visits.turned([other.mask for other in groups], counters)
            if found is not None:
                self._count(symbol, *found)
                self.visits = {}
                return order, found[0].fork
        if counters and not (is_exact and len(visits.seen) < MOST_VISITS):
            for place, register in counters:
                own = groups[place]
                own.registers[register] = forgotten(own.registers[register], own.mask)
            self.visits = {}
        return order, None

    def _count(self, symbol: Counted, earlier: Visit, counters: set[Place]) -> None:
        """This state and all that go on from the earlier one in the same way."""
        groups = self._sorted()
        last = {**earlier.known, **earlier.rest}
        for place, own in enumerate(groups):
            for register, now in own.registers.items():
                before = last.get((place, register), unknown())
                if (place, register) in earlier.known:
                    both = now._replace(origins=now.origins | before.origins)
                else:
                    both = together(now, before, own.mask)
                own.registers[register] = both
        for place, register in sorted(counters, key=lambda c: (c[0], c[1].name)):
            own = groups[place]
            now, before = own.registers[register], earlier.known[place, register]
            sum_ = moved(before, now, own.mask, symbol)
            if sum_ is None:
                own.registers[register] = forgotten(now, own.mask)
                continue
            own.registers[register], step = sum_
            if step > 0 and symbol not in self.counts:
                base = sum_[0].array
                assert base is not None, "sums have numbers"
                self.counts[symbol] = register, int(base[own.mask][0])
        self.facts = moved_facts(earlier.facts, self.facts, symbol)

    def _shift(self) -> None:
        """Counts from the iteration on that brings a symbol's register to its base."""
        for symbol, (register, base) in list(self.counts.items()):
            holders = [
                (group, value)
                for group in self._sorted()
                if (value := group.registers.get(register)) is not None
                and any(name == symbol for name, _ in value.terms)
            ]
            if not holders:
                continue
            group, value = holders[0]
            step = dict(value.terms)[symbol]
            assert value.array is not None, "sums have numbers"
            later = (int(value.array[group.mask][0]) - base) // step
            if later > 0:
                self._shift_by(symbol, later)

    def _shift_by(self, symbol: Counted, later: int) -> None:
        """Lets a symbol be what it was plus a number that is not negative."""
        for group in self.groups:
            group.registers = {
                register: replaced(value, symbol, -later)
                for register, value in group.registers.items()
            }
        self.facts = self.facts.shifted(symbol, later)
