# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Releases: vector clocks that strong writes leave at the words they write.

PTX ISA, "Memory Consistency Model": "Release and Acquire Patterns".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import Knowledge
from cuda_tile.emulator.ordering.memory_order import CLUSTER, DEVICE

# A clock with a component for each warp of the grid, int32[2, n_warps]: all events, and
# those that a proxy fence made visible to bulk copies.
Snapshot = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Release:
    """A released clock, and the scope in which it can be acquired.

    Attributes:
        known: Components for the warps of the grid.
        scope, cta, cluster: The scope, and the releasing CTA and cluster, numbered in
            the grid and in the machine.
        inside: Components for the agents of its cluster, for accesses to shared memory.
        start: In which batch of resident CTAs it was made.
    """

    known: Snapshot
    scope: int
    cta: int
    cluster: int
    inside: Knowledge
    start: int

    def narrowed(self, scope: int) -> Release:
        """The same, carried by a strong write of a smaller scope."""
        if scope >= self.scope:
            return self
        return replace(self, scope=scope)

    def reaches(self, scope: int, cta: int, cluster: int) -> bool:
        """Whether an acquire of a scope by a CTA synchronises with it."""
        both = min(scope, self.scope)
        return (
            both == DEVICE
            or (both == CLUSTER and cluster == self.cluster)
            or cta == self.cta
        )


def merged(releases: list[Release]) -> list[Release]:
    """Joins the releases that have one scope and come from one CTA.

    What concerns a cluster's shared memory holds only while the cluster is resident.
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
