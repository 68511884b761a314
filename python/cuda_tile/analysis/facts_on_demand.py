# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of the values that a pass asks about, from the ops that compute them.

Most passes ask about a few addresses of an entry with hundreds of ops. Such an address
depends on a chain of ops without regions, which begins with parameters, tile block
numbers and indices of loops. Only a value that a loop carries, or that comes from an op
with regions, needs a walk over the whole entry (`FactsAnalysis`).
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import Point, counted_loop
from cuda_tile.analysis.fact_values import Facts
from cuda_tile.analysis.facts import FactsAnalysis, has_rule
from cuda_tile.ir.walk import defining_op


class FactsOnDemand(FactsAnalysis):
    """The facts of `FactsAnalysis`, each found when it is first asked for.

    They are valid as long as the pass does not change the ops that facts come from.

    Args:
        entry: A `cuda_tile.entry` at level T or W.
    """

    is_walked = False
    """Whether a value needed the whole entry."""

    def find_all(self) -> None:
        """Finds nothing yet."""

    def of(self, value: ir.Value) -> Facts:
        """The facts of `value`."""
        if not self.is_walked and value not in self._facts:
            self._find(value)
        return super().of(value)

    def _find(self, wanted: ir.Value) -> None:
        """Finds the facts of a value, after those of the values it is computed from."""
        work = [wanted]
        while work:
            value = work[-1]
            if value in self._facts:
                work.pop()
                continue
            op = defining_op(value)
            if op is None:
                is_found = self._find_argument(value)
            elif len(op.regions):
                is_found = False
            else:
                missing = [v for v in op.operands if v not in self._facts]
                if missing and has_rule(op):
                    work += missing
                    continue
                self.apply(op)
                is_found = True
            if not is_found:
                self.is_walked = True
                self._facts.clear()
                self.solve(())
                return
            super().of(value)  # trivial facts if no rule set any

    def _find_argument(self, value: ir.Value) -> bool:
        """Notes facts of a block argument to which no edge forwards a value."""
        argument = ir.BlockArgument(value)
        op = argument.owner.owner.operation
        if op == self.flow.entry:
            return True
        if argument.arg_number or counted_loop(op) is None:
            return False
        self.set(value, self.made(Point(op, 0), 0))
        return True
