# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a plan is as it is: in words for the report, and as JSON for tools.

The model's estimates of the chosen plan, and of the plans it was compared with. No pass
reads this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.constants import (
    LOOP_OVERHEAD_REGISTERS,
    MOST_OTHERS,
    OVERHEAD_REGISTERS,
    UNTOLD_SHARE,
)
from cuda_tile.ir.walk import location_text
from cuda_tile.plan.model import Candidate
from cuda_tile.plan.problem import Listed, Problem
from cuda_tile.plan.search import Found
from cuda_tile.plan.space import Space
from cuda_tile.plan.write import Whole


def remark_texts(entry: ir.Operation, found: Found, problem: Problem) -> Iterator[str]:
    """The hints that the plan of an entry does not follow, and why.

    Args:
        entry: The entry.
        found: Its plan.
        problem: What it was chosen from.
    """
    if problem.rows_remark is not None:
        yield problem.rows_remark
        return
    chosen, space = found.chosen, problem.space
    if chosen.decision.cluster > 1 and not chosen.cost.excess:
        return
    where = location_text(chosen.where or entry)
    for text in (_missed_hint(found, space), _spilled(chosen, space)):
        if text is not None:
            yield f"{where}: {text}"


def _missed_hint(found: Found, space: Space) -> str | None:
    """Which warps and CTAs a plan gives up; None if it gives up none."""
    decision = found.chosen.decision
    ctas = space.hints.ctas or 1
    warps = space.hints.warps or space.usual_warps()[-1]
    if decision.ctas >= ctas and decision.num_warps <= warps:
        return None
    wanted = [
        c.cost
        for c in found.compared
        if c.decision.num_warps == min(warps, decision.num_warps)
        and (c.decision.ctas, c.decision.cluster) == (ctas, 1)
        and c.refusal is None
    ]
    best = min(wanted, key=lambda cost: cost.excess, default=found.chosen.cost)
    if wanted and not best.excess:
        return None  # which fits, but more warps cost less
    return (
        f"wanted {ctas} CTAs of {warps} warps per multiprocessor, got {decision.ctas} "
        f"of {decision.num_warps}: {best.estimated} registers per thread are needed "
        f"where {best.limit} are left; smaller tiles need fewer"
    )


def _spilled(chosen: Candidate, space: Space) -> str | None:
    """How much a plan spills; None if nothing."""
    cost = chosen.cost
    if not cost.excess:
        return None
    return (
        f"wanted no spills, expect about {4 * cost.excess} bytes per thread: "
        f"{cost.estimated} registers are needed, a thread has {cost.limit}; "
        f"{_what_fits(chosen, space)}"
    )


def _what_fits(chosen: Candidate, space: Space) -> str:
    """How large tiles may be that do not spill, where all of them shrink alike."""
    size, share, cost = space.largest_tile, 1, chosen.cost
    fixed = OVERHEAD_REGISTERS + LOOP_OVERHEAD_REGISTERS
    tiles = cost.estimated - fixed
    if space.products or fixed >= cost.limit:
        return "smaller tiles need fewer"
    while fixed + tiles // share > cost.limit:
        share *= 2
    return (
        f"tiles of {size // share} elements for {size} need about "
        f"{fixed + tiles // share}"
    )


def to_json(listed: Listed) -> dict[str, Any]:
    """A candidate for tools.

    Returns:
        `number`; `fields`, what it decides; `cost`; `refusal`, why it is not taken, or
        None; `possible`, whether it can be forced; `chosen`.
    """
    made, whole = listed.candidate, listed.whole
    fields: dict[str, Any] = made.decision.to_json()
    if whole is not None:
        fields["products"] = [
            {"atom": plan.atom.name, "warps": list(plan.warps), "stage": plan.stage}
            for plan in whole.products.values()
        ]
        fields["slots"] = [plan.slots for plan in whole.rings.plans.values()]
    no_room = next(iter(whole.rings.no_room.values()), None) if whole else None
    return {
        "number": listed.number,
        "chosen": listed.is_chosen,
        "fields": fields,
        "cost": estimate(made, whole),
        "refusal": made.refusal or made.doubt or no_room,
        "possible": made.refusal is None,
    }


def estimate(made: Candidate, whole: Whole | None) -> dict[str, Any]:
    """What a candidate is estimated to take, for tools and for the report.

    Args:
        made: The candidate.
        whole: The plans that follow from it; None if it cannot be.

    Returns:
        `clocks` of an iteration by resource; `iteration`, with its share of all else
        that a CTA does and nothing hides; `registers` and `register_limit` of a thread;
        `shared_bytes` of its rings; `ctas` that registers and shared memory allow.
    """
    cost = made.cost
    return {
        "clocks": {name: round(n, 1) for name, n in cost.clocks.items()},
        "iteration": round(cost.iteration, 1),
        "registers": cost.registers,
        "register_limit": cost.limit,
        "shared_bytes": whole.rings.shared_bytes if whole else 0,
        "ctas": cost.ctas,
    }


def choice_texts(chosen: Candidate, compared: Sequence[Candidate]) -> list[str]:
    """A line for the plan that was taken, and one for each of some others.

    Args:
        chosen: What was taken.
        compared: What it was chosen from.
    """
    parts = sorted(chosen.cost.clocks.items(), key=lambda item: -item[1])
    clocks = ", ".join(f"{name} {part:.0f}" for name, part in parts if part)
    if parts and chosen.cost.iteration > parts[0][1]:
        clocks += f"; {chosen.cost.iteration:.0f} with all that nothing hides"
    texts = [
        f"{_named(chosen)}: {chosen.cost.registers} of {chosen.cost.limit} registers "
        f"estimated; clocks of an iteration: {clocks}"
    ]
    others: dict[str, Candidate] = {}
    possible = (other for other in compared if other.refusal is None)
    for other in sorted(possible, key=_badness):
        if _named(other) != _named(chosen):
            others.setdefault(_named(other), other)
    for name, other in list(others.items())[:MOST_OTHERS]:
        texts.append(f"not {name}: {_why_not(other, chosen)}")
    return texts


def _badness(candidate: Candidate) -> tuple[float, ...]:
    cost = candidate.cost
    return cost.excess, cost.iteration, cost.reads


def _named(candidate: Candidate) -> str:
    decision = candidate.decision
    rows, columns = decision.division
    role = ", a role that loads" if decision.roles == "load" else ""
    return f"{decision.num_warps} warps as {rows} x {columns}{role}"


def _why_not(other: Candidate, chosen: Candidate) -> str:
    mine, best = other.cost, chosen.cost
    if other.doubt is not None:
        return other.doubt
    if mine.iteration > UNTOLD_SHARE * best.iteration:
        return f"{mine.iteration:.0f} clocks of an iteration for {best.iteration:.0f}"
    if mine.busy > best.busy:
        return f"{mine.busy:.0f} clocks of an iteration for {best.busy:.0f}"
    if mine.share.idle > best.share.idle:
        return f"few warps leave issue slots unused for {mine.share.idle:.0f} clocks"
    if other.decision.roles != chosen.decision.roles:
        return "warps that multiply would start the copies"
    if other.is_cut and not chosen.is_cut:
        return "partial sums would come a piece at a time, and read operands again"
    if mine.reads > best.reads:
        return f"reads shared memory for {mine.reads:.0f} clocks, not {best.reads:.0f}"
    if other.decision.num_warps < chosen.decision.num_warps:
        return "as fast, with fewer warps to work while others wait"
    return "as fast, with more warps"
