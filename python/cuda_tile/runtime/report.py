# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What interpreter and emulator report of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar


@dataclass(frozen=True)
class Finding:
    """One fault of a running kernel.

    Attributes:
        kind: Fixed word for the sort of fault, for example "race" or "deadlock".
        message: What happened; of a race, both accesses.
        kernel: Name of the entry function.
    """

    kind: str
    message: str
    kernel: str

    @property
    def where(self) -> str:
        """Where it happened."""
        return self.kernel

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as plain values for a JSON report."""
        return asdict(self)


Found = TypeVar("Found", bound=Finding)


@dataclass
class RunReport(Generic[Found]):
    """What a run did, whoever ran the kernel.

    Attributes:
        kernel: Name of the entry.
        findings: Faults; more than none only if they are collected.
        stdout: What the kernel printed.
        warnings: What may be otherwise on hardware, each with its source line and,
            above one, how often it came; or what was not looked at.
        checked: What was looked at and what was not, in one line.
        steps: Operations of all tile blocks, or instructions of all warps.
    """

    kernel: str
    findings: list[Found] = field(default_factory=list[Found])
    stdout: str = ""
    warnings: list[str] = field(default_factory=list[str])
    checked: str = ""
    steps: int = 0
