# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: numbers of warps, matrix instructions, copy engines, how far copies run ahead.

Contract: in and out, verified level T. Writes `tileas.target` on each entry, and
`tileas.plan` on each entry, product, load and store that has none. Every later pass
only reads them, so a plan written by hand or by a tuner overrides the choice made here.
The fields and their checks are in ir/plan.py and ir/copy_plan.py. The package
`cuda_tile.plan` has the space of plans, their costs and the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.legality import check_program
from cuda_tile.emit.families import RULES as EMIT_RULES
from cuda_tile.errors import UserError
from cuda_tile.ir.maps import write_abi
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    TARGET_ATTRIBUTE,
    Plan,
    add_remark,
    read_plan,
    write_choice,
    write_estimate,
)
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import entries, location_text
from cuda_tile.options import Options
from cuda_tile.place.families import RULES as PLACE_RULES
from cuda_tile.plan.explain import choice_texts, estimate, remark_texts, to_json
from cuda_tile.plan.problem import Problem
from cuda_tile.plan.rows import loads_rows_again
from cuda_tile.plan.write import can_reuse, write


def run(module: ir.Operation, options: Options) -> None:
    """Plans every entry and product of `module` that has no plan yet.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.

    Raises:
        UserError: An existing plan is not usable.
        Unsupported: An op cannot be compiled.
    """
    for entry in entries(module):
        _note_target(entry, options)
        _plan_entry(entry, options)


def list_plans(entry: ir.Operation, options: Options) -> list[dict[str, Any]]:
    """Every plan that an entry could have; see `plan.explain.to_json`.

    Args:
        entry: The entry, as the pass would get it, without a plan.
        options: The user's choices.

    Raises:
        UserError: It has a plan already.
    """
    if PLAN_ATTRIBUTE in entry.attributes:
        raise UserError(
            f"expected an entry without '{PLAN_ATTRIBUTE}', whose plans are listed, "
            "got one that has it",
            location_text(entry),
        )
    _note_target(entry, options)
    return [to_json(listed) for listed in Problem(entry, options).list()]


def _note_target(entry: ir.Operation, options: Options) -> None:
    """Checks an entry, and notes the chip it is compiled for."""
    check_program(entry, PLACE_RULES, EMIT_RULES)
    entry.attributes[TARGET_ATTRIBUTE] = ir.StringAttr.get(options.target.name)
    write_abi(entry, options.abi)


def _plan_entry(entry: ir.Operation, options: Options) -> None:
    problem = Problem(entry, options)
    if PLAN_ATTRIBUTE in entry.attributes:
        whole = problem.by_hand(read_plan(entry))
    else:
        found = problem.solve()
        whole = found.whole
        for text in remark_texts(entry, found, problem):
            add_remark(entry, text)
        write_estimate(entry, estimate(found.chosen, whole))
        if problem.space.products:
            write_choice(entry, choice_texts(found.chosen, found.compared))
    _check_whole(entry, whole.plan, problem.ops)
    write(entry, whole)


def _check_whole(entry: ir.Operation, plan: Plan, ops: Sequence[ir.Operation]) -> None:
    """Checks the fields of a plan that concern all ops of an entry.

    Raises:
        UserError: A field of the plan does not suit the entry.
    """
    if plan.cluster > 1 and not suits_clusters(ops):
        raise UserError(
            "expected only loads and stores, elementwise operations, commutative "
            "reductions and control flow in an entry with a cluster in "
            f"'{PLAN_ATTRIBUTE}', got others; leave cluster out",
            location_text(entry),
        )
    products = [op for op in ops if op.name in PRODUCTS]
    if plan.reuse and not (
        can_reuse(entry, products) or loads_rows_again(entry, ops, plan)
    ):
        raise UserError(
            "expected an entry without products, in which a loop from 0 in steps of 1 "
            "loads what a loop before it loaded, through a view and after no other "
            f"access, for reuse = 1 in '{PLAN_ATTRIBUTE}'; leave reuse out",
            location_text(entry),
        )
