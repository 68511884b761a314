# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tokens stand for: the accesses to global memory that one is behind.

Sets of accesses are bit masks, so that two of them are joined by one instruction.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ValueAnalysis
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.walk import enclosing_ops

_NO_ACCESS = (
    "cuda_tile.print_tko",
    "cuda_tile.gdc_launch_dependents_tko",
    "cuda_tile.gdc_wait_tko",
)
"""Ops with tokens that touch no memory of the program. One thread prints everything in
program order, and all threads wait for the preceding kernel themselves."""
_COPIES = ("tileas.copy_in", "tileas.gather_in", "tileas.copy_out")
"""What moves tiles between global and shared memory at level W."""
LOADS = (
    "cuda_tile.load_view_tko",
    "cuda_tile.load_ptr_tko",
    "tileas.copy_in",
    "tileas.gather_in",
)
"""Accesses that only read."""


def is_access(op: ir.Operation) -> bool:
    """Whether an op touches global memory of the program."""
    if op.name in _COPIES:
        return True
    return op.name.endswith("_tko") and op.name not in _NO_ACCESS


class Accesses:
    """The accesses of an entry to global memory; sets of them are bit masks.

    A mask has two bits per access: of n accesses, bit i stands for access i as it ran
    last, bit n + i for one that ran in an earlier iteration of a loop, with other
    pointers.

    Args:
        flow: The control flow of an entry.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self.ops = [op for op in flow.ops() if is_access(op)]
        self._bits = {op: 1 << i for i, op in enumerate(self.ops)}
        self.loads = sum(self._bits[op] for op in self.ops if op.name in LOADS)
        self.loads |= self.loads << len(self.ops)
        acquires = (op for op in self.ops if memory_order(op).acquires)
        self.acquires = sum(self._bits[op] for op in acquires)
        self.acquires |= self.acquires << len(self.ops)
        self._repointed: dict[ir.Operation, int] = {}
        for op in self.ops:
            if op.name.endswith("_ptr_tko"):
                for outer in enclosing_ops(op.operands[0]):
                    known = self._repointed.get(outer, 0)
                    self._repointed[outer] = known | self._bits[op]

    def bit(self, op: ir.Operation) -> int:
        """The mask of one op as it runs; 0 if it is no access."""
        return self._bits.get(op, 0)

    def split(self, mask: int) -> tuple[list[ir.Operation], bool]:
        """The accesses of a mask with their present pointers; whether it has others."""
        present = [op for op, bit in self._bits.items() if mask & bit]
        return present, mask >> len(self.ops) != 0

    def along(self, edge: Edge, mask: int) -> int:
        """A mask at the end of an edge: the next iteration has other pointers."""
        if edge.target.region is None or edge.source == edge.target.op:
            return mask
        old = mask & self._repointed.get(edge.target.op, 0)
        return mask & ~old | old << len(self.ops)


class AccessesBehindTokens(ValueAnalysis[int]):
    """The accesses that a token depends on, on some path, as a mask."""

    def __init__(self, flow: ControlFlow, accesses: Accesses) -> None:
        super().__init__(flow)
        self._accesses = accesses

    def unknown(self, value: ir.Value) -> int:
        """`make_token` is after nothing."""
        del value
        return 0

    def join_facts(self, known: int, news: int) -> int:
        """Either way's accesses."""
        return known | news

    def forward(self, edge: Edge, state: tuple[int, ...]) -> tuple[int, ...]:
        """What is behind the tokens that are handed on."""
        masks = super().forward(edge, state)
        return tuple(self._accesses.along(edge, mask) for mask in masks)

    def apply(self, op: ir.Operation) -> None:
        """A token is after the op that makes it and after that op's tokens."""
        tokens = [v for v in op.results if isinstance(v.type, TokenType)]
        if tokens:
            mask = self.waited_for(op) | self._accesses.bit(op)
            for token in tokens:
                self.set(token, mask)

    def waited_for(self, op: ir.Operation) -> int:
        """The accesses behind the tokens that `op` takes."""
        mask = 0
        for value in op.operands:
            if isinstance(value.type, TokenType):
                mask |= self.of(value)
        return mask
