# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that run the calls of a server.

A process that the server forks copies each page of memory that it writes to, which is
a third of the time of a small kernel. So one that has ended a call of `KEPT` well waits
for the next: of the same surroundings, for what a process has cached of its environment
holds in these, and limits cannot be raised again. Each other end of a call, such as an
error, ends the process.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from cuda_tile.resident.calls import (
    LENGTH,
    N_FILES,
    N_STREAMS,
    Call,
    receive,
    run_command,
)

KEPT = "cuda_tile.cli.assembler"
"""The command that producers call once per kernel."""
MOST_CALLS = 200
"""Of one process, for memory that a library may lose."""
MOST_WAITING = min(os.cpu_count() or 1, 8)
"""Processes that wait for a call: each has some tens of megabytes of its own."""
_MOST_KIBIBYTES = 1 << 20
_GRACE_SECONDS = 2.0
"""For a command whose caller has gone, to remove its temporary files."""
_READY = b"\0"


@dataclass
class Worker:
    """A process that runs calls, one after the other.

    Attributes:
        channel: Where it says that it is ready, and gets the next call; closed for one
            that shall end.
        call: The newest one.
        caller: Who waits for that; None while the process waits.
        doomed: When it is killed, in seconds of `time.monotonic`, for its caller has
            gone; 0 for never.
    """

    channel: socket.socket
    call: Call
    caller: socket.socket | None
    doomed: float = 0

    def fits(self, call: Call) -> bool:
        """Whether it waits for such a call."""
        return (
            self.caller is None
            and self.channel.fileno() >= 0
            and call.module == KEPT
            and call.surroundings == self.call.surroundings
        )

    def take(self, call: Call, caller: socket.socket, files: list[int]) -> bool:
        """Hands it a call; False if it has ended meanwhile."""
        try:
            head = LENGTH.pack(len(call.text))
            socket.send_fds(self.channel, [head], [*files, caller.fileno()])
            self.channel.sendall(call.text)
        except OSError:
            return False
        self.call, self.caller = call, caller
        return True

    def note_ready(self) -> None:
        """Lets the caller go if the process says that its call has ended."""
        if self.caller is None:
            return
        with suppress(OSError):
            if self.channel.recv(1, socket.MSG_DONTWAIT) == _READY:
                self.caller.close()
                self.caller, self.doomed = None, 0


class Workers:
    """The processes of a server.

    Args:
        listener: What they do not need of the server.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._workers: dict[int, Worker] = {}

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits."""
        return any(each.caller for each in self._workers.values())

    @property
    def timeout(self) -> float | None:
        """Seconds after which to look after them at the latest."""
        is_ending = any(each.doomed for each in self._workers.values())
        return _GRACE_SECONDS if is_ending else None

    @property
    def sources(self) -> list[socket.socket]:
        """What may become readable: channels, and connections of callers that go."""
        busy = [each for each in self._workers.values() if each.caller]
        return [each.channel for each in busy] + [
            each.caller for each in busy if each.caller
        ]

    def run(self, call: Call, caller: socket.socket, files: list[int]) -> None:
        """Has a process run a call."""
        for worker in self._workers.values():
            if worker.fits(call) and worker.take(call, caller, files):
                return
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child:
            theirs.close()
            self._workers[child] = Worker(ours, call, caller)
            return
        try:
            ours.close()
            self._leave_server()
            _work(theirs, call, caller, files)
        except BaseException:
            # The caller runs the command itself, and says what is wrong.
            if os.environ.get("CUDA_TILE_TRACEBACK"):
                traceback.print_exc()
        finally:
            os._exit(0)

    def _leave_server(self) -> None:
        """Makes a process that was forked one of its own."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        self._listener.close()
        for other in self._workers.values():
            other.channel.close()
            if other.caller:
                other.caller.close()

    def look_after(self, readable: Iterable[Any]) -> None:
        """Notes who is ready or has ended, and ends those whose callers have gone.

        Args:
            readable: Of the sources.
        """
        for worker in self._workers.values():
            worker.note_ready()
        self._reap()
        self._end_abandoned(readable)
        waiting = [w for w in self._workers.values() if w.fits(w.call)]
        for worker in waiting[MOST_WAITING:]:
            worker.channel.close()

    def dismiss(self) -> None:
        """Ends those that wait; the others when they are ready."""
        for worker in self._workers.values():
            if worker.caller is None:
                worker.channel.close()

    def _reap(self) -> None:
        """Notes processes that have ended; one that could not say how is spoken for."""
        for child in list(self._workers):
            ended, status = os.waitpid(child, os.WNOHANG)
            if not ended:
                continue
            worker = self._workers.pop(child)
            worker.channel.close()
            if worker.caller is None:
                continue
            with worker.caller as caller, suppress(OSError):
                if os.WIFSIGNALED(status):
                    code = -os.WTERMSIG(status)
                    caller.sendall(code.to_bytes(4, "little", signed=True))

    def _end_abandoned(self, readable: Iterable[Any]) -> None:
        """Ends commands whose callers have gone: as Ctrl-C does, then for good."""
        now = time.monotonic()
        for child, worker in self._workers.items():
            if worker.caller in readable and not worker.doomed:
                worker.doomed = now + _GRACE_SECONDS
                _signal_group(child, signal.SIGINT)
            if worker.doomed and now >= worker.doomed:
                _signal_group(child, signal.SIGKILL)


def _signal_group(leader: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def _work(
    channel: socket.socket, call: Call, caller: socket.socket, files: list[int]
) -> NoReturn:
    """Runs a call, and those that come behind it.

    The server is told before the caller, who may call again at once.

    Raises:
        Exception: There is none, or the command could not be run.
    """
    for number in range(1, MOST_CALLS + 1):
        code = run_command(call, files)
        is_kept = not code and number < MOST_CALLS and _may_stay(call)
        if is_kept:
            _let_go()
            channel.sendall(_READY)
        caller.sendall(code.to_bytes(4, "little", signed=True))
        if not is_kept:
            break
        caller.close()
        call, (*files, end) = receive(channel, N_FILES + 1)
        caller = socket.socket(fileno=end)
    os._exit(0)


def _may_stay(call: Call) -> bool:
    """Whether a process that ran a call well can run others.

    Not where a limit counts what all calls take together.
    """
    summed = (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_DATA)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (
        call.module == KEPT
        and used < _MOST_KIBIBYTES
        and all(resource.getrlimit(r)[0] == resource.RLIM_INFINITY for r in summed)
    )


def _let_go() -> None:
    """Drops the caller's files and folder, whose end others may wait for."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(N_STREAMS):
        os.dup2(nothing, number)
    os.close(nothing)
    os.chdir("/")
