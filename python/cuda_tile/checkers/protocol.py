# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges the rings and roles of a kernel at level W, for every number of iterations.

`protocol_steps` has the definition, which must hold along every path of every role. A
path splits where a condition or the end of a loop depends on unknown values, and keeps
what it learned. It ends in a state that occurred before, except for the numbers of past
iterations (docs/proof.md says why that suffices, and why one order of roles represents
all).
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import RingType
from cuda_tile.analysis.control_flow import ControlFlow, Point, regions_of
from cuda_tile.checkers.integers import Names, Undecided
from cuda_tile.checkers.later_uses import LaterUses
from cuda_tile.checkers.path_control import Control
from cuda_tile.checkers.path_loops import Loops
from cuda_tile.checkers.path_values import PathValues
from cuda_tile.checkers.protocol_key import forget, key_of_state
from cuda_tile.checkers.protocol_state import Frame, Role, State
from cuda_tile.checkers.protocol_steps import (
    Action,
    Blocked,
    Fault,
    Steps,
    action_of,
    needs,
)
from cuda_tile.checkers.relevant import Relevant
from cuda_tile.errors import InternalError
from cuda_tile.ir.rings import RING
from cuda_tile.ir.roles import ROLES, find_roles
from cuda_tile.ir.traits import TERMINATORS
from cuda_tile.ir.walk import entries, location_text
from cuda_tile.options import Options

CONDITION = "a condition that nobody knows"
COUNT = "a number of iterations that is not told apart from others"
SIZE = "more steps than are tried"
MOST_STEPS = 4_000
"""Ops that are executed before a proof is given up."""
CHECKED_STEPS = 400
"""The same for a check of a compilation, which must not take longer than that. Products
of the tests are done after 257 at most, attention after 1,267 to 2,597."""


@dataclass(frozen=True)
class Verdict:
    """The result for a kernel.

    Attributes:
        states: How many states were told apart.
        op: The op that breaks the protocol; None if none does.
        fault: The fault there.
        assumed: The `ASSUMPTIONS` of the path to it. Without any, some number of
            iterations leads there.
    """

    states: int
    op: ir.Operation | None = None
    fault: str = ""
    assumed: frozenset[str] = frozenset()


def verdict_of(flow: ControlFlow, most: int = MOST_STEPS) -> Verdict:
    """Judges an entry.

    Args:
        flow: Its control flow.
        most: Number of executed ops after which the judgement gives up.
    """
    has_rings = any(op.name in (RING, ROLES) for op in flow.ops())
    return _Explorer(flow, most).verdict() if has_rings else Verdict(0)


class _Explorer:
    """Follows all paths through a kernel."""

    def __init__(self, flow: ControlFlow, most: int) -> None:
        self._flow, self._uses, self._most = flow, LaterUses(flow), most
        self._relevant = Relevant(flow)
        self._loops = Loops(Names(), self._relevant.loops_of_roles())
        self._control = Control(flow, self._relevant, self._loops)
        self._ahead: dict[Point, list[tuple[int, Action]]] = {}

    def verdict(self) -> Verdict:
        """Explores all states."""
        start = regions_of(self._flow.entry)[0]
        todo = [State([Role([Frame(start, 0, {})])])]
        seen: set[object] = set()
        steps = 0
        while todo:
            state = todo.pop()
            try:
                is_going = True
                while is_going:
                    steps += 1
                    if steps > self._most:
                        return self._given_up(state, len(seen))
                    is_going = self._go_on(state, seen)
            except Undecided as question:
                if question.key is None:  # both ways, each time
                    return self._given_up(state, len(seen), COUNT)
                todo += _answered(state, question, self._loops)
            except Fault as fault:
                return Verdict(len(seen), fault.op, fault.what, state.assumed)
        return Verdict(len(seen))

    def _given_up(self, state: State, states: int, why: str = SIZE) -> Verdict:
        what = f"expected to be done after {self._most} steps"
        going = [role for role in state.roles if role.frames]  # none at the very end
        op = self._at(going[-1]).op if going else self._flow.entry
        return Verdict(states, op, what, frozenset({why}))

    def _go_on(self, state: State, seen: set[object]) -> bool:
        """Executes an op of the first role that can run; whether more remains."""
        waiting: list[ir.Operation] = []
        for number in range(min(1, len(state.roles) - 1), len(state.roles)):
            role = state.roles[number]
            if not role.frames:
                continue
            action = self._at(role)
            try:
                is_again = self._execute(state, number, action)
            except Blocked:
                waiting.append(action.op)
                continue
            state.guesses = ()
            return not is_again or self._is_new(state, seen)
        if waiting:
            raise Fault(waiting[0], " and ".join(map(_waits, waiting)))
        return self._joined(state)

    def _joined(self, state: State) -> bool:
        """After roles all threads continue; a kernel ends with no copy in flight."""
        if len(state.roles) > 1:
            del state.roles[1:]
            state.roles[0].frames[-1].place += 1
            return True
        for op, ring in state.rings.items():
            late = [t for t in ring.filled if t >= ring.counts["take"]]
            if late:
                raise Fault(
                    op,
                    "expected each iteration whose slot copies fill to be taken before "
                    f"the kernel ends, got {len(late)} that are not",
                )
        return False

    def _is_new(self, state: State, seen: set[object]) -> bool:
        forget(state, self._loops)
        key = key_of_state(state, self._loops, self._relevant.rings, self._uses)
        if key in seen:
            return False
        seen.add(key)
        return True

    def _at(self, role: Role) -> Action:
        """The next op of a role that matters."""
        frame = role.frames[-1]
        if (ahead := self._ahead.get(frame.point)) is None:
            ahead = self._ahead[frame.point] = self._actions(frame.point)
        frame.place, action = ahead[frame.place]
        return action

    def _actions(self, point: Point) -> list[tuple[int, Action]]:
        """For each op of a region, the place of the next op from it on that matters."""
        found: list[tuple[int, Action]] = []
        for place, (op, _) in reversed([*enumerate(self._flow.steps(point))]):
            if op in self._relevant.ops or op.name in TERMINATORS:
                found.append((place, action_of(op)))
            elif found:
                found.append(found[-1])
        return found[::-1]

    def _execute(self, state: State, number: int, action: Action) -> bool:
        """Executes an op; whether that began a loop's body again."""
        values, op = PathValues(self._loops, state, number), action.op
        if not action.is_control:
            Steps(state, number, lambda v: values.form(v).number).run(action)
            state.roles[number].frames[-1].place += 1
            return False
        if op.name != ROLES:
            return self._control.follow(state.roles[number], values, op)
        state.roles += [
            Role([*state.roles[0].copy().frames, Frame(point, 0, {})])
            for point in regions_of(op)
        ]
        return False


def _waits(op: ir.Operation) -> str:
    if op.name == "tileas.acquire":
        return needs(op, "release", RingType(op.operands[0].type).slots)
    return needs(op, "publish", 0)


def _answered(state: State, question: Undecided, loops: Loops) -> list[State]:
    """The two ways in which a path goes on."""
    ways = [state.copy(), state]
    if question.key is None:
        for way, answer in zip(ways, (True, False), strict=True):
            way.guesses = (*way.guesses, answer)
            way.assumed |= {COUNT}
        return ways
    low, high = state.bounds(question.key)
    ways[0].facts[question.key] = low, question.number
    ways[1].facts[question.key] = question.number + 1, high
    if loops.is_apart(question.key):
        for way in ways:
            way.assumed |= {COUNT}
    if not loops.counts(question.key) or question.key.at:
        for way in ways:
            way.assumed |= {CONDITION}
    return ways


def check(module: ir.Operation, options: Options) -> None:
    """Judges the rings and roles of each kernel.

    Every condition may hold or not. A kernel is not refused if its fault depends on
    numbers of iterations that are not told apart, or if `CHECKED_STEPS` did not
    suffice: `prove` reports these cases.

    Args:
        module: The output of `ring`, `roles` or `skew`.
        options: The options of the compilation.

    Raises:
        InternalError: A slot may be used too early or too late, or a role waits for
            ever; says by how many iterations.
    """
    del options
    for entry in entries(module):
        verdict = verdict_of(ControlFlow(entry), CHECKED_STEPS)
        if verdict.op is not None and verdict.assumed <= {CONDITION}:
            raise InternalError(f"rings: {verdict.fault}", location_text(verdict.op))


def check_roles(module: ir.Operation, options: Options) -> None:
    """Judges the kernels that `roles` has divided; it changes no others.

    Args:
        module: The output of `roles`.
        options: The options of the compilation.

    Raises:
        InternalError: As `check` does.
    """
    if any(find_roles(entry) is not None for entry in entries(module)):
        check(module, options)
