# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of the Debug Adapter Protocol: a header with a length, then JSON.

Debug Adapter Protocol, "Base protocol".
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from cuda_tile.errors import UserError

MAX_BYTES = 1 << 26
"""Longest message that is read."""
MAX_HEADER_BYTES = 1 << 12
"""Longest line of a header."""


class Stream(Protocol):
    """A stream of bytes, of a file or a socket."""

    def readline(self, size: int = -1, /) -> bytes:
        """The next line, "" at the end."""
        ...

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes, fewer at the end."""
        ...

    def write(self, data: bytes, /) -> object:
        """Writes bytes."""
        ...

    def flush(self) -> None:
        """Sends what was written."""
        ...


@dataclass(frozen=True)
class Request:
    """What a client asks.

    Attributes:
        seq: Its number, by which the answer names it.
        command: What is asked.
        arguments: The request's arguments.
    """

    seq: int
    command: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Channel:
    """The two streams of a client; writing is safe from several threads.

    Attributes:
        source: Where messages come from.
        sink: Where they go.
    """

    source: Stream
    sink: Stream
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _seq: int = 0

    def read(self) -> dict[str, Any] | None:
        """The next message; None at the end of the stream.

        Raises:
            UserError: The stream does not follow the protocol.
        """
        length = None
        while line := self.source.readline(MAX_HEADER_BYTES):
            name, _, value = line.decode("ascii", "replace").partition(":")
            if name.strip().lower() == "content-length":
                length = _length(value)
            elif not line.strip() and length is not None:
                return _message(self.source.read(length), length)
            elif not line.strip():
                raise UserError("expected the header Content-Length, got none")
        return None

    def requests(self) -> Any:
        """The requests, up to the end of the stream."""
        while (message := self.read()) is not None:
            if message.get("type") == "request":
                yield _request(message)

    def send(self, message: dict[str, Any]) -> None:
        """Writes a message; one to a client that has gone is dropped."""
        with self._lock:
            self._seq += 1
            body = json.dumps({"seq": self._seq, **message}).encode()
            try:
                self.sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                self.sink.flush()
            except (OSError, ValueError):
                return

    def event(self, name: str, **body: Any) -> None:
        """Writes an event."""
        self.send({"type": "event", "event": name, "body": body})

    def answer(self, request: Request, body: dict[str, Any] | None = None) -> None:
        """Answers a request."""
        self._answer(request, success=True, body=body or {})

    def refuse(self, request: Request, why: str) -> None:
        """Answers a request that failed."""
        error = {"id": 1, "format": why, "showUser": True}
        self._answer(request, success=False, message=why, body={"error": error})

    def _answer(self, request: Request, **words: Any) -> None:
        self.send(
            {
                "type": "response",
                "request_seq": request.seq,
                "command": request.command,
                **words,
            }
        )


def _length(text: str) -> int:
    if not text.strip().isdigit() or int(text) > MAX_BYTES:
        raise UserError(
            f"expected a Content-Length of at most {MAX_BYTES}, got '{text.strip()}'"
        )
    return int(text)


def _message(data: bytes, length: int) -> dict[str, Any]:
    try:
        message = json.loads(data)
    except ValueError:
        message = None
    if len(data) < length or not isinstance(message, dict):
        raise UserError("expected a JSON object of the announced length")
    return cast(dict[str, Any], message)


def _request(message: dict[str, Any]) -> Request:
    arguments: object = message.get("arguments") or {}
    if not isinstance(arguments, dict):
        raise UserError("expected the arguments of a request to be an object")
    return Request(
        int(message.get("seq", 0)),
        str(message.get("command", "")),
        cast(dict[str, Any], arguments),
    )
