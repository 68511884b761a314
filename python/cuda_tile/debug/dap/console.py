# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands in the editor's debug console, for what the protocol has no request for."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile.debug.dap.front import EditorFront
from cuda_tile.debug.stepping import Plan, Step, UntilNan, UntilRace, UntilStore
from cuda_tile.debug.target import END, FAULT
from cuda_tile.errors import UserError

Command = Callable[[EditorFront, int, str], str]


def _go(front: EditorFront, plan: Plan) -> str:
    target = front.live
    if front.last is not None and front.last.reason in (END, FAULT):
        raise UserError("expected a launch that has not ended; go back first")
    front.go(lambda: target.resume(plan))
    return ""


def _nan(front: EditorFront, thread: int, rest: str) -> str:
    return _go(front, UntilNan())


def _race(front: EditorFront, thread: int, rest: str) -> str:
    return _go(front, UntilRace())


def _store(front: EditorFront, thread: int, rest: str) -> str:
    return _go(front, UntilStore(*front.live.element(rest), rest))


def _iteration(front: EditorFront, thread: int, rest: str) -> str:
    spot = front.live.spot(thread)
    if spot is None or not spot.loops:
        raise UserError("expected a place in a loop")
    return _go(front, Step(thread, spot, "iteration"))


def _who(front: EditorFront, thread: int, rest: str) -> str:
    return "\n".join(front.live.who(rest))


def _goto(front: EditorFront, thread: int, rest: str) -> str:
    target = front.live
    if not rest.isdigit():
        raise UserError(f"expected a number of ops, got '{rest}'")
    front.go(lambda: target.goto(int(rest)))
    return ""


def _ops(front: EditorFront, thread: int, rest: str) -> str:
    return "\n".join(front.live.nearby(thread))


COMMANDS: dict[str, Command] = {
    "nan": _nan,
    "race": _race,
    "store": _store,
    "iteration": _iteration,
    "who": _who,
    "goto": _goto,
    "ops": _ops,
}
"""The commands; docs/debugging.md describes them."""
WITH_WORDS = frozenset(("store", "who", "goto"))
"""Those that need more than their name."""


def run(front: EditorFront, thread: int, text: str) -> str | None:
    """Runs a command; gives what it says, None where the text is an expression."""
    word, _, rest = text.strip().partition(" ")
    command = COMMANDS.get(word)
    if command is None or bool(rest.strip()) != (word in WITH_WORDS):
        return None
    return command(front, thread, rest.strip())
