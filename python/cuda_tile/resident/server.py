# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.resident.server PATH`: serves calls of commands at a socket.

The server itself compiles nothing after its start. It forks a process for each call,
which takes over the caller's files, folder, environment and limits, and runs the
command. So calls share no state, and run side by side.

The callers are the programs of `client/`, and `client/client.h` says what a call and an
answer look like.
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
import struct
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, NoReturn, TextIO, cast

from cuda_tile.errors import UserError

IDLE_SECONDS = 300.0
IDLE_VARIABLE = "CUDA_TILE_SERVER_IDLE"
"""Environment variable with the seconds after which a server without calls ends."""
STOP, PING = "stop", "ping"
"""What may stand in the place of a command's module."""
N_STDERR = 2
N_STREAMS = 3
_LENGTH = struct.Struct("=Q")
_MOST_BYTES = 1 << 26
_GRACE_SECONDS = 2.0
"""For a command whose caller has gone, to remove its temporary files."""
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


class Call(NamedTuple):
    """A call, in the order of its words.

    Attributes:
        module: That of the command.
        mask: Of new files.
        priority: As `nice` has it.
        processors: Numbers of those that it may use.
        limits: Number, soft and hard value of each.
        words: The command line.
        environment: NAME=VALUE.
    """

    module: str
    mask: int
    priority: int
    processors: list[int]
    limits: list[int]
    words: list[bytes]
    environment: list[bytes]


def read_call(text: bytes) -> Call:
    """What a text says.

    Raises:
        ValueError: It is no call.
    """
    if not text.endswith(b"\0"):
        raise ValueError
    first, *others = text[:-1].split(b"\0")
    module = first.decode()
    if module in (STOP, PING):
        return Call(module, 0, 0, [], [], [], [])
    mask, priority, processors, limits, count, *rest = others
    n_words = int(count)
    return Call(
        module,
        int(mask),
        int(priority),
        [int(each) for each in processors.split()],
        [int(each) for each in limits.split()],
        rest[:n_words],
        rest[n_words:],
    )


def receive(connection: socket.socket) -> tuple[Call, list[int]]:
    """A call and the files that came with it.

    Raises:
        EOFError: The other end has gone.
        ValueError: It has sent what is no call.
    """
    head, files, *_ = socket.recv_fds(connection, _LENGTH.size, N_STREAMS + 1)
    try:
        length = int.from_bytes(head, sys.byteorder)
        if len(head) < _LENGTH.size or length > _MOST_BYTES:
            raise ValueError
        text = bytearray()
        while len(text) < length:
            part = connection.recv(length - len(text))
            if not part:
                raise EOFError
            text += part
        return read_call(bytes(text)), files
    except (EOFError, OSError, ValueError):
        for file in files:
            os.close(file)
        raise


def is_same_user(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user (unix(7), "struct ucred")."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("=iII", raw)[1] == os.getuid()


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
            if not is_same_user(connection) or not self._stamp.is_current():
                connection.close()
                if not self._stamp.is_current():
                    self._close()
                return
            call, files = receive(connection)
        except (EOFError, OSError, ValueError):
            connection.close()
            return
        connection.settimeout(None)
        if call.module in COMMANDS and len(files) == N_STREAMS + 1:
            self._fork(connection, call, files)
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

    def _fork(self, connection: socket.socket, call: Call, files: list[int]) -> None:
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
            code = run_command(call, files)
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


def run_command(call: Call, files: list[int]) -> int:
    """Runs a command in this process as if the caller had started it.

    Args:
        call: What the caller says of itself.
        files: Its streams and folder.

    Returns:
        The exit code.
    """
    os.setsid()
    for number, file in enumerate(files[:N_STREAMS]):
        os.dup2(file, number)
    os.fchdir(files[N_STREAMS])
    for file in files:
        os.close(file)
    _take_over(call)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        code = import_module(call.module).main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    return code


def _take_over(call: Call) -> None:
    """Environment, words, masks and limits of the caller."""
    variables = (each.partition(b"=") for each in call.environment)
    os.environb.clear()
    os.environb.update({name: value for name, _, value in variables if name})
    sys.argv = [os.fsdecode(word) for word in call.words]
    os.umask(call.mask)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        setattr(sys, name, _stream(number, getattr(sys, name)))
    with suppress(OSError):
        os.sched_setaffinity(0, call.processors)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, call.priority)
    for number, soft, hard in zip(*[iter(call.limits)] * 3, strict=True):
        with suppress(OSError, ValueError):
            resource.setrlimit(number, (soft, hard))


def _stream(number: int, own: TextIO) -> TextIO:
    """A standard stream as Python makes it at its start.

    Args:
        number: Of the file.
        own: The server's, of the form that the caller's environment asks for: a caller
            with another one has another server.
    """
    is_direct = getattr(own, "write_through", False)
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    if number == 0:
        return io.TextIOWrapper(io.BufferedReader(raw), own.encoding, own.errors)
    is_by_line = not is_direct and (number == N_STDERR or raw.isatty())
    return io.TextIOWrapper(
        cast("BinaryIO", raw) if is_direct else io.BufferedWriter(raw),
        own.encoding,
        own.errors,
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
    idle = float(os.environ.get(IDLE_VARIABLE) or IDLE_SECONDS)
    try:
        Server(listener, idle).serve()
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
