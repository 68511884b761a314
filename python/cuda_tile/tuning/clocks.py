# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clocks by which candidates are ranked, in one place.

A candidate that was compiled and run on the emulator has counts, of which its bound is
made (docs/bounds.md); before that there is only the estimate of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.targets import Target
from cuda_tile.tuning.candidate import Candidate, Final

SCHEDULERS = 4
"""Schedulers of a multiprocessor, each with a quarter of its matrix units and of its
special functions (CUDA C++ Programming Guide, "Compute Capabilities")."""
OF_SCHEDULERS = ("tensor cores", "issue slots", "special functions")
"""The parts of a multiprocessor that its schedulers share."""
IN_TURN = (*OF_SCHEDULERS, "shared memory")
"""The parts that a warp uses one at a time, as its instructions follow each other."""
MATRIX_ENGINES = ("wgmma", "tcgen05")
"""Instructions of which the rates of a chip speak; others are slower there."""


@dataclass(frozen=True)
class Clocks:
    """What a candidate takes of one multiprocessor.

    Attributes:
        parts: Clocks by part of the multiprocessor: of the whole launch where there are
            counts, of an iteration in an estimate.
    """

    parts: Mapping[str, float]

    @property
    def total(self) -> float:
        """Clocks of the part that takes longest."""
        return max(self.parts.values(), default=0.0)

    @property
    def limiter(self) -> str:
        """The part that takes longest."""
        return max(self.parts, key=lambda name: self.parts[name], default="nothing")

    @property
    def order(self) -> tuple[float, ...]:
        """The sort key: the longest first, ties by the next one."""
        return tuple(sorted(self.parts.values(), reverse=True))


def clocks_of(candidate: Candidate) -> Clocks:
    """The clocks of a candidate: by its counts, and without them by its estimate."""
    if candidate.final is not None:
        return launch_clocks(candidate.final, candidate.target)
    cost = candidate.predicted
    return Clocks({**cost["clocks"], "with latency": cost["iteration"]})


def launch_clocks(final: Final, target: Target) -> Clocks:
    """The emulator's bound for all CTAs of a launch.

    Args:
        final: What was counted.
        target: The chip.
    """
    busy = min(SCHEDULERS, final.warps * final.resident)
    parts = {name: n * final.ctas for name, n in final.clocks.items()}
    for name in OF_SCHEDULERS:
        if name in parts:
            parts[name] *= SCHEDULERS / busy
    if not final.has_own_matrix_unit and "tensor cores" in parts:
        parts["tensor cores"] *= matrix_slowdown(target)
    warps = final.warps * final.resident
    return Clocks({**parts, "warps in turn": _in_turn(final, parts) / warps})


def _in_turn(final: Final, parts: Mapping[str, float]) -> float:
    """Clocks of one warp, if it did all work: nothing overlaps but with other warps.

    Assumed: instructions of a warp wait for each other, but for matrix instructions
    that run by themselves. Without it a single warp would seem to fill all units.
    """
    waited = [
        name
        for name in IN_TURN
        if not (name == "tensor cores" and final.has_own_matrix_unit)
    ]
    return sum(parts.get(name, 0.0) for name in waited)


def has_own_matrix_unit(ptx: str) -> bool:
    """Whether a program has the matrix instructions of which a chip's rate speaks."""
    return any(name in ptx for name in MATRIX_ENGINES)


def matrix_slowdown(target: Target) -> float:
    """What other matrix instructions take, in times of these."""
    return MMA_SYNC.slowdown(target)
