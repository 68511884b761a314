# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks in child processes: one that dies or hangs takes no other.

`in_children` keeps some processes, which do one task after another; `forked` does one
thing in a process of its own, with limits.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, Generic, TypeVar, cast

Task = TypeVar("Task")
Result = TypeVar("Result")
TASK_SECONDS = 120
"""Wall time on an idle machine after which a task counts as one that hangs."""


@dataclass(frozen=True)
class Death:
    """What became of a task that gave no result: `died (-11)`, `hung`."""

    how: str


@dataclass
class _Child(Generic[Task, Result]):
    """A process and its end of a pipe.

    Attributes:
        process: The process.
        pipe: Takes tasks, and gives results.
        task: The task that it has.
        since: When it got that.
    """

    process: ForkProcess
    pipe: Connection[Any, Any]
    task: Task | None = None
    since: float = 0.0

    @classmethod
    def start(cls, do: Callable[[Task], Result]) -> _Child[Task, Result]:
        """A new process that waits for tasks."""
        context = multiprocessing.get_context("fork")
        mine, its = cast(
            "tuple[Connection[Any, Any], Connection[Any, Any]]", context.Pipe()
        )
        process = context.Process(target=_serve, args=(do, its), daemon=True)
        process.start()
        its.close()
        return cls(process, mine)

    def give(self, task: Task) -> None:
        """Starts a task."""
        self.task, self.since = task, time.monotonic()
        self.pipe.send(task)

    def result(self) -> Result | Death:
        """What came of the task, whose pipe has something to say."""
        try:
            return cast(Result, self.pipe.recv())
        except EOFError:
            self.process.join()
            return Death(f"died ({self.process.exitcode})")

    def stop(self) -> None:
        """Ends the process, and what it has started."""
        assert self.process.pid is not None, "`start` has started it"
        with suppress(ProcessLookupError):  # it has no group yet, or is gone
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(do: Callable[[Any], Any], pipe: Connection[Any, Any]) -> None:
    """Does tasks until the parent says that there are no more, or is gone."""
    os.setpgid(0, 0)  # so that all that it starts ends with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    try:
        while (task := pipe.recv()) is not None:
            pipe.send(do(task))
    except EOFError:
        os._exit(0)


def in_children(
    do: Callable[[Task], Result],
    tasks: Iterable[Task],
    jobs: int,
    seconds: float = TASK_SECONDS,
) -> Iterator[tuple[Task, Result | Death]]:
    """The results of tasks, as they come.

    Args:
        do: Does one; must not raise.
        tasks: What is to be done. An iterator that has none may have more later, while
            a process is busy.
        jobs: Processes.
        seconds: Wall time after which a task is given up, on an idle machine; as many
            times that as processes wait for each core.
    """
    rest = iter(tasks)
    busy: list[_Child[Task, Result]] = []
    try:
        while _fill(busy, do, rest, jobs):
            ready = wait([child.pipe for child in busy], timeout=1)
            for child in list(busy):
                is_hung = time.monotonic() - child.since > seconds * _waiting()
                if child.pipe not in ready and not is_hung:
                    continue
                result = child.result() if child.pipe in ready else Death("hung")
                task = cast("Task", child.task)
                yield task, result
                if isinstance(result, Death) or (following := next(rest, None)) is None:
                    busy.remove(child)
                    child.stop()
                else:
                    child.give(following)
    finally:
        for child in busy:
            child.stop()


def _waiting() -> float:
    """Processes for each core over the last minute, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _fill(
    busy: list[_Child[Task, Result]],
    do: Callable[[Task], Result],
    rest: Iterator[Task],
    jobs: int,
) -> bool:
    """Starts processes while there are tasks; whether any is busy then."""
    while len(busy) < jobs and (task := next(rest, None)) is not None:
        busy.append(_Child[Task, Result].start(do))
        busy[-1].give(task)
    return bool(busy)


def forked(do: Callable[[], Any], cpu_seconds: int, memory_bytes: int) -> Any | Death:
    """What a function gives in a process of its own, which may die of it.

    Args:
        do: Gives what JSON can say; must not raise.
        cpu_seconds: Its time, after which it is ended by SIGXCPU.
        memory_bytes: Its address space.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(do()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        is_slow = number in (signal.SIGXCPU, signal.SIGKILL)
        return Death("hung" if is_slow else f"died ({signal.Signals(number).name})")
    return json.loads(said) if said else Death(f"died (exit status {status >> 8})")
