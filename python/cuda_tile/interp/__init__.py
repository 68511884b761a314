"""The interpreter: what every op of the dialect means, on NumPy arrays.

It runs kernels as read (level T) and as placed (level W), one rule per op in the
module of the op's family. It never imports the compiler, so that it can judge it.
"""

from __future__ import annotations

from cuda_tile.interp import (
    bitwise,
    control,
    convert,
    hint,
    integer,
    math,
    memory,
    mma,
    reduce,
    shape,
    structure,
    tileas,
    view,
)
from cuda_tile.interp import float as float_
from cuda_tile.interp.driver import InterpReport, run
from cuda_tile.interp.program import Op, Program
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
    view,
    hint,
    tileas,
)
"""The modules whose import filled `RULES`, in the order of the op list."""

__all__ = ["FAMILIES", "RULES", "InterpError", "InterpReport", "Op", "Program", "run"]
