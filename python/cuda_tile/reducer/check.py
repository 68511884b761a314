# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a program still shows the fault: a command of the user's says so."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cuda_tile.errors import UserError

PLACE = "{}"
"""What stands in a command for the name of the file."""
EXITS = ("any", "nonzero", "signal", "timeout")
"""Ends of a command that have a name instead of a number."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes:
        code: Its exit status, negative for a signal; None where it took too long.
        said: What it printed, to either stream.
    """

    code: int | None
    said: str

    def __str__(self) -> str:
        if self.code is None:
            return "no end within the limit"
        if self.code < 0:
            return f"signal {signal.Signals(-self.code).name}"
        return f"exit status {self.code}"


@dataclass(frozen=True)
class Check:
    """A command, and what it must do where a program shows the fault.

    Attributes:
        command: Words for the shell; `{}` is the file, which else stands behind them.
        wanted_exit: An exit status, or one of `EXITS`.
        says: A regular expression that must be found in what is printed; None if
            anything may be.
        limit_s: Seconds after which a run is ended.
        suffix: How the file's name ends.
    """

    command: str
    wanted_exit: str = "0"
    says: str | None = None
    limit_s: float = 60.0
    suffix: str = ".mlir"

    def __post_init__(self) -> None:
        """Refuses what no run could fulfil.

        Raises:
            UserError: The exit status is none, or the expression cannot be read.
        """
        if self.wanted_exit not in EXITS and not self.wanted_exit.isdecimal():
            known = ", ".join(EXITS)
            raise UserError(
                f"expected an exit status or one of {known}, got '{self.wanted_exit}'"
            )
        try:
            re.compile(self.says or "")
        except re.error as error:
            raise UserError(
                f"expected a regular expression, got '{self.says}': {error}"
            ) from None

    def shows_fault(self, data: bytes) -> bool:
        """Whether a program shows the fault."""
        return self.accepts(self.run(data))

    def accepts(self, outcome: Outcome) -> bool:
        """Whether a command ended as it shall, and printed what it shall."""
        if not self._accepts_exit(outcome.code):
            return False
        return self.says is None or re.search(self.says, outcome.said) is not None

    def _accepts_exit(self, code: int | None) -> bool:
        if self.wanted_exit == "timeout" or code is None:
            return self.wanted_exit == "timeout" and code is None
        by_name = {"any": True, "nonzero": code != 0, "signal": _is_signal(code)}
        return by_name.get(self.wanted_exit, str(code) == self.wanted_exit)

    def run(self, data: bytes) -> Outcome:
        """Runs the command on a program, in a folder of its own that is removed."""
        with tempfile.TemporaryDirectory(prefix="cuda-tile-reduce-") as folder:
            path = Path(folder, f"candidate{self.suffix}")
            path.write_bytes(data)
            return self._run(self.words(path), folder)

    def words(self, path: Path) -> str:
        """The command for a file, for the shell."""
        name = shlex.quote(str(path))
        if PLACE in self.command:
            return self.command.replace(PLACE, name)
        return f"{self.command} {name}"

    def _run(self, words: str, folder: str) -> Outcome:
        printed = Path(folder, "printed")  # a pipe would wait for all who have it
        with printed.open("wb") as output:
            child = subprocess.Popen(
                ["/bin/sh", "-c", words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | {"TMPDIR": folder},
                start_new_session=True,
            )
        try:
            code = child.wait(self.limit_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_session(child)
        return Outcome(code, printed.read_text(errors="replace"))


def _is_signal(code: int) -> bool:
    """Whether a signal ended a command; a shell says so by 128 and its number."""
    return code < 0 or 128 < code < 128 + signal.NSIG


def end_session(child: subprocess.Popen[bytes]) -> None:
    """Ends a command, and all that it started and left running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
