# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows every path of a kernel and judges its accesses to shared memory.

Threads are concrete, arguments are symbols. A condition that depends on arguments alone
is the same for all threads: the path goes on both ways. One that may differ between
threads leaves them in both places at once, until these meet. The search ends where it
finds a state that it has seen; registers that count for ever are forgotten.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.proof.asynchronous import touches, watched
from cuda_tile.emulator.proof.compute import compute
from cuda_tile.emulator.proof.conditions import Way, truth_ways, ways
from cuda_tile.emulator.proof.counting import Fork
from cuda_tile.emulator.proof.global_accesses import Accesses
from cuda_tile.emulator.proof.kernel import COMPUTES, Kernel
from cuda_tile.emulator.proof.meetings import meetings
from cuda_tile.emulator.proof.remade import Remade
from cuda_tile.emulator.proof.shadow import MOST_BYTES, Doubt, Shadow
from cuda_tile.emulator.proof.state import State, Threads, Trail
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.proof.tensor import UNITS
from cuda_tile.emulator.proof.touch import touch
from cuda_tile.emulator.proof.values import Value, constant, unknown
from cuda_tile.emulator.ptx.syntax import Instruction, Label, Register

MOST_VISITS = 6000
MOST_SECONDS = 30.0
"""After which a search is given up."""
_ENDS = frozenset({"ret", "exit", "trap"})
_COMPARES = frozenset({"setp", "min", "max"})
_FORKS = _ENDS | {"bra", "bar", "barrier"}


@dataclass(eq=False)
class Search:
    """The search of one kernel.

    Attributes:
        kernel: The kernel.
        is_exact: Whether paths know what holds of sums, and count without end. Without
            it there are less of them, which suffices where no condition depends on
            another one.
        splits: Whether paths that know of sums split where the lesser or the greater of
            two is chosen. Without it that is a symbol, as far as they do not tell.
        accesses: Its accesses to global memory.
    """

    kernel: Kernel
    is_exact: bool = True
    splits: bool = True
    accesses: Accesses = field(init=False)

    def __post_init__(self) -> None:
        self.accesses = Accesses(self.kernel.n_threads)
        self._work: list[State] = []
        self._seen: Trail = {}
        self._labels = meetings(self.kernel.function)
        self._remade = Remade.of(self.kernel.function)
        self._watched = watched(self.kernel)
        self._visits, self._deadline = 0, 0.0

    def run(self) -> None:
        """Follows all paths.

        Raises:
            Doubt: Something is not proved; says which line.
        """
        n, n_bytes = self.kernel.n_threads, self.kernel.shared_bytes
        if n_bytes > MOST_BYTES:
            raise Doubt(f"it has {n_bytes} bytes of shared memory")
        first = Threads(0, np.ones(n, bool), {})
        n_units = self.kernel.n_units + (UNITS if self.kernel.has_columns else 0)
        shadow = Shadow.of(n, n_units, is_proxied=self.kernel.is_proxied)
        self._work.append(State([first], shadow, np.zeros(n, bool)))
        self._deadline = time.process_time() + MOST_SECONDS
        while self._work:
            self._follow(self._next())
        self.accesses.judge_fixed()

    def _next(self) -> State:
        """The path that is furthest back: loops go before what they lead to."""
        found = min(
            reversed(range(len(self._work))),
            key=lambda number: self._work[number].rank(self.kernel.ranks),
        )
        return self._work.pop(found)

    def _follow(self, state: State) -> None:
        """Follows a path until it ends, meets another one, or forks."""
        code = self.kernel.function.code
        while (group := state.next(self.kernel.ranks)) is not None:
            group = state.gather(group)
            if not self._goes_on(state, group):
                return
            if group.place >= len(code):
                state.end(group, group.mask)
                continue
            instruction = code[group.place]
            try:
                if not self._step(state, group, instruction):
                    return
            except Doubt as doubt:
                where = f"line {instruction.line}: {instruction.mnemonic}"
                raise Doubt(f"{where} {doubt}") from None
        if not state.shadow.is_landed() or state.mbarriers.expects():
            raise Doubt("a copy may be in flight at the end")
        if state.tensor.columns:
            raise Doubt("columns of tensor memory are not given back at the end")
        if state.groups:
            raise Doubt("some threads wait at a barrier that others do not reach")

    def _goes_on(self, state: State, group: Threads) -> bool:
        """Whether a path goes on from where it is, and before others."""
        if group.place in self._labels and not state.is_met:
            if not self._is_new(state, group):
                return False
            if self._work:
                state.is_met = True
                self._work.append(state)
                return False
        state.is_met = False
        return True

    def _is_new(self, state: State, group: Threads) -> bool:
        """Whether a path goes on: nobody was in its state at a label.

        Threads that may be there or not are left behind, for ever in their loop, if
        this path itself has been in that state. What another path did there is no
        answer, as it may have come here.
        """
        self._visits += 1
        is_asked = self._visits % 8 == 0  # the clock is slow in some systems
        is_late = is_asked and time.process_time() > self._deadline
        if self._visits > MOST_VISITS or is_late:
            raise Doubt(f"its paths are too many ({self._visits} steps)")
        state.prune(self.kernel.live, self._remade)
        placing = self.kernel.placing
        order, fork = state.widen(group, placing, is_exact=self.is_exact)
        if fork is not None:
            self._drop(state, fork)
        is_certain = state.is_certain(group)
        seen = self._seen if is_certain else state.trail
        if state.is_new(seen, order, placing, exact=self.is_exact):
            return True
        if is_certain:
            return False
        state.lost |= group.mask
        state.groups.remove(group)
        return bool(state.groups)

    def _drop(self, state: State, fork: Fork) -> None:
        """Drops paths from a fork on, of which each is a case of a state.

        Nor may a state count as seen that one of them was in, as what follows there is
        now for this one to see.
        """
        self._work = [path for path in self._work if not path.fork.is_under(fork)]
        for seen in (self._seen, state.trail):
            for key, (known, facts) in list(seen.items()):
                kept = tuple(one for one in facts if not one[1].is_under(fork))
                if not kept:
                    del seen[key]
                elif len(kept) < len(facts):
                    seen[key] = known, kept

    def _step(self, state: State, group: Threads, instruction: Instruction) -> bool:
        """Makes a step; whether the path goes on, and not others in its place."""
        mask, is_sure = group.mask, True
        if instruction.opcode in _COMPARES:
            goes_on = self._compares(state, group, instruction)
            if goes_on is not None:
                return goes_on
        if instruction.guard is not None:
            register, is_negated = instruction.guard
            value = group.registers.get(register) or unknown()
            numbers = value.numbers
            is_one = value.is_uniform or (mask.sum() == 1 and state.is_certain(group))
            if numbers is None and is_one and _forks(instruction):
                return self._fork(state, group, register)
            is_sure = numbers is not None
            if numbers is not None:
                mask = mask & ((numbers != 0) ^ is_negated)
        self._make(Step(self.kernel, state, group, instruction, mask, is_sure))
        return True

    def _make(self, step: Step) -> None:
        opcode = step.instruction.opcode
        if opcode == "bra":
            _branch(step)
            return
        touched = self._watched[step.group.place]
        step.group.place += 1
        if touched:
            touches(step, touched)
        if not step.mask.any():
            return
        if opcode in _ENDS:
            step.end()
        elif opcode in COMPUTES:
            compute(step)
        else:
            touch(step, self.accesses)

    def _compares(
        self, state: State, group: Threads, instruction: Instruction
    ) -> bool | None:
        """Goes on in all ways that a condition on symbols leaves open; None of others.

        There is none if bounds contradict each other, of which only sums tell.
        """
        target = instruction.operands[0]
        is_plain = self.is_exact and instruction.guard is None
        if target not in self.kernel.deciding or not is_plain:
            return None
        assert isinstance(target, Register), "what decides is a register"
        step = Step(self.kernel, state, group, instruction, group.mask, True)
        one, other = (step.value(operand) for operand in instruction.operands[1:3])
        found = self._choices(state, group, instruction, (one, other))
        if found is None or not state.is_certain(group):
            return None
        group.place += 1
        return self._go(state, group, target, found)

    def _choices(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        operands: tuple[Value, Value],
    ) -> list[tuple[Way, Value]] | None:
        """The ways on from a comparison, a minimum or a maximum, with the result."""
        opcode, modifiers = instruction.opcode, instruction.modifiers
        if opcode == "setp":
            found = ways(state.facts, modifiers, *operands, group.mask)
            if found is None:
                return None
            return [(way, self._fixed(way.truth)) for way in found]
        compared = ("le", modifiers[-1])
        found = self._smaller(state, group, compared, operands)
        if found is None or modifiers[:-1] not in {(), ("relu",)}:
            return None
        first, last = operands if opcode == "min" else operands[::-1]
        results = [(way, first if way.truth else last) for way in found]
        if not modifiers[:-1]:
            return results
        zero, both = self._fixed(0), list[tuple[Way, Value]]()
        for way, value in results:
            more = ways(way.facts, compared, value, zero, group.mask)
            if more is None:
                number = constant(value)
                if number is None:
                    return None
                more = [way._replace(truth=int(number <= 0))]
            both += [(each, zero if each.truth else value) for each in more]
        return both if self.splits or len(both) == 1 else None

    def _smaller(
        self,
        state: State,
        group: Threads,
        compared: tuple[str, str],
        operands: tuple[Value, Value],
    ) -> list[Way] | None:
        """The ways in which the first operand is no greater than the second, or is.

        One, if either is no greater whatever they are: where both are equal it does
        not matter which is chosen. Several only if choices split paths.
        """
        one, other = operands
        found = ways(state.facts, compared, one, other, group.mask)
        if found is None or len(found) == 1:
            return found
        turned = ways(state.facts, compared, other, one, group.mask)
        if turned is not None and len(turned) == 1 and turned[0].truth:
            return [turned[0]._replace(truth=0)]
        return found if self.splits else None

    def _fixed(self, number: int) -> Value:
        return Value(np.full(self.kernel.n_threads, number, np.int64))

    def _go(
        self,
        state: State,
        group: Threads,
        register: Register,
        found: list[tuple[Way, Value]],
    ) -> bool:
        """Goes on in all ways, and knows in each what a register is.

        Returns:
            Whether there is one, in which the path itself goes on.
        """
        place = state.groups.index(group)
        for way, value in found:
            path = state.copy() if len(found) > 1 else state
            path.groups[place].registers[register] = value
            path.facts = way.facts
            if way.equal is not None:
                path.solve(*way.equal)
            if len(found) > 1:
                path.fork = state.fork.child()
                self._work.append(path)
        return len(found) == 1

    def _fork(self, state: State, group: Threads, register: Register) -> bool:
        """Goes on both ways of a condition, as far as both are possible."""
        value = group.registers.get(register) or unknown()
        found = truth_ways(state.facts, value, group.mask) if self.is_exact else None
        if found is None:
            found = [Way(state.facts.copy(), truth) for truth in (0, 1)]
        results = [(way, self._fixed(way.truth)) for way in found]
        return self._go(state, group, register, results)


def _forks(instruction: Instruction) -> bool:
    """Whether it matters to a path if an instruction runs."""
    opcode, *more = instruction.mnemonic.split(".")
    waits = "commit_group" in more or "wait" in str(more)
    return opcode in _FORKS or (opcode == "cp" and waits)


def _branch(step: Step) -> None:
    group, mask = step.group, step.mask
    (label,) = step.instruction.operands
    if not isinstance(label, Label):
        raise Doubt("is not followed")
    stays = group.mask & ~mask if step.is_sure else group.mask
    ranks = step.kernel.ranks
    is_back = ranks[label.target] <= ranks[group.place]
    if stays.any() and mask.any():
        other = group.copy()
        other.place, other.mask = label.target, mask
        other.loops += is_back
        step.state.groups.append(other)
        group.mask = stays
        group.place += 1
    elif mask.any():
        group.loops += is_back
        group.place = label.target
    else:
        group.place += 1
