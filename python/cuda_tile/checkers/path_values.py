# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the integers and conditions of a kernel are on a path, for one of its roles.

Sums are compared as integers that do not wrap, but for comparisons of unsigned ones.
What a path cannot tell is raised as `Undecided`, so that it goes on in both ways.
"""

from __future__ import annotations

from math import inf

from cuda_tile._mlir import ir
from cuda_tile.checkers.integers import (
    Form,
    Interval,
    Key,
    Symbol,
    Undecided,
    added,
    key_of,
)
from cuda_tile.checkers.path_loops import MOST_APART, Loops, Made
from cuda_tile.checkers.protocol_state import Frame, State
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import LOOPS


class PathValues:
    """The values that a role sees.

    Args:
        loops: The loops of the kernel.
        state: Where the path is.
        number: The role.
    """

    def __init__(self, loops: Loops, state: State, number: int) -> None:
        self.loops, self.state, self.number = loops, state, number
        self.role = state.roles[number]
        self._asked = 0
        self._is_telling = False

    def form(self, value: ir.Value) -> Form:
        """An integer, or a condition as 0 or 1."""
        if (known := self.loops.fixed(value)) is not None:
            return known
        found = self.role.lookup(value)
        if isinstance(found, Form):
            return found
        if (made := self.loops.made(value)) is None:
            return self._symbol(value)
        match made.stem:
            case "assume":
                return self.form(made.operands[0])
            case "addi":
                return self.form(made.operands[0]).plus(self.form(made.operands[1]))
            case "subi":
                return self.form(made.operands[0]).plus(self.form(made.operands[1]), -1)
            case "select":
                is_first = self.truth(made.operands[0])
                return self.form(made.operands[1 if is_first else 2])
            case "cmpi" | "andi" | "ori" | "xori" if made.is_truth:
                return Form(int(self.truth(value)))
            case "divi" if (left := self._iterations_left(made)) is not None:
                return left
            case _:
                return self._symbol(value)

    def truth(self, value: ir.Value) -> bool:
        """A condition.

        Raises:
            Undecided: The path does not tell.
        """
        made = None if self.role.lookup(value) else self.loops.made(value)
        match "" if made is None else made.stem, made:
            case "cmpi", Made():
                return self._compare(made)
            case "andi", Made():
                return all(map(self.truth, made.operands))
            case "ori", Made():
                return any(map(self.truth, made.operands))
            case "xori", Made():
                return self.truth(made.operands[0]) != self.truth(made.operands[1])
            case _:
                return not self.at_most(self.form(value), 0)

    def at_most(self, form: Form, number: int) -> bool:
        """Whether a sum is no greater than a number.

        Raises:
            Undecided: The path does not tell.
        """
        told = self._as_trips(form, number) if self.loops.families else None
        if told is None:
            return self._is_at_most(form, number)
        left, is_turned = told
        return self._is_at_most(left, 0) != is_turned

    def _as_trips(self, form: Form, number: int) -> tuple[Form, bool] | None:
        """How often loops run, where a sum is asked that tells the same.

        U - L - k s is above 0 if and only if a loop from L to U by s has more than k
        iterations. Only asked where loops begin k steps apart, so that both have one
        answer.

        Args:
            form: A sum of which it is asked whether it is above a number.
            number: The number.

        Returns:
            What is above 0 if it is, or is not if the other is true.
        """
        if self._is_telling:  # a bound is a choice, whose condition is asked
            return None
        form = form.plus(Form(-number))
        for loop in self.loops.families:
            step, gap = self._step_and_gap(loop)
            for k in range(-MOST_APART, MOST_APART + 1):
                ahead = gap.plus(step, -k)
                if form == ahead:
                    return self.trips(loop).plus(Form(-k)), False
                if form == Form(1).plus(ahead, -1):
                    return self.trips(loop).plus(Form(-k)), True
        return None

    def _step_and_gap(self, loop: ir.Operation) -> tuple[Form, Form]:
        """A loop's step, and how far its bounds are apart."""
        counted = self.loops.counted(loop)
        assert counted is not None, "what has a step is counted"
        self._is_telling = True
        try:
            gap = self.form(counted.upper).plus(self.form(counted.lower), -1)
            return self.form(counted.step), gap
        finally:
            self._is_telling = False

    def _is_at_most(self, form: Form, number: int) -> bool:
        if not form.terms:
            return form.number <= number
        fixed, rest, (low, high) = self._parts(form)
        if high <= number or low > number:
            return high <= number
        if rest.terms:
            key, sign = key_of(rest)
            key = self._around(key)
            bound = number - fixed if sign > 0 else fixed - number - 1
            least, most = self._bounds(key)
            if least <= bound < most:
                raise Undecided(key, bound)
        self._asked += 1
        if self._asked > len(self.state.guesses):
            raise Undecided(None, number)
        return self.state.guesses[self._asked - 1]

    def fixed(self, form: Form) -> tuple[int, Key | None]:
        """A sum with iterations counted in, and what it depends on beside these."""
        number, rest, _ = self._parts(form)
        return number, self._around(key_of(rest)[0]) if rest.terms else None

    def _parts(self, form: Form) -> tuple[int, Form, Interval]:
        """A sum: what is counted, the rest, and what is known of both."""
        number, moves = form.number, dict[Key, int]()
        rest = Form(0, tuple(term for term in form.terms if term[0].name >= 0))
        for symbol, count in form.terms[: len(form.terms) - len(rest.terms)]:
            frame = self._frame(symbol)  # what machines count comes first
            number += count * frame.iteration
            if frame.trips is not None:
                moves[frame.trips] = moves.get(frame.trips, 0) + count
        if not rest.terms:
            return number, rest, self._moved((number, number), moves)
        key, sign = key_of(rest)
        key = self._around(key)
        step = self._step(key)
        moves[key] = moves.get(key, 0) + sign * step
        known = added(Form(number), [(sign, self._bounds(key))])
        return number, rest, self._moved(known, moves)

    def _bounds(self, key: Key) -> Interval:
        """What is known of a sum."""
        low, high = self.state.bounds(key)
        return max(low, self.loops.least(key)), high

    def _moved(self, known: Interval, moves: dict[Key, int]) -> Interval:
        """An interval for all numbers of iterations that are not told apart."""
        low, high = known
        for key, by in moves.items():
            is_open = not by or (high == inf if by > 0 else low == -inf)
            if not is_open and self.loops.far(self.state, key) >= 0:
                low, high = (low, inf) if by > 0 else (-inf, high)
        return low, high

    def _frame(self, symbol: Symbol) -> Frame:
        number, op = self.loops.indices[-1 - symbol.name]
        for frame in self.state.roles[number].frames:
            if frame.point.op == op:
                return frame
        raise InternalError(f"expected an index inside its '{op.name}'")

    def _step(self, key: Key) -> int:
        """By how much a sum grows with each iteration of the loops that it counts."""
        frames = (f for role in self.state.roles for f in role.frames)
        return next((f.step for f in frames if f.trips == key), 0)

    def _around(self, key: Key) -> Key:
        """What counts a loop that is run anew by others is known for each time."""
        if not self.loops.counts(key):
            return key
        inside = self.loops.around_alike(self.number, key)
        if not inside:
            return Key(key.terms)
        at: list[tuple[int, int]] = []
        for frame in self.role.frames:
            if frame.trips is not None and frame.trips.terms == key.terms:
                break
            if frame.point.op in inside:
                at.append((self.loops.names.loop(frame.point.op), frame.iteration))
        return Key(key.terms, tuple(at))

    def _symbol(self, value: ir.Value) -> Form:
        name = self.loops.names.of(value)
        varies = self.loops.names.varies(name)
        around = ((self.loops.names.loop(f.point.op), f) for f in self._loops_around())
        at = tuple((loop, f.iteration) for loop, f in around if loop in varies)
        return Form(0, ((Symbol(name, at), 1),))

    def trips(self, loop: ir.Operation) -> Form:
        """How often a loop runs whose end nobody can count."""
        names, (first, less) = self.loops.names, self.loops.first(loop)
        around = set(map(names.loop, names.around(loop)))
        named = ((names.loop(f.point.op), f) for f in self._loops_around())
        at = tuple((name, f.iteration) for name, f in named if name in around)
        return Form(-less, ((Symbol(names.loop(first), at), 1),))

    def index(self, loop: ir.Operation) -> Form:
        """The index of a loop whose step nobody knows, in the present iteration."""
        counted = self.loops.counted(loop)
        assert counted is not None, "what has a step is counted"
        lower, own = self.form(counted.lower), self._own_frame(loop)
        if own is None or not own.iteration:
            return lower
        around = [*self.loops.names.around(loop), loop]
        frames = [f for f in self._loops_around() if f.point.op in around]
        at = tuple((self.loops.names.loop(f.point.op), f.iteration) for f in frames)
        return lower.plus(Form(0, ((Symbol(self.loops.names.advance(loop), at), 1),)))

    def _iterations_left(self, made: Made) -> Form | None:
        """How many iterations of a loop come behind one: (upper - index - 1) / step.

        Skewed copies ask for it where the step is no constant, once the loop runs.
        """
        if not made.is_unsigned:
            return None
        names, distance = self.loops.names, self.form(made.operands[0]).plus(Form(1))
        for loop in {*self.loops.roles[0], *self.loops.roles[self.number]}:
            counted = self.loops.counted(loop)
            if counted is None or names.of(counted.step) != names.of(made.operands[1]):
                continue
            bounds = (counted.lower, counted.upper)
            if names.depth(bounds) >= names.depth(
                made.op.results
            ):  # made of the quotient
                continue
            left = self.trips(loop).plus(Form(-1))
            upper = self.form(counted.upper)
            if distance == upper.plus(self.form(counted.lower), -1):
                return left
            if distance == upper.plus(self.form(counted.index), -1):
                return left.plus(self.counted(loop), -1)
        return None

    def counted(self, loop: ir.Operation) -> Form:
        """How many iterations of a loop of the role went before."""
        return Form(0, ((self.loops.index(self.number, loop), 1),))

    def _own_frame(self, loop: ir.Operation) -> Frame | None:
        return next((f for f in self.role.frames if f.point.op == loop), None)

    def _loops_around(self) -> list[Frame]:
        return [f for f in self.role.frames if f.point.op.name in LOOPS]

    def _compare(self, made: Made) -> bool:
        read = self.unsigned if made.is_unsigned else self.form
        first, second = map(read, made.operands)
        less, more = first.plus(second, -1), second.plus(first, -1)
        match made.compares:
            case "less_than":
                return self.at_most(less, -1)
            case "less_than_or_equal":
                return self.at_most(less, 0)
            case "greater_than":
                return self.at_most(more, -1)
            case "greater_than_or_equal":
                return self.at_most(more, 0)
            case "equal":
                return self.at_most(less, 0) and self.at_most(more, 0)
            case _:
                return self.at_most(less, -1) or self.at_most(more, -1)

    def unsigned(self, value: ir.Value) -> Form:
        """A value, read as an unsigned integer."""
        form, bits = self.form(value), ir.IntegerType(element_of(value)).width
        return form.plus(Form(1 << bits)) if self.at_most(form, -1) else form
