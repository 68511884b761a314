# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ops compute values and nothing else."""

from __future__ import annotations

from cuda_tile._mlir import ir

_EFFECTS = frozenset(
    (
        "cuda_tile.alloca",
        "cuda_tile.assert",
        "cuda_tile.break",
        "cuda_tile.continue",
        "cuda_tile.return",
        "cuda_tile.yield",
    )
)
_PURE_TILEAS = frozenset(
    (
        "tileas.convert_layout",
        "tileas.mma_sync",
        "tileas.reinterpret",
        "tileas.settled",
    )
)


def is_pure(op: ir.Operation) -> bool:
    """Whether an op without regions only computes its results.

    It may then run again elsewhere, earlier, or not at all if nothing uses these.
    """
    if len(op.regions):
        return False
    if op.name.startswith("cuda_tile."):
        return not op.name.endswith("_tko") and op.name not in _EFFECTS
    return op.name in _PURE_TILEAS
