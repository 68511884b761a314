# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.resident.server PATH`: serves calls of commands at a socket.

The server itself compiles nothing after its start. It forks a process for a call, which
takes over the caller's files, folder, environment and limits, and runs the command; so
calls run side by side. A process that has ended a call of `cuda-tile-as` well waits for
another one of the same environment and limits (`workers.py`): a third of the time of a
small kernel is the copying of memory that a new process writes to.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from cuda_tile.errors import UserError
from cuda_tile.resident.calls import N_FILES, PING, STOP, receive
from cuda_tile.resident.workers import Workers

IDLE_SECONDS = 300.0
IDLE_VARIABLE = "CUDA_TILE_SERVER_IDLE"
"""Environment variable with the seconds after which a server without calls ends."""
_GRACE_SECONDS = 2.0
"""For a call to arrive."""
COMMANDS = ("cuda_tile.cli.assembler", "cuda_tile.cli.compile")
_KERNEL = """
cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {
  %i = iota : tile<128xi32>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %r : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %q = offset %b, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %x, %t = load_ptr_tko weak %q : tile<128xptr<f32>> -> tile<128xf32>, token
  %y = addf %x, %x rounding<nearest_even> : tile<128xf32>
  %u = store_ptr_tko weak %q, %y : tile<128xptr<f32>>, tile<128xf32> -> token
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
    with suppress(UserError):  # without ptxas each call says so itself
        cuda_tile.compile(cuda_tile.load(_KERNEL.encode()), "sm_90")
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


def is_same_user(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user (unix(7), "struct ucred")."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("=iII", raw)[1] == os.getuid()


class Server:
    """Listens, and has processes run what is called."""

    def __init__(self, listener: socket.socket, idle_seconds: float) -> None:
        self._listener = listener
        self._idle_seconds = idle_seconds
        self._workers = Workers(listener)
        self._stamp = Stamp()
        self._is_open = True
        self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, _note)
        signal.set_wakeup_fd(self._wakeup[1])

    def serve(self) -> None:
        """Until nobody has called for a while, or the package is another."""
        while self._is_open or self._workers.is_busy:
            is_busy = self._workers.is_busy
            timeout = self._workers.timeout or (None if is_busy else self._idle_seconds)
            sources: list[Any] = [self._wakeup[0], *self._workers.sources]
            if self._is_open:
                sources.append(self._listener)
            ready = select.select(sources, [], [], timeout)[0]
            if not ready and not is_busy:
                return
            with suppress(BlockingIOError):
                os.read(self._wakeup[0], 4096)
            self._workers.look_after(ready)
            if self._is_open and self._listener in ready:
                self._accept()

    def _accept(self) -> None:
        connection = self._listener.accept()[0]
        connection.settimeout(_GRACE_SECONDS)
        try:
            if not is_same_user(connection) or not self._stamp.is_current():
                connection.close()
                if not self._stamp.is_current():
                    self._close()
                return
            call, files = receive(connection, N_FILES)
        except (EOFError, OSError, ValueError):
            connection.close()
            return
        connection.settimeout(None)
        if call.module in COMMANDS and len(files) == N_FILES:
            self._workers.run(call, connection, files)
        else:
            self._control(connection, call.module)
        for file in files:
            os.close(file)

    def _control(self, connection: socket.socket, word: str) -> None:
        """Answers what is no command."""
        if word == STOP:
            self._close()
        if word in (STOP, PING):
            connection.sendall((0).to_bytes(4, "little"))
        connection.close()

    def _close(self) -> None:
        """Takes no more calls: who calls from now on runs the command itself."""
        self._is_open = False
        with suppress(FileNotFoundError):
            os.unlink(self._listener.getsockname())
        self._listener.close()
        self._workers.dismiss()


def _note(*_: object) -> None:
    """The wakeup file says that something has come."""


def _end(*_: object) -> NoReturn:
    sys.exit(0)


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
    idle = float(os.environ.get(IDLE_VARIABLE) or IDLE_SECONDS)
    try:
        Server(listener, idle).serve()
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
