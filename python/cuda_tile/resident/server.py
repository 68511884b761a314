# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.resident.server PATH`: serves calls of commands at a socket.

The server itself compiles nothing after its start. It forks a process for each call,
which takes over the caller's files, folder, environment and limits, and runs the
command. So calls share no state, and run side by side.
"""

from __future__ import annotations

import fcntl
import gc
import io
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO, NoReturn, TextIO, cast

from cuda_tile.resident import wire

IDLE_SECONDS = 300.0
N_STDERR = 2
_GRACE_SECONDS = 2.0
"""For a command whose caller has gone, to remove its temporary files."""
COMMANDS = ("cuda_tile.cli.assembler", "cuda_tile.cli.compile")
_KERNEL = """
cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {
  %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %u = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  return } }
"""


def prepare() -> None:
    """Loads what commands need, and has LLVM set up what it makes once."""
    import cuda_tile
    from cuda_tile.cli.plain_dialects import use_plain_dialects
    from cuda_tile.emit.families import RULES as EMIT
    from cuda_tile.place.families import RULES as PLACE

    use_plain_dialects()
    for module in COMMANDS:
        import_module(module)
    for table in (EMIT, PLACE):
        len(table)  # imports the modules of all rules
    cuda_tile.compile(cuda_tile.load(_KERNEL.encode()), "sm_90", cubin=False)
    gc.collect()
    gc.freeze()


class Stamp:
    """The files that the server was made of, to notice that they are others now."""

    def __init__(self) -> None:
        from cuda_tile.codegen.build_id import code_files

        self._paths = [sys.executable, *map(str, code_files())]
        self._seen = self._now()

    def is_current(self) -> bool:
        """Whether all are as they were."""
        return self._now() == self._seen

    def _now(self) -> list[tuple[int, int]] | None:
        try:
            found = [os.stat(path) for path in self._paths]
        except OSError:
            return None
        return [(each.st_mtime_ns, each.st_size) for each in found]


class Server:
    """Listens, forks, and tells callers of commands that were ended by a signal."""

    def __init__(self, listener: socket.socket, idle_seconds: float) -> None:
        self._listener = listener
        self._idle_seconds = idle_seconds
        self._calls: dict[int, socket.socket] = {}
        self._doomed: dict[int, float] = {}
        self._stamp = Stamp()
        self._is_open = True
        self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, _note)
        signal.set_wakeup_fd(self._wakeup[1])

    def serve(self) -> None:
        """Until nobody has called for a while, or the package is another."""
        while self._is_open or self._calls:
            timeout = self._idle_seconds if not self._calls else None
            if self._doomed:
                timeout = _GRACE_SECONDS
            sources: list[Any] = [self._wakeup[0], *self._calls.values()]
            ready = select.select(
                [*sources, *([self._listener] if self._is_open else [])],
                [],
                [],
                timeout,
            )[0]
            if not ready and not self._calls:
                return
            self._reap()
            self._end_abandoned(ready)
            if self._is_open and self._listener in ready:
                self._accept()

    def _accept(self) -> None:
        connection = self._listener.accept()[0]
        connection.settimeout(_GRACE_SECONDS)
        try:
            if not wire.is_same_user(connection) or not self._stamp.is_current():
                connection.close()
                if not self._stamp.is_current():
                    self._close()
                return
            message, files = wire.receive(connection)
        except (EOFError, OSError, ValueError):
            connection.close()
            return
        connection.settimeout(None)
        if message["module"] in COMMANDS and len(files) == wire.N_STREAMS + 1:
            self._fork(connection, message, files)
        else:
            self._control(connection, message["module"])
        for file in files:
            os.close(file)

    def _control(self, connection: socket.socket, word: str) -> None:
        """Answers what is no command."""
        if word == wire.STOP:
            self._close()
        if word in (wire.STOP, wire.PING):
            connection.sendall((0).to_bytes(4, "little"))
        connection.close()

    def _close(self) -> None:
        """Takes no more calls: who calls from now on runs the command itself."""
        self._is_open = False
        with suppress(FileNotFoundError):
            os.unlink(self._listener.getsockname())
        self._listener.close()

    def _fork(
        self, connection: socket.socket, message: dict[str, Any], files: list[int]
    ) -> None:
        child = os.fork()
        if child:
            self._calls[child] = connection
            return
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._listener.close()
            for other in self._calls.values():
                other.close()
            code = run_command(message, files)
            connection.sendall(code.to_bytes(4, "little", signed=True))
        except BaseException:
            # The caller runs the command itself, and says what is wrong.
            if os.environ.get("CUDA_TILE_TRACEBACK"):
                traceback.print_exc()
        finally:
            os._exit(code)

    def _reap(self) -> None:
        """Notes processes that have ended; one that could not say how is spoken for."""
        with suppress(BlockingIOError):
            os.read(self._wakeup[0], 4096)
        for child in list(self._calls):
            ended, status = os.waitpid(child, os.WNOHANG)
            if not ended:
                continue
            self._doomed.pop(child, None)
            with self._calls.pop(child) as connection, suppress(OSError):
                if os.WIFSIGNALED(status):
                    code = -os.WTERMSIG(status)
                    connection.sendall(code.to_bytes(4, "little", signed=True))

    def _end_abandoned(self, ready: list[Any]) -> None:
        """Ends commands whose callers have gone: as Ctrl-C does, then for good."""
        now = time.monotonic()
        for child, connection in self._calls.items():
            if connection in ready and child not in self._doomed:
                self._doomed[child] = now + _GRACE_SECONDS
                _signal_group(child, signal.SIGINT)
            if now >= self._doomed.get(child, now + 1):
                _signal_group(child, signal.SIGKILL)


def _note(*_: object) -> None:
    """The wakeup file says that something has come."""


def _end(*_: object) -> NoReturn:
    sys.exit(0)


def _signal_group(leader: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def run_command(message: dict[str, Any], files: list[int]) -> int:
    """Runs a command in this process as if the caller had started it.

    Args:
        message: What `client` says of the caller.
        files: Its streams and folder.

    Returns:
        The exit code.
    """
    os.setsid()
    for number, file in enumerate(files[: wire.N_STREAMS]):
        os.dup2(file, number)
    os.fchdir(files[wire.N_STREAMS])
    for file in files:
        os.close(file)
    _take_over(message)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        code = import_module(message["module"]).main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    return code


def _take_over(message: dict[str, Any]) -> None:
    """Environment, words, masks and limits of the caller."""
    os.environb.clear()
    os.environb.update(message["environ"])
    sys.argv = [os.fsdecode(word) for word in message["argv"]]
    os.umask(message["umask"])
    names = ("stdin", "stdout", "stderr")
    for number, (name, form) in enumerate(zip(names, message["forms"], strict=True)):
        setattr(sys, name, _stream(number, *form))
    with suppress(OSError):
        os.sched_setaffinity(0, message["cpus"])
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, message["nice"])
    for number, (soft, hard) in message["limits"].items():
        with suppress(OSError, ValueError):
            resource.setrlimit(number, (soft, hard))


def _stream(number: int, encoding: str, errors: str, is_direct: bool) -> TextIO:
    """A standard stream as Python makes it at its start."""
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    if number == 0:
        return io.TextIOWrapper(io.BufferedReader(raw), encoding, errors)
    is_by_line = not is_direct and (number == N_STDERR or raw.isatty())
    return io.TextIOWrapper(
        cast("BinaryIO", raw) if is_direct else io.BufferedWriter(raw),
        encoding,
        errors,
        newline="\n",
        line_buffering=is_by_line,
        write_through=is_direct,
    )


def listen(path: str) -> socket.socket | None:
    """A socket at a path, for this process alone; None if another server has it."""
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    prepare()
    with suppress(FileNotFoundError):
        os.unlink(path)  # of a server that was killed
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.umask(0o077)
    listener.bind(path)
    listener.listen(128)
    return listener


def main(path: str) -> int:
    """Serves at a path until it is idle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    listener = listen(path)
    if listener is None:
        return 0
    idle = float(os.environ.get(wire.IDLE_VARIABLE) or IDLE_SECONDS)
    try:
        Server(listener, idle).serve()
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
