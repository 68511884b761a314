"""Layout assignment: gives every tile a layout and inserts conversions.

Contract: in, level T with a plan; out, level W: every tile of rank 1 or more
carries a layout, and a `tileas.convert_layout` stands wherever the layouts of a
definition and a use differ. Cheap values are rematerialised for each use instead of
being converted.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.tiles import is_distributed, shape_of, with_layout
from cuda_tile.ir.walk import (
    defining_op,
    entries,
    located,
    nested_ops,
    op_stem,
)
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.options import Options
from cuda_tile.place.constraints import Constraint
from cuda_tile.place.families import RULES
from cuda_tile.place.rules import PlaceContext
from cuda_tile.place.solve import Solution, solve


def run(module: ir.Operation, options: Options) -> None:
    """Takes every entry of `module` from level T to level W."""
    del options
    for entry in entries(module):
        place_entry(entry)


def place_entry(entry: ir.Operation) -> None:
    """Assigns layouts within one entry."""
    plan = read_plan(entry)
    duplicate_cheap_values(entry)
    ctx = PlaceContext(plan, FactsAnalysis(entry))

    def default(value: ir.Value) -> LinearLayout:
        extents = shape_of(value)
        order = tuple(reversed(range(len(extents))))
        return coalesced(extents, order, 1, plan.num_warps)

    solution = solve(_constraints(ctx, entry), default)
    _apply_types(entry, solution, default)
    _insert_conversions(solution)


def _constraints(ctx: PlaceContext, entry: ir.Operation) -> list[Constraint]:
    constraints: list[Constraint] = []
    for op in nested_ops(entry):
        if any(is_distributed(v) for v in (*op.operands, *op.results)):
            with located(op):
                constraints += RULES[op_stem(op)](ctx, op)
    return constraints


def is_cheap(op: ir.Operation) -> bool:
    """Whether recomputing the value costs less than converting its layout."""
    match op.name:
        case "cuda_tile.constant" | "cuda_tile.iota":
            return is_distributed(op.results[0])
        case "cuda_tile.broadcast" | "cuda_tile.reshape":
            return is_distributed(op.results[0]) and _is_uniform(op.operands[0])
        case _:
            return False


def _is_uniform(value: ir.Value) -> bool:
    """One element that every thread has anyway."""
    if not is_distributed(value):
        return True
    op = defining_op(value)
    return (
        op is not None
        and prod(shape_of(value)) == 1
        and op.name == "cuda_tile.reshape"
        and not is_distributed(op.operands[0])
    )


def duplicate_cheap_values(entry: ir.Operation) -> None:
    """Rematerialises cheap values: each use gets an op of its own.

    So each may have the layout of its user. Users come after their operands, so one
    backward sweep is enough.
    """
    for op in reversed(list(nested_ops(entry))):
        if not is_cheap(op):
            continue
        uses = list(op.results[0].uses)
        for use in uses[1:]:
            copy = op.clone(ip=ir.InsertionPoint(op))
            use.owner.operation.operands[use.operand_number] = copy.results[0]


def _apply_types(
    entry: ir.Operation,
    solution: Solution,
    default: Callable[[ir.Value], LinearLayout],
) -> None:
    """Sets the type of every distributed value; unused ones get the default."""
    for op in nested_ops(entry):
        for value in op.results:
            if is_distributed(value) and value not in solution.defined:
                solution.defined[value] = default(value)
    for value, layout in solution.defined.items():
        value.set_type(with_layout(value, layout))


def _insert_conversions(solution: Solution) -> None:
    made: dict[tuple[ir.Value, LinearLayout], ir.Value] = {}
    for (op, index), layout in solution.used.items():
        value = op.operands[index]
        if solution.defined[value] == layout:
            continue
        key = (value, layout)
        if key not in made:
            made[key] = _convert(value, layout)
        op.operands[index] = made[key]


def _convert(value: ir.Value, layout: LinearLayout) -> ir.Value:
    """A conversion right after the definition, where it dominates every use."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        point = ir.InsertionPoint.at_block_begin(owner)
        location = owner.owner.location
    else:
        point = ir.InsertionPoint.after(owner.operation)
        location = owner.operation.location
    with point, location:
        return tileas.ConvertLayoutOp(with_layout(value, layout), value).result
