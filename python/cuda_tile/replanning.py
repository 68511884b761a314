# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another plan for a kernel whose first one asks for more memory than there is.

`plan` estimates the shared memory and the columns of tensor memory that the passes
after it need; `allocate` knows. Where the estimate was too low, the module goes back to
what `pair` got, and `plan` counts on less. So it does where the CTAs of a pair cannot
multiply together, and is planned for one CTA.
"""

from __future__ import annotations

from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.constants import LEAST_STEP_BYTES, MOST_PLANS
from cuda_tile.errors import NoPair, NoRoom
from cuda_tile.ir.plan import add_remark
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options


class Replanning:
    """The state of a module ahead of its choices, and what plans may count on.

    Args:
        module: The `builtin.module` that is compiled.
    """

    def __init__(self, module: ir.Operation) -> None:
        self._module = module
        self._saved: ir.Operation | None = None
        self._first: NoRoom | None = None
        self._plans = 1

    def save(self) -> None:
        """Keeps the module as it is now."""
        if self._saved is None:
            self._saved = self._module.clone(ip=False).operation

    def again(self, error: NoRoom | NoPair, options: Options) -> Options:
        """Puts the module back; gives the options for its next plan.

        Args:
            error: What the plan did not fit.
            options: Those of the plan.

        Raises:
            NoRoom: No smaller plan is left; the error is that of the first plan.
            NoPair: No plan is left for which pairs could be given up.
        """
        if isinstance(error, NoPair):
            self._first, self._plans = None, 1
            if self._saved is None or not options.pairs:
                raise error
            remark = f"one CTA for a tile block instead of two: {error.message}"
            return self._with(replace(options, pairs=False), remark)
        self._first = self._first or error
        smaller = (
            self._with_fewer_columns(error.excess_columns, options)
            if error.excess_columns
            else self._with_fewer_bytes(options)
        )
        if self._saved is None or smaller is None or self._plans == MOST_PLANS:
            raise self._first
        self._plans += 1
        return self._with(*smaller)

    def _with(self, options: Options, remark: str) -> Options:
        """Puts the module back, with a remark why its options are others."""
        assert self._saved is not None, "there is a state to go back to"
        _become(self._module, self._saved.clone(ip=False).operation)
        for entry in entries(self._module):
            add_remark(entry, remark)
        return options

    def _with_fewer_bytes(self, options: Options) -> tuple[Options, str] | None:
        """Options whose plan has less shared memory, and what they give up."""
        limit = options.target.shared_bytes_per_cta
        excess = self._first.excess_bytes if self._first else 0
        step = max(excess, LEAST_STEP_BYTES) << self._plans - 1
        remark = (
            f"copies ahead of their use have {limit - step} of {limit} bytes of "
            "shared memory: with more, everything else does not fit; smaller "
            "tiles leave more"
        )
        if step >= limit:
            return None
        return replace(options, shared_budget=limit - step), remark

    def _with_fewer_columns(
        self, excess: int, options: Options
    ) -> tuple[Options, str] | None:
        """Options whose plan has fewer columns, and what they give up."""
        limit, budget = options.target.tensor_columns, options.tensor_budget
        fewer = max(0, (limit if budget is None else budget) - excess)
        remark = (
            f"sums have {fewer} of {limit} columns of tensor memory: with more, what "
            "loops carry does not fit; smaller tiles need fewer"
        )
        return None if budget == 0 else (replace(options, tensor_budget=fewer), remark)


def _become(module: ir.Operation, other: ir.Operation) -> None:
    """Moves what `other` has into `module`, in place of what is there."""
    for name in list(module.attributes):
        del module.attributes[name]
    for name in other.attributes:
        module.attributes[name] = other.attributes[name]
    body = module.regions[0].blocks[0]
    for op in reversed([op.operation for op in body.operations]):
        op.erase()
    for op in [op.operation for op in other.regions[0].blocks[0].operations]:
        body.append(op)
