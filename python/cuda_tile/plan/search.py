# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one search: of the candidates that fit, the one that costs least.

Registers, threads and shared memory are constraints. The search follows the producer's
hints as far as possible: first the CTAs and warps it asked for, then more warps, then
fewer CTAs, then several CTAs for a tile block. Where nothing fits, the candidate is
taken that spills least, of those whose instructions have the registers that they need.
Where the slots of a candidate's copies have no room, the next one is taken; where none
has room for them, threads make these loads and the search begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.options import Options
from cuda_tile.plan.model import Candidate, Model
from cuda_tile.plan.space import Decision, Space
from cuda_tile.plan.write import Whole, complete
from cuda_tile.records import dataclass


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes:
        chosen: The candidate.
        compared: What it was chosen from.
        whole: The plans that follow from it.
    """

    chosen: Candidate
    compared: Sequence[Candidate]
    whole: Whole


def search(
    entry: ir.Operation,
    model: Model,
    space: Space,
    options: Options,
    only: Decision | None = None,
) -> Found:
    """The best plan of an entry.

    Args:
        entry: The entry.
        model: What judges decisions.
        space: The decisions.
        options: The user's choices.
        only: The decision that it shall be; None to choose.
    """
    while True:
        best, compared = _choose(model, space, only)
        wholes = ((c, complete(entry, c, space, options)) for c in best)
        first = chosen, whole = next(wholes)
        if whole.rings.no_room:
            fitting = (each for each in wholes if not each[1].rings.no_room)
            chosen, whole = next(fitting, first)
        if not whole.rings.no_room:
            return Found(chosen, compared, whole)
        model = model.without(whole.rings.no_room)


def _choose(
    model: Model, space: Space, only: Decision | None
) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates that fit, the cheapest first, and all that were looked at."""
    if only is not None:
        chosen = [model.candidate(only)]
        return chosen, chosen
    best, tried = list[Candidate](), list[Candidate]()
    for tier in space.tiers():
        found = [model.candidate(decision) for decision in tier]
        tried += found
        best = _ranked(found)
        if best:
            break
    if space.wanted_cluster > 1:
        alone = best[0] if best else _least_excess(tried, space)
        (decision,) = space.clusters(alone.decision.num_warps)
        return [model.candidate(decision)], tried
    if not best:
        found = list(map(model.candidate, space.clusters()))
        tried += found
        best = _ranked(found) or [_least_excess(tried, space)]
    return best, tried


def _ranked(found: Sequence[Candidate]) -> list[Candidate]:
    """Those that fit, the best first."""
    return sorted((c for c in found if c.fits), key=lambda c: c.rank)


def _least_excess(tried: Sequence[Candidate], space: Space) -> Candidate:
    """What spills least, of what ptxas takes; no more CTAs than anybody asked for."""
    most = space.hints.ctas or 1
    return min(
        (c for c in tried if c.refusal is None and c.decision.ctas <= most),
        key=lambda c: (
            *(c.cost.lacking, c.cost.excess),
            *(-c.decision.ctas, c.cost.iteration),
        ),
    )
