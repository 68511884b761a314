# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the server: what comes over a socket, and a command that is run for one.

The callers are the programs of `client/`, and `client/client.h` says what a call and an
answer look like.
"""

from __future__ import annotations

import io
import os
import resource
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from typing import BinaryIO, NamedTuple, TextIO, cast

STOP, PING = "stop", "ping"
"""What may stand in the place of a command's module."""
N_STDERR = 2
N_STREAMS = 3
N_FILES = N_STREAMS + 1
"""Those of a caller: streams and working folder."""
LENGTH = struct.Struct("=Q")
_MOST_BYTES = 1 << 26


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
        text: All of that, as it came.
    """

    module: str
    mask: int
    priority: int
    processors: list[int]
    limits: list[int]
    words: list[bytes]
    environment: list[bytes]
    text: bytes

    @property
    def surroundings(self) -> tuple[object, ...]:
        """All but what to do."""
        return *self[1:5], self.environment


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
        return Call(module, 0, 0, [], [], [], [], text)
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
        text,
    )


def receive(connection: socket.socket, n_files: int) -> tuple[Call, list[int]]:
    """A call and the files that came with it, at most so many.

    Raises:
        EOFError: The other end has gone.
        ValueError: It has sent what is no call.
    """
    head, files, *_ = socket.recv_fds(connection, LENGTH.size, n_files)
    try:
        length = int.from_bytes(head, sys.byteorder)
        if len(head) < LENGTH.size or length > _MOST_BYTES:
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


def run_command(call: Call, files: list[int]) -> int:
    """Runs a command in this process as if the caller had started it.

    Args:
        call: What the caller says of itself.
        files: Its streams and folder.

    Returns:
        The exit code.
    """
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
