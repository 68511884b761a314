# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clocks by which candidates are ranked: those of the model of docs/time.md.

Before a candidate is compiled there is only the estimate of its plan.
"""

from __future__ import annotations

from cuda_tile.timing.crowded import Clocks
from cuda_tile.tuning.candidate import Candidate


def clocks_of(candidate: Candidate) -> Clocks:
    """The clocks of a candidate: by its counts, and without them by its estimate."""
    if (final := candidate.final) is not None:
        return Clocks(final.total, final.limiter, final.clocks)
    cost = candidate.predicted
    parts = {**cost["clocks"], "with latency": cost["iteration"]}
    limiter = max(parts, key=lambda name: parts[name])
    return Clocks(parts[limiter], limiter, parts)
