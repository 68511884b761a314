# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the unspecified elements of a value come from: the access, and why it has some.

Each access notes itself when it gives unspecified elements. A message asks later which
of these accesses the value at fault depends on, through loops and branches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from cuda_tile.interp.program import Block, Entry, Op, all_ops
from cuda_tile.interp.values import Partial

_WHY = "masked off, outside the tensor, or never stored to"


@dataclass(slots=True)
class Origins:
    """The ops of a tile block that gave unspecified elements, and why.

    Attributes:
        reasons: By op; empty where the op did not say.
    """

    reasons: dict[Op, str] = field(default_factory=dict[Op, str])

    def note(self, op: Op, result: Any) -> None:
        """Keeps an op whose operands are specified and whose result is not."""
        results = cast(tuple[Any, ...], result) if type(result) is tuple else (result,)
        if results and type(results[0]) is Partial:
            self.reasons.setdefault(op, "")

    def text(self, entry: Entry, op: Op) -> str:
        """Names the nearest op behind an operand, as the end of a message.

        Args:
            entry: The kernel.
            op: The op that has an unspecified operand.

        Returns:
            Its name, place and reason; empty where none is found.
        """
        for source in _made_of(entry.body, op):
            if source in self.reasons:
                why = self.reasons[source] or _WHY
                return f"; it comes from '{source.name}' at {source.location} ({why})"
        return ""


def _made_of(body: Block, op: Op) -> Iterator[Op]:
    """The ops that compute the operands of an op, the nearest first.

    A result of an op with regions comes from their terminators; a block argument, too,
    and from the operands of the op around it.
    """
    ops = all_ops(body)
    makers = {slot: made for made in ops for slot in made.results}
    for parent in ops:
        for region in parent.regions:
            if region is not None:
                makers.update(dict.fromkeys(region.arguments, parent))
    waiting = deque(op.operands)
    seen: set[Op] = set()
    while waiting:
        source = makers.get(waiting.popleft())
        if source is None or source in seen:
            continue
        seen.add(source)
        yield source
        waiting.extend(source.operands)
        for region in source.regions:
            if region is not None:
                waiting.extend(_handed_over(region))


def _handed_over(block: Block) -> Iterator[int]:
    """The values that terminators of a block and its branches pass on."""
    for op in all_ops(block):
        if op.name in ("yield", "continue", "break"):
            yield from op.operands
