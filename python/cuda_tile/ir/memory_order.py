# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory order of an access: its semantics and its scope."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import keyword
from cuda_tile.records import dataclass

SEMANTICS, SCOPE = "memory_ordering_semantics", "memory_scope"


@dataclass(frozen=True)
class MemoryOrder:
    """How an access is ordered with accesses of other tile blocks.

    Attributes:
        semantics: `weak`, `relaxed`, `acquire`, `release` or `acq_rel`.
        scope: `tl_blk`, `device` or `sys`; empty for a weak access.
    """

    semantics: str
    scope: str

    @property
    def is_strong(self) -> bool:
        """Whether other tile blocks may access the same elements meanwhile."""
        return self.semantics != "weak"

    @property
    def acquires(self) -> bool:
        """Whether later accesses see what the writer of the value released."""
        return self.semantics in ("acquire", "acq_rel")

    @property
    def releases(self) -> bool:
        """Whether a reader that acquires the value sees earlier accesses."""
        return self.semantics in ("release", "acq_rel")


def memory_order(op: ir.Operation) -> MemoryOrder:
    """The order of a load, store or atomic; weak for any other op."""
    return MemoryOrder(keyword(op, SEMANTICS, "weak"), keyword(op, SCOPE))
