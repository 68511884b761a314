# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why the plan of an entry with products is as it is, in words for the report.

What the estimates of `analysis` say of the chosen plan and of those that it was
compared with. No pass reads this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

MOST_OTHERS = 4
"""Plans that were not taken and are named, the best ones."""


class Compared(Protocol):
    """What is said of a plan that could be; see `Candidate` in `plan.py`."""

    @property
    def num_warps(self) -> int:
        """Warps of a CTA."""
        ...

    @property
    def division(self) -> tuple[int, int]:
        """How they divide products."""
        ...

    @property
    def roles(self) -> str:
        """How they divide the work."""
        ...

    @property
    def needed(self) -> int:
        """Registers of a thread."""
        ...

    @property
    def limit(self) -> int:
        """Registers that it may have."""
        ...

    @property
    def excess(self) -> int:
        """Registers that are wanting."""
        ...

    @property
    def clocks(self) -> float:
        """What a turn takes, waits included."""
        ...

    @property
    def reads(self) -> float:
        """Of these for reads of shared memory by products."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether partial sums come a piece at a time."""
        ...

    @property
    def parts(self) -> Mapping[str, float]:
        """Clocks of a turn by resource."""
        ...


def choice_texts(chosen: Compared, compared: Sequence[Compared]) -> list[str]:
    """A line for the plan that was taken, and one for each of some others.

    Args:
        chosen: What was taken.
        compared: What it was chosen from.
    """
    parts = sorted(chosen.parts.items(), key=lambda item: -item[1])
    clocks = ", ".join(f"{name} {part:.0f}" for name, part in parts if part)
    if parts and chosen.clocks > parts[0][1]:
        clocks += f"; {chosen.clocks:.0f} with the latency of loads"
    texts = [
        f"{_named(chosen)}: {chosen.needed} of {chosen.limit} registers estimated; "
        f"clocks of a turn: {clocks}"
    ]
    others: dict[str, Compared] = {}
    for other in sorted(compared, key=lambda c: (c.excess, c.clocks, c.reads)):
        if _named(other) != _named(chosen):
            others.setdefault(_named(other), other)
    for name, other in list(others.items())[:MOST_OTHERS]:
        texts.append(f"not {name}: {_why_not(other, chosen)}")
    return texts


def _named(plan: Compared) -> str:
    rows, columns = plan.division
    role = ", a role that loads" if plan.roles == "load" else ""
    return f"{plan.num_warps} warps as {rows} x {columns}{role}"


def _why_not(other: Compared, chosen: Compared) -> str:
    if other.excess:
        return f"{other.needed} registers needed, {other.limit} left"
    if other.clocks > chosen.clocks:
        return f"{other.clocks:.0f} clocks of a turn for {chosen.clocks:.0f}"
    if other.roles != chosen.roles:
        return "warps that multiply would start the copies"
    if other.is_cut and not chosen.is_cut:
        return "partial sums would come a piece at a time, and read operands again"
    if other.reads > chosen.reads:
        return (
            f"reads shared memory for {other.reads:.0f} clocks, not {chosen.reads:.0f}"
        )
    if other.num_warps < chosen.num_warps:
        return "as fast, with fewer warps to work while others wait"
    return "as fast, with more warps"
