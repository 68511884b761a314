# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the emulator says when PTX is malformed or does something it must not.

`PtxError` is found while reading the text, a `Finding` while running it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile.errors import UserError
from cuda_tile.runtime import report


class PtxError(UserError):
    """The PTX text is malformed, or uses something the emulator does not know.

    Args:
        message: What was expected and what came.
        line: Line of the PTX text, from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        self.line = line
        super().__init__(message, f"ptx line {line}")


class LaunchError(UserError):
    """The launch does not fit the kernel: grid, block, arguments, shared memory."""


@dataclass(frozen=True)
class Finding(report.Finding):
    """One fault of a running kernel.

    Attributes:
        line: Line of the PTX text, from 1.
        instruction: The PTX source text of that line.
        source: Where that came from, by the `.loc` before it: `kernel.py:12`, and
            call sites of inlined code behind. Empty where the text has no lines.
    """

    line: int
    instruction: str
    source: str = ""

    @property
    def where(self) -> str:
        """Kernel, source line and PTX line."""
        source = f"{self.source}: " if self.source else ""
        return f"{self.kernel}: {source}ptx line {self.line}: {self.instruction}"


class FindingError(UserError):
    """Raised for a finding.

    Attributes:
        finding: Its parts.
        stdout: What the kernel printed before.
    """

    def __init__(self, finding: Finding, stdout: str = "") -> None:
        self.finding = finding
        self.stdout = stdout
        super().__init__(f"{finding.kind}: {finding.message}", finding.where)


class Fault(Exception):
    """Raised by an instruction at work; the scheduler adds kernel and line.

    Args:
        kind: Fixed word for the sort of fault.
        message: What happened.
    """

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(f"{kind}: {message}")


class FaultAt(Exception):
    """A fault with the number of the instruction it came from."""

    def __init__(self, fault: Fault, at: int) -> None:
        self.fault = fault
        self.at = at
        super().__init__(str(fault))
