# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands' entry points: a call of the server where it is asked for.

Without a server, or where it cannot stand in for a process of its own, the command runs
here, with the same bytes, messages and exit code.
"""

from __future__ import annotations

import _socket
import os
import sys
from importlib import import_module

from cuda_tile.resident import wire

_OWN_FILES = ("/dev/fd/", "/proc/self/", "/proc/thread-self/")
"""Names of files of the process itself, which the server's is not."""


def assembler() -> int:
    """`cuda-tile-as`."""
    return _run("cuda_tile.cli.assembler")


def compiler() -> int:
    """`cuda-tile-compile`."""
    return _run("cuda_tile.cli.compile")


def _run(module: str) -> int:
    asked = os.environ.get(wire.VARIABLE, "0")
    if asked not in ("0", "1", ""):
        expected = f"expected {wire.VARIABLE} of 0 or 1, got '{asked}'"
        print(f"error: {expected}", file=sys.stderr)
        return 1
    code = call(module) if asked == "1" and _can_be_served() else None
    return import_module(module).main() if code is None else code


def _can_be_served() -> bool:
    """Whether the command reads nothing that only this process has."""
    is_open = all(each is not None for each in (sys.stdin, sys.stdout, sys.stderr))
    names_own = any(own in word for word in sys.argv for own in _OWN_FILES)
    return is_open and not names_own and not ("-" in sys.argv and os.isatty(0))


def call(module: str) -> int | None:
    """Has the server run a command as this process would; gives the exit code.

    None where there is no server, or it ended: then one is started for the calls that
    follow.
    """
    folder = wire.folder()
    if folder is None:
        return None
    path = os.path.join(folder, wire.key())
    try:
        connection = wire.connect(path)
    except OSError:
        start(path)
        return None
    try:
        code = _answer(connection, module)
    finally:
        connection.close()
    if code is None:
        start(path)
    return code


def _answer(connection: _socket.socket, module: str) -> int | None:
    """What the server answers; None where it ends before it has run the command."""
    if not wire.is_same_user(connection):
        return None
    try:
        here = os.open(".", os.O_PATH | os.O_DIRECTORY)
        streams = [*range(wire.N_STREAMS), here]
        wire.send(connection, _message(module), streams)
        os.close(here)
        said = connection.recv(4)
    except KeyboardInterrupt:
        return 130
    except OSError:
        return None
    if len(said) < 4:
        return None
    code = int.from_bytes(said, "little", signed=True)
    if code < 0:  # the command's process was ended by a signal: so is this one
        import signal

        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _message(module: str) -> dict[str, object]:
    """All that a process has from its parent."""
    import resource

    limits = [getattr(resource, n) for n in dir(resource) if n.startswith("RLIMIT_")]
    mask = os.umask(0o077)
    os.umask(mask)
    return {
        "module": module,
        "argv": [os.fsencode(word) for word in sys.argv],
        "environ": dict(os.environb),
        "umask": mask,
        "limits": {number: resource.getrlimit(number) for number in limits},
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "cpus": list(os.sched_getaffinity(0)),
        "forms": [
            (stream.encoding, stream.errors, getattr(stream, "write_through", False))
            for stream in (sys.stdin, sys.stdout, sys.stderr)
        ],
    }


def start(path: str) -> None:
    """Starts a server at a path, unless one is on its way."""
    import fcntl
    import subprocess

    try:
        lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)
    except OSError:
        return  # a server holds it from its first moment
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.Popen(
        [sys.executable, "-m", "cuda_tile.resident.server", path],
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
