# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What interpreter and emulator share: how they are asked, what they report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypeAlias

from cuda_tile.errors import UserError

OnFinding: TypeAlias = Literal["raise", "collect"]
"""Whether a finding raises, or is collected in the report."""
ON_FINDING: tuple[OnFinding, ...] = ("raise", "collect")

Judge: TypeAlias = Literal["interp", "emulator"]
"""Who runs a kernel and looks for its faults."""

MODES: Mapping[str, tuple[str, str]] = {
    "strict": ("strict", "adversarial"),
    "checked": ("strict", "adversarial"),
    "hardware": ("hardware", "fast"),
    "permissive": ("permissive", "fast"),
    "adversarial": ("strict", "adversarial"),
    "fast": ("strict", "fast"),
}
"""The modes of both: for each name what interpreter and emulator call it."""
RANDOM_MODE = "adversarial"
"""The mode in which everything open is chosen at random, seed 0 if there is none."""


def mode_on(on: Judge, name: object, seed: int | None) -> tuple[str, int | None]:
    """What interpreter or emulator call a mode, and the seed that it runs with.

    Args:
        on: Which of them.
        name: Any name of `MODES`.
        seed: The user's, None for none.

    Raises:
        UserError: The mode is none.
    """
    if not isinstance(name, str) or name not in MODES:
        known = ", ".join(MODES)
        raise UserError(f"expected mode to be one of {known}, got {name!r}")
    seed = 0 if name == RANDOM_MODE and seed is None else seed
    return MODES[name][on == "emulator"], seed


def check_on_finding(choice: str) -> None:
    """Refuses a choice that is none.

    Raises:
        UserError: It is none of `ON_FINDING`.
    """
    if choice not in ON_FINDING:
        known = ", ".join(ON_FINDING)
        raise UserError(f"expected on_finding to be one of {known}, got {choice!r}")


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


class RunReport(Protocol):
    """What every report of a run has, whoever ran the kernel.

    Attributes:
        kernel: Name of the entry.
        findings: Faults; more than none only if they are collected.
        stdout: What the kernel printed.
        warnings: What may be otherwise on hardware, or was not looked at.
        checked: What was looked at and what was not, in one line.
        steps: Operations of all tile blocks, or instructions of all warps.
    """

    @property
    def kernel(self) -> str:
        """Name of the entry."""
        ...

    @property
    def findings(self) -> Sequence[Finding]:
        """Faults."""
        ...

    @property
    def stdout(self) -> str:
        """What the kernel printed."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What may be otherwise on hardware."""
        ...

    @property
    def checked(self) -> str:
        """What was looked at."""
        ...

    @property
    def steps(self) -> int:
        """Operations of all tile blocks, or instructions of all warps."""
        ...
