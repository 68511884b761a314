# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks one after another in child processes: one that dies or hangs takes no other."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, Generic, TypeVar, cast

Result = TypeVar("Result")
TASK_SECONDS = 120
"""Wall time after which a task counts as one that hangs."""


@dataclass(frozen=True)
class Death:
    """What became of a task that gave no result: `died (-11)`, `hung`."""

    how: str


@dataclass
class _Child(Generic[Result]):
    """A process and its end of a pipe.

    Attributes:
        process: The process.
        pipe: Takes numbers of tasks, and gives results.
        number: The task that it has.
        since: When it got that.
    """

    process: ForkProcess
    pipe: Connection[Any, Any]
    number: int = -1
    since: float = 0.0

    @classmethod
    def start(cls, task: Callable[[int], Result]) -> _Child[Result]:
        """A new process that waits for tasks."""
        context = multiprocessing.get_context("fork")
        mine, its = cast(
            "tuple[Connection[Any, Any], Connection[Any, Any]]", context.Pipe()
        )
        process = context.Process(target=_serve, args=(task, its), daemon=True)
        process.start()
        its.close()
        return cls(process, mine)

    def give(self, number: int) -> None:
        """Starts a task."""
        self.number, self.since = number, time.monotonic()
        self.pipe.send(number)

    def result(self) -> Result | Death:
        """What came of the task, whose pipe has something to say."""
        try:
            return cast(Result, self.pipe.recv())
        except EOFError:
            self.process.join()
            return Death(f"died ({self.process.exitcode})")

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(task: Callable[[int], Any], pipe: Connection[Any, Any]) -> None:
    """Does tasks until the parent says that there are no more, or is gone."""
    try:
        while (number := pipe.recv()) is not None:
            pipe.send(task(number))
    except EOFError:
        os._exit(0)


def in_children(
    task: Callable[[int], Result],
    numbers: Sequence[int],
    jobs: int,
    seconds: float = TASK_SECONDS,
) -> Iterator[tuple[int, Result | Death]]:
    """The results of tasks, as they come.

    Args:
        task: Does one; must not raise.
        numbers: The tasks.
        jobs: Processes.
        seconds: Wall time after which a task is given up.
    """
    rest = list(reversed(numbers))
    busy: list[_Child[Result]] = []
    for _ in range(min(jobs, len(rest))):
        busy.append(_Child[Result].start(task))
        busy[-1].give(rest.pop())
    while busy:
        ready = wait([child.pipe for child in busy], timeout=1)
        for child in list(busy):
            is_hung = time.monotonic() - child.since > seconds
            if child.pipe not in ready and not is_hung:
                continue
            result = child.result() if child.pipe in ready else Death("hung")
            yield child.number, result
            busy.remove(child)
            busy += _following(child, task, rest, is_dead=isinstance(result, Death))


def _following(
    child: _Child[Result],
    task: Callable[[int], Result],
    rest: list[int],
    *,
    is_dead: bool,
) -> list[_Child[Result]]:
    """The child with its next task, or a new one in its place, or none."""
    if is_dead or not rest:
        child.stop()
    if not rest:
        return []
    following = _Child[Result].start(task) if is_dead else child
    following.give(rest.pop())
    return [following]
