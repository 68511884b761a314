# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands in the editor's debug console, for what the protocol has no request for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile.debug.controls import Controls
from cuda_tile.debug.dap.front import EditorFront
from cuda_tile.debug.target import Move

MOVES: dict[str, Callable[[Controls, str], Move]] = {
    "nan": lambda controls, rest: controls.nan(),
    "race": lambda controls, rest: controls.race(),
    "store": Controls.store,
    "iteration": lambda controls, rest: controls.step("iteration"),
    "goto": Controls.goto,
}
LOOKS: dict[str, Callable[[Controls, str], Sequence[str]]] = {
    "who": Controls.who,
    "ops": lambda controls, rest: controls.ops(),
}
COMMANDS = (*MOVES, *LOOKS)
"""The commands; docs/debugging.md describes them."""
WITH_WORDS = frozenset(("store", "who", "goto"))
"""Those that need more than their name."""


def run(front: EditorFront, thread: int, text: str) -> str | None:
    """Runs a command; gives what it says, None where the text is an expression."""
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if word not in COMMANDS or bool(rest) != (word in WITH_WORDS):
        return None
    controls = front.controls(thread)
    if word in LOOKS:
        return "\n".join(LOOKS[word](controls, rest))
    front.go(MOVES[word](controls, rest))
    return ""
