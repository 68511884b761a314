# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family hint: the result of `assume` has the layout of its operand."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.place.constraints import Constraint, Same
from cuda_tile.place.elementwise import same_layout
from cuda_tile.place.rules import RULES, PlaceContext

RULES.register("assume")(same_layout)


@RULES.register("assert", "print_tko")
def read_anyhow(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Each tile is read in the layout that it has."""
    del ctx
    return [Same((value,)) for value in op.operands if is_distributed(value)]
