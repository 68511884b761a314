# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One kernel within limits of time and memory, as each of many has them."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from cuda_tile.errors import UserError
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Limited:
    """What one command may use; None for all there is.

    Attributes:
        seconds: Wall time.
        memory_bytes: Memory of the process.
    """

    seconds: float | None
    memory_bytes: int | None

    def run(self, command: Callable[[], int]) -> int:
        """Runs a command in a process of its own, and gives its exit code.

        Nothing else can end what runs in C++, and the ptxas that it started.

        Raises:
            UserError: A limit was reached.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            self._work(command)
        is_late = threading.Event()
        alarm = threading.Timer(self.seconds or 0, self._end, (child, is_late))
        alarm.daemon = True
        if self.seconds is not None:
            alarm.start()
        try:
            status = os.waitpid(child, 0)[1]
        except KeyboardInterrupt:
            os.killpg(child, signal.SIGKILL)
            raise
        finally:
            alarm.cancel()
        if is_late.is_set():
            raise UserError(f"took longer than {self.seconds:g} seconds (--time-limit)")
        return self._code(status)

    def _work(self, command: Callable[[], int]) -> None:
        """The child's part; does not return."""
        os.setpgid(0, 0)
        if self.memory_bytes is not None:
            limit = (self.memory_bytes, self.memory_bytes)
            resource.setrlimit(resource.RLIMIT_DATA, limit)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        code = _OUT_OF_MEMORY
        try:
            code = command()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def _end(self, child: int, is_late: threading.Event) -> None:
        is_late.set()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)

    def _code(self, status: int) -> int:
        code = os.waitstatus_to_exitcode(status)
        is_ended = code < 0 or code in (_OUT_OF_MEMORY, _LOADER)
        if is_ended and self.memory_bytes is not None:
            gigabytes = self.memory_bytes / (1 << 30)
            raise UserError(
                f"expected to need at most {gigabytes:g} GiB (--memory-limit), but the "
                f"compiler's process ended with {code}"
            )
        return code


_OUT_OF_MEMORY, _LOADER = 71, 127
"""Exit codes of a child: EX_OSERR of sysexits, where it could not even say what failed;
that of the C library without memory for a thread."""
