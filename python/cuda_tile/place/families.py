# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every family of place rules; take the filled table from here."""

from __future__ import annotations

from cuda_tile.place import (
    atomic,
    control,
    elementwise,
    hint,
    memory,
    mma,
    multimem,
    pack,
    reduce,
    shape,
    tcgen05,
    wgmma,
)
from cuda_tile.place.rules import FRAGMENTS, RULES

FAMILIES = (
    atomic,
    control,
    elementwise,
    hint,
    memory,
    mma,
    multimem,
    pack,
    reduce,
    shape,
    tcgen05,
    wgmma,
)

__all__ = ["FAMILIES", "FRAGMENTS", "RULES"]
