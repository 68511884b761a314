# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key of a state: all that decides how it goes on, in relative numbers.

Iterations of a ring count from the last that was released, products from the last that
was started, and iterations of a loop that are not told apart from the first such one.
"""

from __future__ import annotations

from math import inf

from cuda_tile._mlir import ir
from cuda_tile.checkers.integers import Interval, Key, Symbol
from cuda_tile.checkers.later_uses import LaterUses
from cuda_tile.checkers.path_loops import Loops
from cuda_tile.checkers.protocol_state import (
    FAR,
    STEPS,
    Pending,
    Ring,
    Role,
    Slot,
    State,
    Value,
)
from cuda_tile.ir.traits import LOOPS

RingValues = dict[ir.Value, ir.Operation]
"""Integers that are nothing but the iteration of a ring."""


class _Relative:
    """The numbers of one state, counted from one another."""

    def __init__(
        self, state: State, loops: Loops, rings: RingValues, uses: LaterUses
    ) -> None:
        self.state, self.rings, self.uses = state, rings, uses
        self.by_key: dict[Key | None, tuple[int, int]] = {None: (0, 1)}
        self.by_loop: dict[int, int] = {}
        for role in state.roles:
            for frame in role.frames:
                far = max(0, loops.far(state, frame.trips))
                self.by_key[frame.trips] = far, frame.step
                if frame.point.op.name in LOOPS:
                    name = loops.names.loop(frame.point.op)
                    self.by_loop[name] = min(far, self.by_loop.get(name, far))

    def at(self, at: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        """Iterations of loops."""
        return tuple((loop, n - self.by_loop.get(loop, 0)) for loop, n in at)

    def terms(self, terms: tuple[tuple[Symbol, int], ...]) -> object:
        """The terms of a sum."""
        return tuple((s.name, self.at(s.at), count) for s, count in terms)

    def key(self, key: Key | None) -> object:
        """What a fact is of."""
        return key and (self.terms(key.terms), self.at(key.at))

    def fact(self, key: Key, known: Interval) -> object:
        """What is known of a sum."""
        far, step = self.by_key.get(key, (0, 1))
        return self.key(key), known[0] - far * step, known[1] - far * step

    def value(self, role: Role, value: ir.Value, given: Value) -> object:
        """What a value is; None where that no longer matters."""
        if isinstance(given, Pending):
            is_over = given.product < role.done
            return None if is_over else (value, given.product - role.started)
        if isinstance(given, Slot):
            iteration = given.iteration - self._released(given.ring)
            return None if iteration < 0 else (value, given.ring, iteration)
        number = given.number
        if value in self.rings:
            number -= self._released(self.rings[value])
        return value, number, self.terms(given.terms)

    def ring(self, ring: Ring) -> object:
        """The counters of a ring, and what its slots hold."""
        base = ring.counts["release"]
        who = self.state.roles[ring.who.get("take", 0)]
        late = {t: p for t, p in ring.readers.items() if p >= who.done}
        return (
            tuple(ring.counts[step] - base for step in STEPS),
            frozenset((t - base, filled) for t, filled in ring.filled.items()),
            frozenset((t - base, p - who.started) for t, p in late.items()),
        )

    def role(self, role: Role) -> object:
        """Where a role is."""
        frames = tuple(
            (
                frame.point,
                frame.place,
                frame.iteration - self.by_key[frame.trips][0],
                self.key(frame.trips),
                self.values(role, number),
            )
            for number, frame in enumerate(role.frames)
        )
        return frames, role.started - role.done, role.left

    def values(self, role: Role, number: int) -> frozenset[object]:
        """What the region of a number has that may still be used."""
        given = role.frames[number].values
        live = self.uses.live(role.frames[number:])
        return frozenset(self.value(role, value, given[value]) for value in live)

    def _released(self, ring: ir.Operation) -> int:
        made = self.state.rings.get(ring)
        return made.counts["release"] if made is not None else 0


def key_of_state(
    state: State, loops: Loops, rings: RingValues, uses: LaterUses
) -> object:
    """The key of a state, which decides how it goes on.

    Args:
        state: The state.
        loops: The loops of the kernel.
        rings: The values that are the iteration of a ring.
        uses: The places where values are used.
    """
    relative = _Relative(state, loops, rings, uses)
    return (
        tuple(map(relative.role, state.roles)),
        frozenset((op, relative.ring(ring)) for op, ring in state.rings.items()),
        frozenset(relative.fact(*fact) for fact in state.facts.items()),
        state.assumed,
    )


def forget(state: State, loops: Loops) -> None:
    """Drops facts about loops that no role is in or will enter.

    Args:
        state: The state, which is changed.
        loops: The loops of the kernel.
    """
    frames = [frame for role in state.roles for frame in role.frames]
    kept: dict[Key, Interval] = {}
    for key, (low, high) in state.facts.items():
        if not loops.counts(key):
            if not _is_gone(state, loops, key):
                kept[key] = low, high
            continue
        is_used = any(frame.trips == key for frame in frames) or any(
            loops.is_waiting(state, n, key) for n in range(len(loops.roles))
        )
        if is_used:
            kept[key] = low, high
        elif not key.at:
            kept[key] = (low, high) if low < FAR else (FAR, inf)
    state.facts = kept


def _is_gone(state: State, loops: Loops, key: Key) -> bool:
    """Whether each role is beyond the iterations that a sum is of."""
    for loop, iteration in (at for symbol, _ in key.terms for at in symbol.at):
        for number, ops in enumerate(loops.roles):
            for op in (op for op in ops if loops.names.loop(op) == loop):
                if number >= len(state.roles):
                    return False
                role = state.roles[number]
                own = [f.iteration for f in role.frames if f.point.op == op]
                if own and own[0] <= iteration:
                    return False
                if not own and role.frames and op not in role.left:
                    return False
    return any(symbol.at for symbol, _ in key.terms)
