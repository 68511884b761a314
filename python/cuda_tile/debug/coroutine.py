# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function that can be stopped in the middle, though it is no generator.

It runs in a thread of its own; only one of the two threads runs at any time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Abandoned(BaseException):
    """Raised where a function stands that nobody goes on with."""


class Coroutine:
    """Runs a function up to its next pause.

    Args:
        function: The function. It calls `pause` wherever it is to stop.

    Attributes:
        result: What it returned.
        error: What it raised.
        has_ended: Whether it did either.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self.has_ended = False
        self._function = function
        self._is_abandoned = False
        self._turn = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        self._turn.acquire()
        try:
            if not self._is_abandoned:
                self.result = self._function()
        except BaseException as error:  # handed to the other thread
            self.error = error
        self.has_ended = True
        self._paused.release()

    def resume(self) -> None:
        """Runs the function up to its next pause, or its end."""
        if self.has_ended:
            return
        if not self._thread.is_alive():
            self._thread.start()
        self._turn.release()
        self._paused.acquire()

    def pause(self) -> None:
        """Called by the function: waits until somebody resumes it.

        Raises:
            Abandoned: Nobody will.
        """
        self._paused.release()
        self._turn.acquire()
        if self._is_abandoned:
            raise Abandoned

    def abandon(self) -> None:
        """Ends the function where it stands."""
        self._is_abandoned = True
        self.resume()
