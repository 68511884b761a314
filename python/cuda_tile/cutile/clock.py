# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events of streams, for the stand-ins: they take the time of the host."""

from __future__ import annotations

import time
from typing import Any

from cuda_tile.cutile.order import ORDER, Clock


class Event:
    """An event, with the methods that it has in torch and CuPy."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._seconds: float | None = None
        self._clock = Clock()

    def record(self, stream: Any = None, *_: Any) -> None:
        """Takes the time, and what is over on a stream then."""
        self._seconds = time.perf_counter()
        self._clock = Clock()
        self._clock.join(ORDER.clock_of(stream))

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds of the host between two events.

        Raises:
            RuntimeError: One was not recorded.
        """
        if self._seconds is None or end._seconds is None:
            raise RuntimeError(
                "both events must be recorded before the time is asked for"
            )
        return 1000 * (end._seconds - self._seconds)

    def synchronize(self) -> None:
        """Returns at once."""
        ORDER.host.join(self._clock)

    def wait(self, stream: Any = None, *_: Any) -> None:
        """Returns at once."""
        ORDER.clock_of(stream).join(self._clock)

    def query(self) -> bool:
        """Work is done when it is asked for."""
        return True
