# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the bitwise family."""

from __future__ import annotations

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import RULES
from cuda_tile.runtime.elements import Array


@RULES.register("andi")
def andi(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Bitwise and."""
    return np.bitwise_and(lhs, rhs)


@RULES.register("ori")
def ori(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Bitwise or."""
    return np.bitwise_or(lhs, rhs)


@RULES.register("xori")
def xori(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """Bitwise exclusive or."""
    return np.bitwise_xor(lhs, rhs)
