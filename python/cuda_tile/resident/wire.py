# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the server listens, and what a call tells it.

Imported by every call of a command: this module may import only what Python's start has
loaded anyway, or what is written in C.
"""

from __future__ import annotations

import _socket  # socket imports enum and selectors, a fifth of a call
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VARIABLE = "CUDA_TILE_SERVER"
"""Environment variable that asks for the server: 1 or 0."""
IDLE_VARIABLE = "CUDA_TILE_SERVER_IDLE"
"""Environment variable with the seconds after which a server without calls ends."""
FORMAT = 1
"""Version of the messages; part of the key, so that both sides have the same."""
STOP, PING = "stop", "ping"
"""What may stand in the place of a command's module."""
N_STREAMS = 3
_LENGTH_BYTES = 8
_MOST_BYTES = 1 << 26
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folder() -> str | None:
    """The user's own folder for the socket, made if need be; None if there is none.

    It belongs to the user and nobody else may enter: whoever can write there could
    answer for the compiler.
    """
    uid = os.getuid()
    above = os.environ.get("XDG_RUNTIME_DIR")
    path = os.path.join(above, "cuda-tile") if above else f"/tmp/cuda-tile-{uid}"
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return None
    found = os.lstat(path)
    is_own = found.st_mode & 0o170777 == 0o040700 and found.st_uid == uid
    return path if is_own else None


def key() -> str:
    """What client and server must have in common, as 16 hexadecimal digits.

    The interpreter, the package, its place among mounts, and how names are encoded.
    Calls with other keys have servers of their own.
    """
    words = [
        FORMAT,
        sys.version,
        sys.executable,
        _PACKAGE,
        sys.getfilesystemencoding(),
        sys.getfilesystemencodeerrors(),
        *(os.readlink(f"/proc/self/ns/{kind}") for kind in ("mnt", "pid", "net")),
        os.readlink("/proc/self/root"),
        os.getuid(),
        os.getgid(),
        os.getgroups(),
    ]
    return f"{_digest(repr(words).encode()):016x}"


def _digest(data: bytes) -> int:
    """FNV-1a of 64 bits: keys meet no adversary, and hashlib takes milliseconds."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def peer(connection: _socket.socket) -> tuple[int, int]:
    """The process at the other end and its user (unix(7), "struct ucred")."""
    raw = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    process, user = (int.from_bytes(raw[at : at + 4], sys.byteorder) for at in (0, 4))
    return process, user


def is_same_user(connection: _socket.socket) -> bool:
    """Whether the other end is a process of this user."""
    return peer(connection)[1] == os.getuid()


def connect(path: str) -> _socket.socket:
    """A connection to the server at a path.

    Raises:
        OSError: There is none.
    """
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(path)
    return connection


def send(connection: _socket.socket, message: Any, streams: list[int]) -> None:
    """Sends a call, and the files that it may use."""
    data = marshal.dumps(message)
    head = len(data).to_bytes(_LENGTH_BYTES, "little")
    files = b"".join(each.to_bytes(4, sys.byteorder) for each in streams)
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)
    connection.sendmsg([head], [rights])
    connection.sendall(data)


def receive(connection: _socket.socket) -> tuple[Any, list[int]]:
    """A call and the files that came with it.

    Raises:
        EOFError: The other end has gone, or sent what is none.
    """
    room = _socket.CMSG_LEN(4 * (N_STREAMS + 1))
    head, rights, *_ = connection.recvmsg(_LENGTH_BYTES, room)
    files = [
        int.from_bytes(data[place : place + 4], sys.byteorder)
        for *_, data in rights
        for place in range(0, len(data), 4)
    ]
    try:
        return _message(connection, head), files
    except (EOFError, OSError):
        for file in files:
            os.close(file)
        raise


def _message(connection: _socket.socket, head: bytes) -> dict[str, Any]:
    """The rest of a call, whose length has come.

    Raises:
        EOFError: The other end has gone, or sent what is none.
    """
    length = int.from_bytes(head, "little")
    if len(head) < _LENGTH_BYTES or length > _MOST_BYTES:
        raise EOFError
    data = bytearray()
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    try:
        found: Any = marshal.loads(bytes(data))
        is_call = "module" in found
    except (TypeError, ValueError):
        raise EOFError from None
    if not is_call:
        raise EOFError
    return found
