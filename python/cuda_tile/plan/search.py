# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one search: of the candidates that fit, the one that costs least.

Registers, threads and shared memory are constraints. The search follows the producer's
hints as far as possible: first the CTAs and warps it asked for, then more warps, then
fewer CTAs, then several CTAs for a tile block. Where nothing fits, the candidate is
taken that spills least, of those whose instructions have the registers that they need.
Where the slots of a candidate's copies have no room, the next one of its group is
taken; where none has room for two, a tile is copied where it is used, and where none
has room for one, threads make these loads and the group is judged anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from cuda_tile._mlir import ir
from cuda_tile.constants import UNTOLD_SHARE
from cuda_tile.errors import NoPair
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

    Raises:
        NoPair: It is of a pair of CTAs, which cannot multiply together.
    """
    taken = _Taking(entry, space, options)
    if only is not None:
        return taken.anyhow(model, [only])
    if space.wanted_cluster > 1:
        return taken.in_cluster(model)
    for tier in (*space.tiers(), space.clusters()):
        found = taken.first_fit(model, list(tier))
        if found is not None:
            return found
    if space.is_pair:
        raise NoPair(taken.first_reason())
    return taken.least_spilled()


@dataclass(frozen=True, eq=False)
class _Taking:
    """Takes candidates of one entry.

    Attributes:
        entry: The entry.
        space: The decisions.
        options: The user's choices.
        tried: All candidates that were looked at, each with what judged it.
    """

    entry: ir.Operation
    space: Space
    options: Options
    tried: list[tuple[Candidate, Model]] = field(
        default_factory=list[tuple[Candidate, Model]]
    )

    def first_fit(self, model: Model, tier: Sequence[Decision]) -> Found | None:
        """The best candidate of a group that fits; loads that have no room give way.

        Args:
            model: What judges decisions.
            tier: The group.
        """
        while True:
            fitting = [each for each in self._judged(model, tier) if each.fits]
            if not fitting:
                return None
            found = _roomiest(self._in_order(fitting, model))
            if not found.whole.rings.no_room:
                return found
            model = model.without(found.whole.rings.no_room)

    def anyhow(self, model: Model, tier: Sequence[Decision]) -> Found:
        """The first candidate of a group, whether it fits or not.

        Args:
            model: What judges decisions.
            tier: The group.
        """
        while True:
            found = _roomiest(map(self._whole, self._judged(model, tier)))
            if not found.whole.rings.no_room:
                return found
            model = model.without(found.whole.rings.no_room)

    def in_cluster(self, model: Model) -> Found:
        """What several CTAs do for a tile block, since somebody hinted at that."""
        for tier in self.space.tiers():
            alone = [each for each in self._judged(model, tier) if each.fits]
            if alone:
                first = _best(alone)
                break
        else:
            first, _ = self._least_first()[0]
        return self.anyhow(model, list(self.space.clusters(first.decision.num_warps)))

    def first_reason(self) -> str:
        """Why the best candidate with a role that loads does not fit."""
        found = [each for each, _ in self.tried if each.decision.roles == "load"]
        found = found or [each for each, _ in self.tried]
        return next(r for each in found if (r := each.refusal or each.doubt))

    def least_spilled(self) -> Found:
        """What spills least, of what ptxas takes and has room."""
        ordered = self._least_first()
        found = _roomiest(self._whole(each) for each, _ in ordered)
        if not found.whole.rings.no_room:
            return found
        candidate, model = ordered[0]
        return self.anyhow(model, [candidate.decision])

    def _least_first(self) -> list[tuple[Candidate, Model]]:
        """What may be taken, by registers that are wanting; no more CTAs than asked."""
        most = self.space.hints.ctas or 1
        possible = [
            each
            for each in self.tried
            if each[0].refusal is None and each[0].decision.ctas <= most
        ]
        return sorted(possible, key=lambda each: _lack(each[0]))

    def _judged(self, model: Model, tier: Sequence[Decision]) -> list[Candidate]:
        found = [model.candidate(decision) for decision in tier]
        self.tried.extend((each, model) for each in found)
        return found

    def _whole(self, candidate: Candidate) -> Found:
        """The plans that follow from a candidate."""
        compared = [each for each, _ in self.tried]
        whole = complete(self.entry, candidate, self.space, self.options)
        return Found(candidate, compared, whole)

    def _in_order(self, fitting: Sequence[Candidate], model: Model) -> Iterator[Found]:
        """The best one first: of those with the fewest clocks, the first by rank.

        Clocks that the estimate cannot tell apart are as few. How many CTAs share a
        multiprocessor is known when shared memory is, of a candidate whose turn comes.

        Args:
            fitting: Candidates that fit.
            model: What judged them.
        """
        turns, wholes = list(fitting), dict[Candidate, Found]()
        while turns:
            first = _best(turns)
            if first in wholes:
                turns.remove(first)
                yield wholes[first]
                continue
            found = self._whole(first)
            known = model.beside(first, found.whole.rings.cta_bytes)
            turns[turns.index(first)] = known
            wholes[known] = replace(found, chosen=known)


def _best(candidates: Sequence[Candidate]) -> Candidate:
    """The first by rank of those whose clocks are the fewest, or as few."""
    most = UNTOLD_SHARE * min(each.cost.iteration for each in candidates)
    near = [each for each in candidates if each.cost.iteration <= most]
    return min(near, key=lambda each: each.rank)


def _roomiest(candidates: Iterable[Found]) -> Found:
    """The first whose copies run ahead; else the first with room for them."""
    first = list[Found]()
    for found in candidates:
        if not found.whole.rings.no_room and not found.whole.rings.in_place:
            return found
        first.append(found)
    return next((each for each in first if not each.whole.rings.no_room), first[0])


def _lack(candidate: Candidate) -> tuple[float, ...]:
    """The sort key of what spills: registers that are wanting first."""
    cost, decision = candidate.cost, candidate.decision
    return cost.lacking, cost.excess, -decision.ctas, cost.iteration
