# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layout assignment: gives every tile a layout and inserts conversions.

Contract: in, level T with a plan; out, level W: every tile of rank 1 or more
carries a layout, and a `tileas.convert_layout` stands wherever the layouts of a
definition and a use differ. Cheap values are rematerialised for each use instead of
being converted. An `exp` whose operand is never positive is marked.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_in_body
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.hidden_subnormals import mark_hidden_subnormals
from cuda_tile.analysis.index_space import mark_inside
from cuda_tile.analysis.never_positive import mark_never_positive
from cuda_tile.constants import MOST_THREAD_ELEMENTS
from cuda_tile.errors import Unsupported
from cuda_tile.ir.plan import read_plan, read_target
from cuda_tile.ir.tiles import is_distributed, shape_of, with_layout
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import (
    defining_op,
    located,
    nested_ops,
    op_stem,
)
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.place.cheap import (
    duplicate_cheap_values,
    erase_unused,
    merge_copies,
)
from cuda_tile.place.constraints import Constraint
from cuda_tile.place.conversions import Conversions
from cuda_tile.place.families import RULES
from cuda_tile.place.rules import PlaceContext
from cuda_tile.place.solve import Solution, solve


@each_kernel
def run(entry: ir.Operation) -> None:
    """Takes an entry from level T to level W."""
    plan = read_plan(entry)
    mark_never_positive(entry)
    mark_hidden_subnormals(entry)
    copies = duplicate_cheap_values(entry)
    facts = FactsOnDemand(entry)
    for op in nested_ops(entry):
        mark_inside(op, facts)
    ctx = PlaceContext(plan, facts, read_target(entry))

    def default(value: ir.Value) -> LinearLayout:
        extents = shape_of(value)
        made = defining_op(value)
        if made is not None and is_in_body(made):
            return LinearLayout.replicated(extents, plan.num_warps, plan.cluster)
        order = tuple(reversed(range(len(extents))))
        return coalesced(extents, order, 1, plan.num_warps, plan.cluster)

    solution = solve(_constraints(ctx, entry), default)
    _apply_types(entry, solution, default)
    replaced = _insert_conversions(solution)
    erase_unused([*replaced, *merge_copies(copies)])


def _constraints(ctx: PlaceContext, entry: ir.Operation) -> list[Constraint]:
    constraints: list[Constraint] = []
    for op in nested_ops(entry):
        if any(is_distributed(v) for v in (*op.operands, *op.results)):
            with located(op):
                constraints += RULES[op_stem(op)](ctx, op)
    return constraints


def _apply_types(
    entry: ir.Operation,
    solution: Solution,
    default: Callable[[ir.Value], LinearLayout],
) -> None:
    """Sets the type of every distributed value; unused ones get the default.

    Raises:
        Unsupported: A thread would hold too many elements of a tile.
    """
    for op in nested_ops(entry):
        for value in op.results:
            if is_distributed(value) and value not in solution.defined:
                solution.defined[value] = default(value)
    for value, layout in solution.defined.items():
        if layout.n_registers > MOST_THREAD_ELEMENTS:
            made = defining_op(value)
            with located(entry if made is None else made):
                raise Unsupported(
                    f"expected at most {MOST_THREAD_ELEMENTS} elements of a tile in "
                    f"each thread, got {layout.n_registers} of {value.type}; divide "
                    "the work into smaller tiles, or ask for more warps (num_warps)"
                )
        value.set_type(with_layout(value, layout))


def _insert_conversions(solution: Solution) -> list[ir.Operation]:
    """Converts each operand to its layout; returns ops that may now be unused."""
    conversions = Conversions(solution.defined)
    for (op, index), layout in solution.used.items():
        # `stage` reads a converted operand of a product slice by slice from shared
        # memory; a rematerialised one would be whole in registers.
        op.operands[index] = conversions.get(
            op.operands[index], layout, may_repeat=op.name not in PRODUCTS
        )
    return conversions.replaced
