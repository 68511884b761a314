# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages between the judge and the candidate's process: JSON and arrays' bytes.

Nothing in a message is code (no pickle): what comes from the candidate is only data,
and each size is checked before it is used.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.elements import Array

_HEAD = struct.Struct("<QQ")
MOST_BYTES = 1 << 30
"""Of one message."""


class WireError(UserError):
    """A message is none, or the other side has gone."""


class Wire:
    """One end of the connection.

    Args:
        end: A connected stream socket.
        process: The process at the other end, whose time counts; None for any.
    """

    def __init__(self, end: socket.socket, process: int | None = None) -> None:
        self._end = end
        self._process = process

    def now(self) -> float:
        """Seconds that pass for the process at the other end.

        Not those in which it could run but other processes had the processor.
        """
        return time.monotonic() - _delayed(self._process)

    def send(self, facts: dict[str, Any], arrays: Sequence[Array] = ()) -> None:
        """Sends facts, and the contents of arrays in C order."""
        blobs = [np.ascontiguousarray(np.asarray(array)) for array in arrays]
        heads = [
            [array.dtype.name, list(np.shape(given))]
            for array, given in zip(blobs, arrays, strict=True)
        ]
        text = json.dumps({**facts, "arrays": heads}).encode()
        raw = b"".join(array.tobytes() for array in blobs)
        try:
            self._end.sendall(_HEAD.pack(len(text), len(raw)) + text + raw)
        except OSError as error:
            raise WireError(f"the candidate's process has ended: {error}") from None

    def receive(
        self, deadline: float | None = None
    ) -> tuple[dict[str, Any], list[Array]]:
        """The next message.

        Args:
            deadline: Of `now`; None to wait for ever.

        Raises:
            WireError: It is malformed, or the connection has ended.
            TimeoutError: None came in time.
        """
        text, raw = _HEAD.unpack(self._read(_HEAD.size, deadline))
        if text > MOST_BYTES or raw > MOST_BYTES:
            raise WireError(f"expected at most {MOST_BYTES} bytes, got {text + raw}")
        try:
            facts: dict[str, Any] = json.loads(self._read(text, deadline))
            return facts, _arrays(facts.pop("arrays"), self._read(raw, deadline))
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            RecursionError,
        ) as error:
            raise WireError(f"expected a message, got {error!r}") from None

    def _read(self, count: int, deadline: float | None) -> bytes:
        parts: list[bytes] = []
        while count:
            left = None if deadline is None else deadline - self.now()
            if left is not None and left <= 0:
                raise TimeoutError
            self._end.settimeout(left)
            try:
                part = self._end.recv(min(count, 1 << 20))
            except TimeoutError:
                continue
            except ConnectionError:
                part = b""
            if not part:
                raise WireError("the candidate's process has ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def _delayed(process: int | None) -> float:
    """Seconds that a process has waited for a processor, 0 where nobody counts.

    Source: the kernel's Documentation/scheduler/sched-stats, /proc/PID/schedstat.
    """
    try:
        text = Path(f"/proc/{process}/schedstat").read_text()
    except OSError:
        return 0.0
    return int(text.split()[1]) / 1e9


def find_dtype(name: str) -> np.dtype[Any]:
    """The element type of a name: NumPy's numbers and those of `ml_dtypes`."""
    found = np.dtype(getattr(ml_dtypes, name, name))
    if found.hasobject or found.kind not in "biufcV":
        raise ValueError(f"no element type: {name}")
    return found


def _arrays(heads: Any, raw: bytes) -> list[Array]:
    found: list[Array] = []
    offset = 0
    for name, shape in heads:
        dtype, extents = find_dtype(str(name)), tuple(int(extent) for extent in shape)
        if any(extent < 0 for extent in extents):
            raise ValueError(f"no shape: {extents}")
        size = prod(extents) * dtype.itemsize
        part = raw[offset : offset + size]
        found.append(np.frombuffer(part, dtype).reshape(extents).copy())
        offset += size
    return found
