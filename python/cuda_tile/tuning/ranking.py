# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is dropped of the candidates that were made, the order of the rest, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cuda_tile.tuning.candidate import Candidate, Final
from cuda_tile.tuning.clocks import Clocks, clocks_of
from cuda_tile.tuning.space import Dropped


@dataclass(frozen=True)
class Ranking:
    """Candidates that were compiled and counted.

    Attributes:
        ranked: Those that are left, the best first.
        dropped: The others.
    """

    ranked: list[Candidate]
    dropped: list[Dropped]

    @property
    def why(self) -> str:
        """Why the first one is first; empty where there is none."""
        if not self.ranked:
            return ""
        first, *others = self.ranked
        if not others:
            return f"{first} is the only one left"
        return _why(first, others[0])


def rank(made: Sequence[Candidate]) -> Ranking:
    """Drops what spills, is the same code or is beaten in everything; ranks the rest.

    Args:
        made: Candidates with counts, but of those that spill.
    """
    left: list[Candidate] = []
    dropped: list[Dropped] = []
    for candidate in _by_spills(made, dropped):
        final = _final(candidate)
        same = next((o for o in left if _final(o).code == final.code), None)
        if same is not None and _final(same).total == final.total:
            dropped.append(Dropped(str(candidate), f"the same code as {same}"))
        else:
            left.append(candidate)
    kept = [
        each
        for each in left
        if _is_chosen(each) or not any(_beats(other, each) for other in left)
    ]
    for candidate in left:
        # What is beaten by one that is beaten itself is beaten by one that is kept.
        rival = next((other for other in kept if _beats(other, candidate)), None)
        if candidate not in kept:
            said = f"{rival} takes less of everything"
            dropped.append(Dropped(str(candidate), said))
    kept.sort(key=_key)
    return Ranking(kept, dropped)


def _by_spills(made: Sequence[Candidate], dropped: list[Dropped]) -> list[Candidate]:
    """Those that spill nothing; the compiler's own plan first, then as they came."""
    kept: list[Candidate] = []
    for candidate in sorted(made, key=lambda c: not _is_chosen(c)):
        spilled = _final(candidate).spill_bytes
        if spilled:
            reason = f"spills {spilled} bytes of each thread"
            dropped.append(Dropped(str(candidate), reason))
        else:
            kept.append(candidate)
    return kept


def _is_chosen(candidate: Candidate) -> bool:
    return candidate.plan is None or bool(candidate.plan["chosen"])


def _key(candidate: Candidate) -> tuple[Any, ...]:
    """Clocks first; the compiler's own plan where others take no fewer, for no reason.

    Ties of these go to what takes less of the next part.
    """
    clocks = clocks_of(candidate)
    return round(clocks.total, 3), not _is_chosen(candidate), clocks.order


def _beats(one: Candidate, other: Candidate) -> bool:
    """Whether a candidate takes no more of any part than another, and less of some."""
    mine, theirs = _taken(one), _taken(other)
    return mine != theirs and all(
        mine.get(name, 0.0) <= theirs.get(name, 0.0) for name in {*mine, *theirs}
    )


def _taken(candidate: Candidate) -> dict[str, float]:
    final, clocks = _final(candidate), clocks_of(candidate)
    held = {
        "total": clocks.total,
        "registers": final.registers * final.warps,
        "shared bytes": final.shared_bytes,
    }
    return {**clocks.parts, **held}


def _final(candidate: Candidate) -> Final:
    final = candidate.final
    assert final is not None, "it was made"
    return final


def _why(first: Candidate, second: Candidate) -> str:
    mine, theirs = clocks_of(first), clocks_of(second)
    start = f"{first} ({first.words}) takes {mine.total:.0f} clocks ({mine.limiter})"
    against = f"the next one, {second} ({second.words}),"
    if theirs.total > mine.total:
        return f"{start}, {against} {theirs.total:.0f} ({theirs.limiter})"
    part = _first_difference(mine, theirs)
    if _is_chosen(first):
        return f"{start}, {against} no fewer: the compiler's own plan stays"
    if part is None:
        return f"{start}, as much as {against} in every part"
    return (
        f"{start}, as much as {against} which takes {theirs.parts[part]:.0f} instead "
        f"of {mine.parts.get(part, 0.0):.0f} of {part}"
    )


def _first_difference(mine: Clocks, theirs: Clocks) -> str | None:
    """The busiest part that takes the second longer."""
    parts = sorted(theirs.parts, key=lambda name: -theirs.parts[name])
    return next((p for p in parts if theirs.parts[p] > mine.parts.get(p, 0.0)), None)
