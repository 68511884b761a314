"""Rules of the mma family."""

from __future__ import annotations

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import round_to, widen
from cuda_tile.interp.table import RULES
from cuda_tile.runtime.elements import Array


@RULES.register("mmaf")
def mmaf(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    """`acc + lhs @ rhs` in float64 over exact products, rounded once.

    Shapes: lhs [.., M, K], rhs [.., K, N], acc [.., M, N]. Executors may sum in any
    order and in the accumulator's precision: compare with a bound that grows with K.
    """
    total = widen(acc) + np.matmul(widen(lhs), widen(rhs))
    return round_to(total, op.tile().element)
