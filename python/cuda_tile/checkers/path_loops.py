# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counted loops of a kernel's roles: which run equally often, or some less."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import CountedLoop, counted_loop
from cuda_tile.checkers.integers import Form, Key, Names, Symbol
from cuda_tile.checkers.protocol_state import FAR, State
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import defining_op, is_parameter, op_stem

MOST_APART = 4
"""Steps that loops may begin apart."""
_SUMS = frozenset({"assume", "addi", "subi"})


class Made(NamedTuple):
    """How a value is computed, as a path asks for it again and again.

    Attributes:
        op: The op.
        stem: Its name.
        operands: Its operands.
        is_truth: Whether the value is a condition.
        compares: The predicate of a comparison; empty for other ops.
        is_unsigned: Whether it takes its operands for unsigned integers.
    """

    op: ir.Operation
    stem: str
    operands: tuple[ir.Value, ...]
    is_truth: bool
    compares: str
    is_unsigned: bool


class Loops:
    """The counted loops of a kernel's roles that matter, and what is looked up once.

    Args:
        names: The names of the kernel's values.
        roles: For each role its loops; all threads first.
    """

    def __init__(self, names: Names, roles: list[list[ir.Operation]]) -> None:
        self.names, self.roles = names, roles
        self.indices: list[tuple[int, ir.Operation]] = []
        self._fixed: dict[ir.Value, Form | None] = {}
        self._made: dict[ir.Value, Made | None] = {}
        ops = [op for each in roles for op in each]
        self._counted = {op: counted_loop(op) for op in ops}
        self._alike: dict[tuple[int, object], list[ir.Operation]] = {}
        self._around: dict[tuple[int, object], set[ir.Operation]] = {}
        self._counts: dict[object, bool] = {}
        self._steps = {
            op: None if loop is None else constant_of(loop.step)
            for op, loop in self._counted.items()
        }
        stepped = [op for op in self._steps if self.has_unknown_step(op)]
        self._later = begun_later(names, stepped)
        self._ends = {op: self._named(op) for each in roles for op in each}
        self.families = list({first: None for first, _ in self._later.values()})
        self._least = {names.advance(op): 1 for op in stepped}
        self._least |= {names.loop(op): 1 for op in stepped if op not in self._later}
        self._least |= {names.loop(first): 0 for first in self.families}
        alone = [op for op in stepped if op not in self._later]
        self._apart = _begun_apart(names, alone)

    def first(self, loop: ir.Operation) -> tuple[ir.Operation, int]:
        """The loop whose iterations count for one, and how many of these it lacks.

        Args:
            loop: A loop whose step is no constant.
        """
        return self._later.get(loop, (loop, 0))

    def is_one_of_several(self, loop: ir.Operation) -> bool:
        """Whether other loops begin some unknown steps apart from one."""
        return loop in self._later

    def _named(self, op: ir.Operation) -> frozenset[int]:
        """The names that decide how often a counted loop runs."""
        ends = _ends(self.names, op)
        first, _ = self.first(op)
        return ends | {self.names.loop(first)} if self.has_unknown_step(op) else ends

    def least(self, key: Key) -> float:
        """What a sum is at least, whatever the path.

        Of a loop whose step nobody knows: it runs once if it runs, and from its second
        iteration on its index is above its lower bound. Where other loops begin steps
        later, whether it runs at all is asked of the same number.
        """
        (symbol, count), *others = key.terms
        is_one = count == 1 and not others
        return self._least.get(symbol.name, -inf) if is_one else -inf

    def is_apart(self, key: Key) -> bool:
        """Whether a sum has how often a loop runs that others begin apart from.

        Where the step is no constant, these numbers are not compared.
        """
        return any(symbol.name in self._apart for symbol, _ in key.terms)

    def counted(self, loop: ir.Operation) -> CountedLoop | None:
        """The bounds of a `for` that matters; None for any other op."""
        return self._counted.get(loop)

    def step(self, loop: ir.Operation) -> int | None:
        """The step of a `for` that matters, if it is a constant."""
        return self._steps.get(loop)

    def has_unknown_step(self, loop: ir.Operation) -> bool:
        """Whether an op is a `for` that matters, whose step is no constant."""
        return self.counted(loop) is not None and self.step(loop) is None

    def made(self, value: ir.Value) -> Made | None:
        """How a value is computed; None for an argument."""
        if value not in self._made:
            op = defining_op(value)
            self._made[value] = None if op is None else _made(op, value)
        return self._made[value]

    def fixed(self, value: ir.Value) -> Form | None:
        """What a value is on every path and in every iteration, if it is one sum."""
        if value not in self._fixed:
            self._fixed[value] = self._fixed_sum(value)
        return self._fixed[value]

    def _fixed_sum(self, value: ir.Value) -> Form | None:
        if (known := constant_of(value)) is not None:
            return Form(abs(known) if is_truth(value) else known)
        made = self.made(value)
        if made is None:
            is_one = is_parameter(ir.BlockArgument(value))
            return self._named_once(value) if is_one else None
        if made.stem in _SUMS:
            first, *others = (self.fixed(operand) for operand in made.operands)
            if first is None or None in others:
                return None
            sign = -1 if made.stem == "subi" else 1
            return first.plus(others[0], sign) if others and others[0] else first
        is_asked = made.is_truth or made.stem in {"select", "divi"}
        return None if is_asked or len(made.op.regions) else self._named_once(value)

    def _named_once(self, value: ir.Value) -> Form | None:
        """A symbol, if it means the same in all iterations."""
        name = self.names.of(value)
        return None if self.names.varies(name) else Form(0, ((Symbol(name), 1),))

    def index(self, number: int, op: ir.Operation) -> Symbol:
        """The symbol that counts the iterations of a role's loop."""
        if (number, op) not in self.indices:
            self.indices.append((number, op))
        return Symbol(-1 - self.indices.index((number, op)))

    def alike(self, number: int, key: Key) -> list[ir.Operation]:
        """The loops of a role that may run as often as a sum says."""
        asked = number, key.terms
        if asked not in self._alike:
            wanted = {symbol.name for symbol, _ in key.terms}
            ends = self._ends
            self._alike[asked] = [op for op in self.roles[number] if ends[op] & wanted]
        return self._alike[asked]

    def counts(self, key: Key) -> bool:
        """Whether a sum says how often some loop runs."""
        found = self._counts.get(key.terms)
        if found is None:
            roles = range(len(self.roles))
            found = any(self.alike(number, key) for number in roles)
            self._counts[key.terms] = found
        return found

    def around_alike(self, number: int, key: Key) -> set[ir.Operation]:
        """The loops around those of a role that may run as often as a sum says."""
        asked = number, key.terms
        if asked not in self._around:
            loops = self.alike(number, key)
            self._around[asked] = {o for op in loops for o in self.names.around(op)}
        return self._around[asked]

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
        if key is None:
            return -1
        frames = [f for role in state.roles for f in role.frames if f.trips == key]
        far = min((f.iteration for f in frames), default=-1) - FAR
        if far < 0 or any(
            self.is_waiting(state, number, key) for number in range(len(self.roles))
        ):
            return -1
        return far


def _made(op: ir.Operation, value: ir.Value) -> Made:
    stem = op_stem(op)
    compares = keyword(op, "comparison_predicate") if stem == "cmpi" else ""
    is_unsigned = keyword(op, "signedness") == "unsigned"
    return Made(op, stem, tuple(op.operands), is_truth(value), compares, is_unsigned)


def is_truth(value: ir.Value) -> bool:
    """Whether a value is a condition."""
    element = element_of(value)
    return isinstance(element, ir.IntegerType) and element.width == 1


def begun_later(
    names: Names, loops: Sequence[ir.Operation]
) -> dict[ir.Operation, tuple[ir.Operation, int]]:
    """Loops to one bound in equal steps that begin some steps apart from one another.

    Args:
        names: The names of values.
        loops: Loops whose steps are no constants.

    Returns:
        For each of them the first one, and how many steps later it begins.
    """
    alike: dict[object, list[ir.Operation]] = {}
    for op in loops:
        _, *ends = map(names.of, list(op.operands)[:3])
        around = tuple(map(names.loop, names.around(op)))
        alike.setdefault((around, *ends), []).append(op)
    found: dict[ir.Operation, tuple[ir.Operation, int]] = {}
    for each in alike.values():
        by_first = [
            (first, [_steps(names, first, op) for op in each]) for first in each
        ]
        for first, steps in by_first:
            known = [n for n in steps if n is not None and 0 <= n <= MOST_APART]
            if len(known) == len(each) and any(known):
                found.update(zip(each, ((first, n) for n in known), strict=True))
                break
    return found


def _steps(names: Names, first: ir.Operation, op: ir.Operation) -> int | None:
    """How many steps behind another loop one begins, if that is known."""
    lower, other, step = (
        _sum(names, value) for value in (op.operands[0], *[*first.operands][0:3:2])
    )
    apart = lower.plus(other, -1)
    ways = range(-MOST_APART, MOST_APART + 1)
    return next((n for n in ways if apart == Form().plus(step, n)), None)


def _sum(names: Names, value: ir.Value) -> Form:
    """A value as a sum of others, by their names."""
    known, op = constant_of(value), defining_op(value)
    if known is not None:
        return Form(known)
    if op is None or op_stem(op) not in _SUMS:
        return Form(0, ((Symbol(names.of(value)), 1),))
    first, *others = (_sum(names, operand) for operand in op.operands)
    sign = -1 if op_stem(op) == "subi" else 1
    return first.plus(others[0], sign) if others else first


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
    return _leaves(names, loop.lower) | _leaves(names, loop.upper)


def _leaves(names: Names, value: ir.Value) -> frozenset[int]:
    """The names of what sums and choices are made of."""
    op = defining_op(value)
    if constant_of(value) is not None:
        return frozenset()
    if op is None or op_stem(op) not in {"assume", "addi", "subi", "select"}:
        return frozenset({names.of(value)})
    operands = list(op.operands)[1 if op_stem(op) == "select" else 0 :]
    return frozenset[int]().union(*(_leaves(names, v) for v in operands))
