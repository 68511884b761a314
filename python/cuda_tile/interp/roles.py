# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the roles family: parts of a tile block that run at the same time.

Each region of `tileas.roles` is a coroutine of its tile block. A role runs until one of
its ops waits for another role (`TileBlock.wait_until`). The next role that can continue
follows, in turn, or at random under a seed, and then also after each op of level W. If
no role can continue, the roles wait for each other, and the launch fails.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NoReturn

from cuda_tile.interp.machine import Blocked, Body, Event, TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.scratch import Scratch
from cuda_tile.interp.table import RULES
from cuda_tile.interp.values import Jump


@dataclass(eq=False, slots=True)
class Role:
    """One region that runs.

    Attributes:
        number: Its place among the regions, from 1.
        name: Its name in the op.
        body: Its coroutine.
        blocked: What it waited for when it ran last, or None.
        scratch: Its live allocas, oldest first.
    """

    number: int
    name: str
    body: Body
    blocked: Blocked | None = None
    scratch: list[Scratch] = field(default_factory=list[Scratch])

    @property
    def can_go_on(self) -> bool:
        """Whether the role need not wait any more."""
        return self.blocked is None or self.blocked.can_go_on()

    def resume(self, run: TileBlock) -> Event | Jump:
        """Runs the role up to its next event; the last is the jump that ended it."""
        run.role, outer = self.number, run.scratch
        run.scratch = self.scratch
        try:
            event = next(self.body)
        except StopIteration as end:
            run.free(0)
            return end.value
        finally:
            run.role, run.scratch = 0, outer
        self.blocked = event if isinstance(event, Blocked) else None
        return event


@RULES.register("tileas.done")
def done(run: TileBlock, op: Op) -> Jump:
    """Ends a role."""
    return Jump(op.name, ())


@RULES.register("tileas.roles")
def roles(run: TileBlock, op: Op) -> Generator[Event, None, None]:
    """Runs all regions to their ends."""
    names = op.attributes["names"]
    waiting = [
        Role(number, names[number - 1], run.run_block(op.block(number - 1), ()))
        for number in range(1, len(op.regions) + 1)
    ]
    while waiting:
        role = _next(run, waiting)
        event = role.resume(run)
        if isinstance(event, Jump):
            waiting.remove(role)
        elif not isinstance(event, Blocked):
            yield event


def _next(run: TileBlock, waiting: list[Role]) -> Role:
    """The role to resume, which goes to the end of the list."""
    ready = [role for role in waiting if role.can_go_on]
    if not ready:
        _fail(run, waiting)
    if run.launch.is_shuffled:
        return ready[int(run.launch.random.integers(len(ready)))]
    waiting.remove(ready[0])
    waiting.append(ready[0])
    return ready[0]


def _fail(run: TileBlock, waiting: list[Role]) -> NoReturn:
    stops = [(role.name, role.blocked) for role in waiting]
    places = "; ".join(
        f"role \"{name}\" at '{at.op.name}' ({at.op.location}): {at.why}"
        for name, at in stops
        if at is not None and at.op is not None
    )
    first = next(at.op for _, at in stops if at is not None and at.op is not None)
    run.fail(first, f"deadlock, no role can go on: {places}")
