# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An entry to plan: its space and its model, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import THREADS
from cuda_tile.ir.maps import read_abi
from cuda_tile.ir.plan import Plan
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.options import Options
from cuda_tile.plan.loads import Loads
from cuda_tile.plan.model import Candidate, Model, is_awkward
from cuda_tile.plan.rows import plan_rows
from cuda_tile.plan.search import Found, search
from cuda_tile.plan.space import Decision, Hints, Space
from cuda_tile.plan.write import Whole, complete, complete_by_hand
from cuda_tile.records import dataclass
from cuda_tile.targets import MOST_SHARED_BYTES, Target


@dataclass(frozen=True, eq=False)
class Listed:
    """A candidate with its number.

    Attributes:
        number: Its place among all decisions.
        candidate: The candidate.
        whole: The plans that follow from it; None if it cannot be.
        is_chosen: Whether it is the one that the search takes.
    """

    number: int
    candidate: Candidate
    whole: Whole | None
    is_chosen: bool


class Problem:
    """The planning problem of one entry.

    Args:
        entry: The entry, at level T.
        options: The user's choices.

    Attributes:
        ops: Its ops.
        space: The decisions that may be taken.
    """

    def __init__(self, entry: ir.Operation, options: Options) -> None:
        self._entry, self._options = entry, options
        self.ops: Sequence[ir.Operation] = list(nested_ops(entry))
        target = _budgeted(options)
        self._choices = Loads(entry, self.ops, target, read_abi(entry)).choices
        names = [copies.name for copies in self._choices]
        copying = [name for name in names if name != THREADS] or names
        rows = plan_rows(entry, self.ops, options, Hints.of(entry, options))
        self.rows_remark = rows[1] if rows else None
        space = Space(entry, self.ops, options, copying, rows[0] if rows else None)
        self.space, self._all_engines = space, names
        self._model = Model(entry, self.ops, target, space, self._choices)

    def solve(self) -> Found:
        """The plan of the entry, or the one that the user asked for.

        Raises:
            UserError: There is no plan of that number, or it cannot be.
        """
        number = self._options.plan
        only = None if number is None else self._numbered(number)
        only = only or self.space.rows
        return search(self._entry, self._model, self.space, self._options, only)

    def by_hand(self, plan: Plan) -> Whole:
        """What follows from a plan that stands on the entry."""
        model = self._model
        while True:
            found = [
                (model.copies(name, plan.num_warps)) for name in self.space.engines
            ]
            wholes = [
                complete_by_hand(plan, model.products(plan, copies), copies)
                for copies in found
            ]
            whole = min(wholes, key=lambda w: _waits(w, plan))
            if not whole.rings.no_room:
                return whole
            model = model.without(whole.rings.no_room)

    def list(self) -> list[Listed]:
        """All candidates, in the order of their numbers."""
        chosen = self.solve().chosen.decision
        found: list[Listed] = []
        for number, decision in enumerate(self._decisions):
            made = self._model.candidate(decision)
            whole = None
            if made.refusal is None:
                whole = complete(self._entry, made, self.space, self._options)
                made = self._model.beside(made, whole.rings.cta_bytes)
            found.append(Listed(number, made, whole, decision == chosen))
        return found

    @cached_property
    def _decisions(self) -> list[Decision]:
        return self.space.all(self._all_engines)

    def _numbered(self, number: int) -> Decision:
        """The decision of a number, if it can be."""
        where = location_text(self._entry)
        if number >= len(self._decisions):
            raise UserError(
                f"expected the number of one of {len(self._decisions)} plans, got "
                f"{number}; --list-plans shows them",
                where,
            )
        found = self._decisions[number]
        if (reason := self._model.candidate(found).refusal) is not None:
            raise UserError(
                f"expected a plan that can be, got {number}: {reason}", where
            )
        return found


def _waits(whole: Whole, plan: Plan) -> bool:
    return is_awkward(whole.copies, whole.products, plan.roles)


def _budgeted(options: Options) -> Target:
    """The chip, with no more shared and tensor memory than plan may count on."""
    target, columns = options.target, options.tensor_budget
    most = min(target.shared_bytes_per_cta, options.shared_budget or MOST_SHARED_BYTES)
    if columns is None:
        columns = target.tensor_columns
    columns = min(target.tensor_columns, columns)
    return replace(target, shared_bytes_per_cta=most, tensor_columns=columns)
