# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which launches are over for whom: the clocks of streams, events and the host.

Launches of the stand-ins run when they are asked for. On a GPU those of two streams run
in any order unless an event, a wait or the host orders them. This keeps account of it,
so that a judge can say which launches a result does not wait for.
"""

from __future__ import annotations

import threading
from typing import Any


class Clock:
    """How many launches of each stream are over for somebody."""

    def __init__(self) -> None:
        self.seen: dict[Clock, int] = {}

    def join(self, other: Clock) -> None:
        """Waits for all that is over for somebody else."""
        for stream, count in other.seen.items():
            self.seen[stream] = max(count, self.seen.get(stream, 0))


class StreamClock(Clock):
    """The clock of a stream.

    Args:
        is_blocking: Whether it and the default stream wait for each other (CUDA Runtime
            API, "Stream synchronization behavior").
    """

    def __init__(self, *, is_blocking: bool = False) -> None:
        super().__init__()
        self.is_blocking = is_blocking


class _Chosen(threading.local):
    """The streams of a thread that were chosen, the current one last."""

    def __init__(self) -> None:
        self.streams: list[Any] = []


class Order:
    """The streams that were chosen, and the clocks."""

    def __init__(self) -> None:
        self._of_thread = _Chosen()
        self.host, self.default = Clock(), StreamClock()
        self._launched, self._blocking = Clock(), Clock()

    @property
    def chosen(self) -> list[Any]:
        """The streams that this thread chose, the current one last."""
        return self._of_thread.streams

    def clock_of(self, stream: Any = None) -> StreamClock:
        """That of a stream; of the current one for None, the default's for a number."""
        if stream is None and self.chosen:
            stream = self.chosen[-1]
        found = getattr(stream, "clock", None)
        return found if isinstance(found, StreamClock) else self.default

    def launch(self, stream: Any = None) -> None:
        """Notes a launch."""
        clock = self.clock_of(stream)
        clock.join(self.host)
        if clock is self.default:
            clock.join(self._blocking)
        elif clock.is_blocking:
            clock.join(self.default)
        count = self._launched.seen.get(clock, 0) + 1
        clock.seen[clock] = self._launched.seen[clock] = count
        if clock.is_blocking:
            self._blocking.join(clock)

    def wait_for_all(self) -> None:
        """The host waits for the device."""
        self.host.join(self._launched)

    def pending(self) -> int:
        """Launches that need not be over where the current stream goes on."""
        now, current = Clock(), self.clock_of()
        for clock in (self.host, current):
            now.join(clock)
        if current is self.default:
            now.join(self._blocking)
        launched = self._launched.seen.items()
        return sum(count - now.seen.get(clock, 0) for clock, count in launched)


ORDER = Order()
"""That of this process, as streams are the device's."""
