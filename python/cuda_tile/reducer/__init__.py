# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a kernel small that still shows a fault: what `cuda-tile-reduce` does."""

from cuda_tile.reducer.check import Check, Outcome
from cuda_tile.reducer.search import Kind, Progress, reduce_text
from cuda_tile.reducer.sources import Source, read_source

__all__ = [
    "Check",
    "Kind",
    "Outcome",
    "Progress",
    "Source",
    "read_source",
    "reduce_text",
]
