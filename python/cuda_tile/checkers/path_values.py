# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the integers and conditions of a kernel are on a path, for one of its roles.

Sums are compared as integers that do not wrap, but for comparisons of unsigned ones.
What a path cannot tell is raised as `Undecided`, so that it goes on in both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.checkers.integers import (
    Form,
    Interval,
    Key,
    Names,
    Symbol,
    Undecided,
    added,
    key_of,
)
from cuda_tile.checkers.protocol_state import FAR, Frame, State
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import LOOPS
from cuda_tile.ir.walk import defining_op, op_stem


class Loops:
    """The counted loops of a kernel's roles that matter.

    Args:
        names: The names of the kernel's values.
        roles: For each role its loops; all threads first.
    """

    def __init__(self, names: Names, roles: list[list[ir.Operation]]) -> None:
        self.names, self.roles = names, roles
        self.indices: list[tuple[int, ir.Operation]] = []
        self._constants: dict[ir.Value, Form | None] = {}
        self._ends = {op: _ends(names, op) for each in roles for op in each}
        stepped = [op for each in roles for op in each if has_unknown_step(op)]
        self._positive = {
            name(op) for op in stepped for name in (names.loop, names.advance)
        }
        self._apart = _begun_apart(names, stepped)

    def least(self, key: Key) -> float:
        """What a sum is at least, whatever the path.

        Of a loop whose step nobody knows: it runs once if it runs, and from its second
        iteration on its index is above its lower bound.
        """
        (symbol, count), *others = key.terms
        return (
            1 if count == 1 and not others and symbol.name in self._positive else -inf
        )

    def is_apart(self, key: Key) -> bool:
        """Whether a sum has how often a loop runs that others begin apart from.

        Where the step is no constant, these numbers are not compared.
        """
        return any(symbol.name in self._apart for symbol, _ in key.terms)

    def constant(self, value: ir.Value) -> Form | None:
        """The number that a value always is."""
        if value not in self._constants:
            known = constant_of(value)
            number = abs(known or 0) if _is_truth(value) else known or 0
            self._constants[value] = None if known is None else Form(number)
        return self._constants[value]

    def index(self, number: int, op: ir.Operation) -> Symbol:
        """The symbol that counts the iterations of a role's loop."""
        if (number, op) not in self.indices:
            self.indices.append((number, op))
        return Symbol(-1 - self.indices.index((number, op)))

    def alike(self, number: int, key: Key) -> list[ir.Operation]:
        """The loops of a role that may run as often as a sum says."""
        wanted = {symbol.name for symbol, _ in key.terms}
        return [op for op in self.roles[number] if self._ends[op] & wanted]

    def counts(self, key: Key) -> bool:
        """Whether a sum says how often some loop runs."""
        return any(self.alike(number, key) for number in range(len(self.roles)))

    def is_waiting(self, state: State, number: int, key: Key) -> bool:
        """Whether a role has yet to enter a loop that runs as often as a sum says."""
        if not (loops := self.alike(number, key)):
            return False
        if number >= len(state.roles):
            return True
        role = state.roles[number]
        if not role.frames:
            return False
        own = {f.point.op: f.iteration for f in role.frames}
        for op, (_, at) in zip(self.names.around(loops[0]), key.at, strict=False):
            if own.get(op) != at:
                return op not in role.left and own.get(op, -1) < at
        return any(op not in own and op not in role.left for op in loops)

    def far(self, state: State, key: Key | None) -> int:
        """How many iterations beyond those that are told apart; -1 for none."""
        if key is None or any(
            self.is_waiting(state, number, key) for number in range(len(self.roles))
        ):
            return -1
        frames = (f for role in state.roles for f in role.frames if f.trips == key)
        return max(-1, min((f.iteration for f in frames), default=-1) - FAR)


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

    def form(self, value: ir.Value) -> Form:
        """An integer, or a condition as 0 or 1."""
        found = self.role.lookup(value)
        if isinstance(found, Form):
            return found
        if (known := self.loops.constant(value)) is not None:
            return known
        op = defining_op(value)
        if op is None:
            return self._symbol(value)
        match op_stem(op):
            case "assume":
                return self.form(op.operands[0])
            case "addi":
                return self.form(op.operands[0]).plus(self.form(op.operands[1]))
            case "subi":
                return self.form(op.operands[0]).plus(self.form(op.operands[1]), -1)
            case "select":
                return self.form(op.operands[1 if self.truth(op.operands[0]) else 2])
            case "cmpi" | "andi" | "ori" | "xori" if _is_truth(value):
                return Form(int(self.truth(value)))
            case "divi" if (left := self._iterations_left(op)) is not None:
                return left
            case _:
                return self._symbol(value)

    def truth(self, value: ir.Value) -> bool:
        """A condition.

        Raises:
            Undecided: The path does not tell.
        """
        op = None if self.role.lookup(value) else defining_op(value)
        match "" if op is None else op_stem(op), op:
            case "cmpi", ir.Operation():
                return self._compare(op)
            case "andi", ir.Operation():
                return all(map(self.truth, op.operands))
            case "ori", ir.Operation():
                return any(map(self.truth, op.operands))
            case "xori", ir.Operation():
                return self.truth(op.operands[0]) != self.truth(op.operands[1])
            case _:
                return not self.at_most(self.form(value), 0)

    def at_most(self, form: Form, number: int) -> bool:
        """Whether a sum is no greater than a number.

        Raises:
            Undecided: The path does not tell.
        """
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
        number, rest = form.number, Form()
        moves: dict[Key, int] = {}
        for symbol, count in form.terms:
            if symbol.name >= 0:
                rest = rest.plus(Form(0, ((symbol, count),)))
            else:
                frame = self._frame(symbol)
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
            if by and self.loops.far(self.state, key) >= 0:
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
        inside = set[ir.Operation]()
        for op in self.loops.alike(self.number, key):
            inside.update(self.loops.names.around(op))
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
        names = self.loops.names
        around = names.around(loop)
        frames = [f for f in self._loops_around() if f.point.op in around]
        at = tuple((names.loop(f.point.op), f.iteration) for f in frames)
        return Form(0, ((Symbol(names.loop(loop), at), 1),))

    def index(self, loop: ir.Operation) -> Form:
        """The index of a loop whose step nobody knows, in the present iteration."""
        counted = counted_loop(loop)
        assert counted is not None, "what has a step is counted"
        lower, own = self.form(counted.lower), self._own_frame(loop)
        if own is None or not own.iteration:
            return lower
        around = [*self.loops.names.around(loop), loop]
        frames = [f for f in self._loops_around() if f.point.op in around]
        at = tuple((self.loops.names.loop(f.point.op), f.iteration) for f in frames)
        return lower.plus(Form(0, ((Symbol(self.loops.names.advance(loop), at), 1),)))

    def _iterations_left(self, op: ir.Operation) -> Form | None:
        """How many iterations of a loop come behind one: (upper - index - 1) / step.

        Skewed copies ask for it where the step is no constant, once the loop runs.
        """
        if keyword(op, "signedness") != "unsigned":
            return None
        names, distance = self.loops.names, self.form(op.operands[0]).plus(Form(1))
        for loop in {*self.loops.roles[0], *self.loops.roles[self.number]}:
            counted = counted_loop(loop)
            if counted is None or names.of(counted.step) != names.of(op.operands[1]):
                continue
            bounds = (counted.lower, counted.upper)
            if names.depth(bounds) >= names.depth(op.results):  # made of the quotient
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

    def _compare(self, op: ir.Operation) -> bool:
        first, second = map(self.form, op.operands)
        if keyword(op, "signedness") == "unsigned":
            first, second = map(self.unsigned, op.operands)
        less, more = first.plus(second, -1), second.plus(first, -1)
        match keyword(op, "comparison_predicate"):
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


def _is_truth(value: ir.Value) -> bool:
    element = element_of(value)
    return isinstance(element, ir.IntegerType) and element.width == 1


def has_unknown_step(op: ir.Operation) -> bool:
    """Whether an op is a `for` whose step is no constant."""
    loop = counted_loop(op)
    return loop is not None and constant_of(loop.step) is None


def _begun_apart(names: Names, loops: Sequence[ir.Operation]) -> set[int]:
    """The names of loops that end at one bound, in equal steps, from several places."""
    alike: dict[tuple[int, ...], set[int]] = {}
    for op in loops:
        _, *ends = map(names.of, list(op.operands)[:3])
        alike.setdefault(tuple(ends), set()).add(names.loop(op))
    return {name for each in alike.values() if len(each) > 1 for name in each}


def _ends(names: Names, op: ir.Operation) -> frozenset[int]:
    """The names that decide how often a counted loop runs."""
    loop = counted_loop(op)
    if loop is None:
        return frozenset({names.loop(op)})
    bounds = _leaves(names, loop.lower) | _leaves(names, loop.upper)
    return bounds | {names.loop(op)} if has_unknown_step(op) else bounds


def _leaves(names: Names, value: ir.Value) -> frozenset[int]:
    """The names of what sums and choices are made of."""
    op = defining_op(value)
    if constant_of(value) is not None:
        return frozenset()
    if op is None or op_stem(op) not in {"assume", "addi", "subi", "select"}:
        return frozenset({names.of(value)})
    operands = list(op.operands)[1 if op_stem(op) == "select" else 0 :]
    return frozenset[int]().union(*(_leaves(names, v) for v in operands))
