# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter: the semantics of every op of the dialect, on NumPy arrays.

It runs kernels before placement (level T) and after it (level W), one rule per op in
the module of the op's family. It never imports the compiler, so that it can judge it.
"""

from __future__ import annotations

from cuda_tile.interp import (
    atomic,
    bitwise,
    control,
    convert,
    copy,
    hint,
    integer,
    math,
    memory,
    mma,
    multimem,
    persist,
    reduce,
    ring,
    roles,
    shape,
    structure,
    tileas,
    view,
    wgmma,
)
from cuda_tile.interp import float as float_
from cuda_tile.interp.debug import Debugger, StopView
from cuda_tile.interp.driver import AssertionsFailed, InterpReport, load, run
from cuda_tile.interp.program import Op, Program
from cuda_tile.interp.shuffle import ShuffleReport, shuffle_check
from cuda_tile.interp.table import RULES
from cuda_tile.interp.values import InterpError

FAMILIES = (
    structure,
    shape,
    reduce,
    integer,
    bitwise,
    float_,
    math,
    mma,
    convert,
    control,
    memory,
    atomic,
    view,
    multimem,
    hint,
    tileas,
    ring,
    copy,
    wgmma,
    roles,
    persist,
)
"""The modules whose import filled `RULES`, in the order of the op list."""

__all__ = [
    "FAMILIES",
    "RULES",
    "AssertionsFailed",
    "Debugger",
    "InterpError",
    "InterpReport",
    "Op",
    "Program",
    "ShuffleReport",
    "StopView",
    "load",
    "run",
    "shuffle_check",
]
