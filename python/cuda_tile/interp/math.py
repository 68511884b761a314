"""Rules of the math family: computed in float64 and rounded once to the tile's type.

The dialect promises little accuracy for these; tests of other executors compare with
a tolerance. Special values follow C99.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.interp import arithmetic
from cuda_tile.interp.float import inputs, output
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import Floats, round_to, widen
from cuda_tile.interp.table import RULES
from cuda_tile.runtime.elements import Array


def _rounded(op: Op, function: Callable[[Floats], Floats], source: Array) -> Array:
    (x,) = inputs(op, source)
    return output(op, round_to(function(widen(x)), op.tile().element))


@RULES.register("exp")
def exp(run: TileBlock, op: Op, source: Array) -> Array:
    """E to the power x."""
    return _rounded(op, np.exp, source)


@RULES.register("exp2")
def exp2(run: TileBlock, op: Op, source: Array) -> Array:
    """2 to the power x."""
    return _rounded(op, np.exp2, source)


@RULES.register("log")
def log(run: TileBlock, op: Op, source: Array) -> Array:
    """The natural logarithm."""
    return _rounded(op, np.log, source)


@RULES.register("log2")
def log2(run: TileBlock, op: Op, source: Array) -> Array:
    """The logarithm to base 2."""
    return _rounded(op, np.log2, source)


@RULES.register("sqrt")
def sqrt(run: TileBlock, op: Op, source: Array) -> Array:
    """`approx` gives the correctly rounded root, well within its bound."""
    kind = op.tile().element
    mode = op.attributes.get("rounding_mode", "nearest_even")
    ieee = "nearest_even" if mode == "approx" else mode
    (x,) = inputs(op, source)
    return output(op, arithmetic.square_root(x, kind, ieee))


@RULES.register("rsqrt")
def rsqrt(run: TileBlock, op: Op, source: Array) -> Array:
    """A zero gives the infinity of its sign; +Inf gives +0."""
    return _rounded(op, _reciprocal_root, source)


def _reciprocal_root(x: Floats) -> Floats:
    return 1.0 / np.sqrt(x)
