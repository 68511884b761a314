# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another plan for a kernel whose first one asks for more shared memory than there is.

`plan` estimates what the passes after it need; `allocate` knows. Where the estimate was
too low, the module goes back to what `plan` got, and `plan` counts on less.
"""

from __future__ import annotations

from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.constants import LEAST_STEP_BYTES, MOST_PLANS
from cuda_tile.errors import NoRoom
from cuda_tile.ir.plan import add_remark
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options


class Replanning:
    """The state of a module ahead of `plan`, and what its plans may count on.

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

    def again(self, error: NoRoom, options: Options) -> Options:
        """Puts the module back; gives the options for its next plan.

        Args:
            error: What the plan did not fit.
            options: Those of the plan.

        Raises:
            NoRoom: No smaller plan is left; the error is that of the first plan.
        """
        self._first = self._first or error
        limit = options.target.shared_bytes_per_cta
        step = max(self._first.excess_bytes, LEAST_STEP_BYTES) << self._plans - 1
        if self._saved is None or step >= limit or self._plans == MOST_PLANS:
            raise self._first
        self._plans += 1
        _become(self._module, self._saved.clone(ip=False).operation)
        for entry in entries(self._module):
            add_remark(
                entry,
                f"copies ahead of their use have {limit - step} of {limit} bytes of "
                "shared memory: with more, everything else does not fit; smaller "
                "tiles leave more",
            )
        return replace(options, shared_budget=limit - step)


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
