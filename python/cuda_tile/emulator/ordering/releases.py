"""What somebody made known: releases, held by words that strong writes went to.

PTX ISA, "Memory Consistency Model": "Release and Acquire Patterns".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import Knowledge
from cuda_tile.emulator.ordering.memory_order import CLUSTER, DEVICE

# Clocks of all warps of the grid, int32[2, n_warps]: as far as they are known, and as
# far as a proxy fence made what they wrote visible to copies.
Snapshot = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Release:
    """What somebody knew when releasing, and whom it reaches.

    Attributes:
        known: Clocks of the warps of the grid.
        scope, cta, cluster: Whom it reaches, with numbers of the machine and the grid.
        inside: Clocks of the agents of its cluster, as shared memory knows them.
        start: When its CTA started.
    """

    known: Snapshot
    scope: int
    cta: int
    cluster: int
    inside: Knowledge
    start: int

    def narrowed(self, scope: int) -> Release:
        """The same for a strong write of a smaller scope that carries it."""
        if scope >= self.scope:
            return self
        return replace(self, scope=scope)

    def reaches(self, scope: int, cta: int, cluster: int) -> bool:
        """Whether somebody who acquires with a scope learns of it."""
        both = min(scope, self.scope)
        return (
            both == DEVICE
            or (both == CLUSTER and cluster == self.cluster)
            or cta == self.cta
        )


def merged(releases: list[Release]) -> list[Release]:
    """Joins the releases that reach the same parties and come from the same.

    What a cluster knows of its own shared memory holds while it is resident.
    """
    joined: dict[tuple[int, int], Release] = {}
    for one in releases:
        key = (one.scope, one.cluster if one.scope == DEVICE else one.cta)
        other = joined.get(key)
        if other is not None:
            known = np.maximum(one.known, other.known)
            inside = one.inside
            if one.start == other.start:
                inside = np.maximum(one.inside, other.inside)
            one = replace(one, known=known, inside=inside)
        joined[key] = one
    return list(joined.values())
