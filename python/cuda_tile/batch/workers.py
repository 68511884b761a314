# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that compile one kernel after the other, each within limits.

A process that takes too long or ends is replaced, and only its kernel is lost.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import BinaryIO

from cuda_tile.batch.job import Answer, Job, Refusal, perform

STARTUP_SECONDS = 120.0
"""How long a process may take until it can compile, on a machine that is busy."""


@dataclass(frozen=True)
class Limits:
    """What one kernel may use.

    Attributes:
        seconds: Wall time.
        memory_bytes: Memory of the process, and of ptxas, which it starts.
    """

    seconds: float = 300.0
    memory_bytes: int = 8 << 30


@dataclass
class Worker:
    """A process and what it works on."""

    limits: Limits
    job: Job | None = None
    started: float = 0.0
    is_ready: bool = False
    process: subprocess.Popen[bytes] = field(init=False)
    connection: Connection = field(init=False)
    said: BinaryIO = field(init=False)

    def __post_init__(self) -> None:
        # Not fork: the caller may have threads, and LLVM's locks in any state. Nor
        # multiprocessing's spawn, which runs the caller's script again.
        ours, theirs = socket.socketpair()
        self.said = os.fdopen(os.memfd_create("stderr"), "rb")
        words = [str(theirs.fileno()), str(self.limits.memory_bytes)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, *words],
            stdin=subprocess.DEVNULL,
            stderr=self.said,
            pass_fds=(theirs.fileno(),),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,  # so that ptxas can be killed with it
        )
        theirs.close()
        self.connection = Connection(ours.detach())

    def give(self, job: Job) -> None:
        """Starts a job."""
        self.job, self.started = job, time.monotonic()
        with suppress(OSError):  # it has ended: take() tells
            self.connection.send(job)

    @property
    def seconds_left(self) -> float:
        """Until the limit of time; negative behind it."""
        limit = self.limits.seconds
        if not self.is_ready:  # the time of imports is no kernel's
            limit += STARTUP_SECONDS
        return self.started + limit - time.monotonic()

    def take(self) -> Answer | None:
        """The answer to the job, where there is something to read.

        None where the process only says that it has started.
        """
        try:
            answer: Answer | None = self.connection.recv()
        except (EOFError, OSError):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)  # for its own exit code
            words = self.words
            self.end()
            how = _how_it_ended(self.process, self.limits, words)
            answer = Refusal("failed", how)
        if answer is None:
            self.is_ready, self.started = True, time.monotonic()
        else:
            self.job = None
        return answer

    @property
    def words(self) -> str:
        """What the process wrote to stderr."""
        size = os.fstat(self.said.fileno()).st_size
        return os.pread(self.said.fileno(), size, 0).decode(errors="replace")

    def end(self) -> None:
        """Kills the process and what it started, such as ptxas."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if not self.said.closed:
            sys.stderr.write(self.words)
            self.said.close()
        self.connection.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can take another job."""
        return not self.connection.closed and self.process.poll() is None


_OUT_OF_MEMORY = re.compile(
    r"out of memory|bad_alloc|MemoryError|cannot allocate", re.I
)


def _how_it_ended(process: subprocess.Popen[bytes], limits: Limits, words: str) -> str:
    """Why a process is gone: it says so itself where memory was short."""
    code = process.returncode
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    said = f"the compiler's process ended with {how}"
    if code == -signal.SIGKILL:
        return f"{said}: somebody killed it, perhaps the system for want of memory"
    if _OUT_OF_MEMORY.search(words):
        gigabytes = limits.memory_bytes / (1 << 30)
        return f"{said}; its limit of memory was {gigabytes:g} GiB (--memory-limit)"
    last = words.strip().splitlines()[-1:] or ["it said nothing"]
    return f"{said}, which is a bug of the compiler: {last[0]}"


def _end_with(parent: int) -> None:
    """Ends this process and its ptxas once the process that started it is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def serve(connection: Connection, memory_bytes: int) -> None:
    """What a worker does until its connection ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(EOFError, OSError):
        connection.send(None)  # imports are done
        while True:
            connection.send(perform(connection.recv()))


def run_jobs(
    jobs: Sequence[Job], count: int, limits: Limits
) -> Iterator[tuple[Job, Answer, float]]:
    """Does each job once; yields it with its answer and seconds as it ends."""
    # The largest first, so that no worker begins one when the others have ended.
    waiting = sorted(reversed(jobs), key=lambda job: len(job.data))
    workers: list[Worker] = []
    try:
        while waiting or any(worker.job for worker in workers):
            _give_out(waiting, workers, count, limits)
            yield from _collect(workers)
    finally:
        for worker in workers:
            worker.end()


def run_on(workers: list[Worker], job: Job, limits: Limits) -> tuple[Answer, float]:
    """Does one job on the worker of a list, which gets one where it has none."""
    waiting = [job]
    while True:
        _give_out(waiting, workers, 1, limits)
        for _, answer, seconds in _collect(workers):
            return answer, seconds


def _give_out(
    waiting: list[Job], workers: list[Worker], count: int, limits: Limits
) -> None:
    workers[:] = [worker for worker in workers if worker.job or worker.is_alive]
    while waiting and len(workers) < count:
        workers.append(Worker(limits))
        workers[-1].give(waiting.pop())
    for worker in workers:
        if waiting and worker.job is None:
            worker.give(waiting.pop())


def _collect(workers: list[Worker]) -> Iterator[tuple[Job, Answer, float]]:
    """Waits until something happens; gives what has ended."""
    busy = {worker.connection: worker for worker in workers if worker.job}
    left = min(worker.seconds_left for worker in busy.values())
    # A closed connection is readable too: a process that ended is noticed at once.
    ready = wait(list(busy), timeout=max(0.0, left))
    for connection, worker in busy.items():
        job, started = worker.job, worker.started
        assert job is not None, "only busy workers are waited for"
        if connection in ready:
            answer = worker.take()
            if answer is None:
                continue
            started = worker.started
        elif worker.seconds_left <= 0:
            worker.end()
            worker.job = None
            answer = Refusal(
                "time",
                f"took longer than {worker.limits.seconds:g} seconds (--time-limit)",
            )
        else:
            continue
        yield job, answer, time.monotonic() - started


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
