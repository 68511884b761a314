# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family multimem: tiles have layouts whose accesses are whole words."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import Access, describe_access
from cuda_tile.analysis.tiling import tiling_of, view_operand
from cuda_tile.errors import Unsupported
from cuda_tile.instructions import needs_of
from cuda_tile.ir.walk import op_stem
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint, Demand, Fixed
from cuda_tile.place.cost import trip_count
from cuda_tile.place.rules import RULES, PlaceContext

WORD_BYTES = 4
"""Least that a multimem instruction moves (PTX ISA, "multimem": its types)."""


@RULES.register("multimem_load_reduce_view_tko")
def load_reduce(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """The tile is loaded in the access's own layout, and converted for its uses."""
    access, layout = _layout(ctx, op)
    n_bytes = prod(access.shape) * access.element_bytes
    return [Fixed(op.results[0], layout, n_bytes * trip_count(op))]


@RULES.register("multimem_reduce_view_tko", "multimem_store_view_tko")
def write(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """The tile, the operand after the view, arrives in the access's own layout."""
    _, layout = _layout(ctx, op)
    return [Demand(op, 1, layout)]


def _layout(ctx: PlaceContext, op: ir.Operation) -> tuple[Access, LinearLayout]:
    """The access, and a layout in which threads have whole words.

    Raises:
        Unsupported: The chip has no such instruction, or words cannot be formed.
    """
    stem, target = op_stem(op), ctx.target
    if not target.has("multimem"):
        first = needs_of("multimem").capability
        raise Unsupported(
            f"{stem}: {target.name} has no access to multicast memory, which exists "
            f"from sm_{first} on; access the memory of each GPU through a view of "
            "its own"
        )
    access = describe_access(op, ctx.facts)
    least = max(1, WORD_BYTES // access.element_bytes)
    if access.vector < least:
        element = tiling_of(view_operand(op)).element
        raise Unsupported(
            f"{stem}: expected {least} neighbouring elements of {element} that are "
            f"aligned to {WORD_BYTES} bytes and inside the tensor together, as no chip "
            "has narrower accesses to multicast memory; say so by 'assume div_by' on "
            "the base, the strides and the extents, or take elements of 32 bits"
        )
    return access, access.best_layout(ctx.plan.num_warps, least)
