# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tuner found, as a person reads it: predicted and final beside each other."""

from __future__ import annotations

from collections import Counter

from cuda_tile.tuning.candidate import Candidate
from cuda_tile.tuning.clocks import clocks_of
from cuda_tile.tuning.search import Tuned

_HEAD = ("candidate", "clocks", "limiter", "registers", "shared bytes", "plan")


def tuned_text(found: Tuned, top: int) -> str:
    """The best candidates, why the first is first, and what was dropped.

    Args:
        found: What was found.
        top: How many candidates to show.
    """
    rows = [_HEAD, *(_row(each) for each in found.ranking.ranked[:top])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    counts = Counter(_kind(each.reason) for each in found.dropped)
    lines += ["", found.ranking.why, ""]
    lines.append(f"{found.n_candidates} candidates, {len(found.ranking.ranked)} ranked")
    lines += [f"  {count} dropped: {kind}" for kind, count in counts.most_common()]
    if found.untried:
        lines.append(f"  {found.untried} not tried: stopped")
    return "\n".join(lines)


def _row(candidate: Candidate) -> tuple[str, ...]:
    """The cells of a candidate; in brackets what was estimated."""
    final, cost, clocks = candidate.final, candidate.predicted, clocks_of(candidate)
    assert final is not None, "it is ranked"
    estimated = cost["registers"], cost["shared_bytes"]
    registers, shared_bytes = (
        f"{got} ({wanted})" if candidate.plan is not None else str(got)
        for got, wanted in zip(
            (final.registers, final.shared_bytes), estimated, strict=True
        )
    )
    taken = f"{clocks.total:.0f}"
    return (
        str(candidate),
        taken,
        clocks.limiter,
        registers,
        shared_bytes,
        candidate.words,
    )


def _kind(reason: str) -> str:
    """A reason without its numbers, so that equal ones count together."""
    words = ["N" if word.strip(",:").isdecimal() else word for word in reason.split()]
    return " ".join(words)[:76]
