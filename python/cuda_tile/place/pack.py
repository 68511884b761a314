# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops pack and unpack of family shape: bytes, and the elements that they form.

A whole (a wide element of bytes, or a byte of 4-bit elements) has all its parts in one
thread, in neighbouring registers. So the layout of the whole determines that of the
parts. The reverse is a guess, which fits if vectors of parts are as long as a whole.
"""

from __future__ import annotations

from functools import partial

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import elements_of
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint, Related
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("pack", "unpack")
def repack(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Every part is in the thread that has the whole."""
    del ctx
    source, result = elements_of(op.operands[0]), elements_of(op.results[0])
    if source < result:
        count = result // source
        fine = partial(LinearLayout.finer, count=count)
        coarse = partial(LinearLayout.coarser, count=count)
        return [Related(op, 0, 0, forward=fine, backward=None, guess=coarse)]
    count = source // result
    fine = partial(LinearLayout.finer, count=count)
    coarse = partial(LinearLayout.coarser, count=count)
    return [Related(op, 0, 0, forward=coarse, backward=fine)]
