# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every family of emit rules; take the filled table from here."""

from __future__ import annotations

from cuda_tile.emit import (
    atomic,
    bitwise,
    control,
    convert,
    copy,
    copy_out,
    heap,
    hint,
    integer,
    math,
    memory,
    mma,
    multimem,
    pack,
    pending,
    persist,
    reduce,
    ring,
    roles,
    scan,
    shape,
    shape_constant,
    shape_parts,
    structure,
    tcgen05,
    tileas,
    view,
    wgmma,
)
from cuda_tile.emit import float as float_
from cuda_tile.emit.emitter import RULES

FAMILIES = (
    atomic,
    bitwise,
    control,
    convert,
    copy,
    copy_out,
    float_,
    heap,
    hint,
    integer,
    math,
    memory,
    mma,
    multimem,
    pack,
    pending,
    persist,
    reduce,
    ring,
    roles,
    scan,
    shape,
    shape_constant,
    shape_parts,
    structure,
    tcgen05,
    tileas,
    view,
    wgmma,
)

__all__ = ["FAMILIES", "RULES"]
