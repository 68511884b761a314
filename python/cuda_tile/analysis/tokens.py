# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token order: the accesses to global memory that precede each token.

Sets of accesses are bit masks, so that one instruction joins two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ValueAnalysis
from cuda_tile.analysis.tiling import index_operands, view_operand
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import ACCESSES, POINTER_ACCESSES, READS, VIEW_ACCESSES
from cuda_tile.ir.walk import defining_op, enclosing_ops

GRID_WAIT = "cuda_tile.gdc_wait_tko"
"""Waits until the preceding grid has ended and all its writes are visible. Every thread
of each role whose accesses come behind it waits itself: no barrier is needed
(analysis/role_slice.py)."""


def is_access(op: ir.Operation) -> bool:
    """Whether an op touches global memory of the program."""
    return op.name in ACCESSES


def is_ordering(op: ir.Operation) -> bool:
    """Whether an op touches global memory, or waits for a grid that does."""
    return is_access(op) or op.name == GRID_WAIT


def is_fresh(token: ir.Value) -> bool:
    """Whether a token is after no access at all."""
    op = defining_op(token)
    return op is not None and op.name == "cuda_tile.make_token"


def is_plain_load(op: ir.Operation) -> bool:
    """Whether an op only reads, so that loads may move before it."""
    return op.name in READS and not memory_order(op).acquires


def token_operand(op: ir.Operation) -> ir.Value | None:
    """The token behind which an access stands, or None."""
    tokens = tokens_of(op.operands)
    return tokens[0] if tokens else None


def is_ordered(access: ir.Operation) -> bool:
    """Whether tokens order an access with anything."""
    if not all(map(is_fresh, tokens_of(access.operands))):
        return True
    return any(list(token.uses) for token in tokens_of(access.results))


class Accesses:
    """The accesses of an entry to global memory; sets of them are bit masks.

    A mask of n accesses has 2 n bits: bit i stands for access i as it ran last, bit
    n + i for access i in an earlier iteration of a loop, with other pointers.

    Args:
        flow: The control flow of an entry.
        counts: Which ops count as accesses.
    """

    def __init__(
        self, flow: ControlFlow, counts: Callable[[ir.Operation], bool] = is_access
    ) -> None:
        self.ops = [op for op in flow.ops() if counts(op)]
        self._bits = {op: 1 << i for i, op in enumerate(self.ops)}
        self.loads = sum(self._bits[op] for op in self.ops if op.name in READS)
        self.loads |= self.loads << len(self.ops)
        acquires = (op for op in self.ops if memory_order(op).acquires)
        self.acquires = sum(self._bits[op] for op in acquires)
        self.acquires |= self.acquires << len(self.ops)
        self._repointed: dict[ir.Operation, int] = {}
        for op in self.ops:
            for outer in {o for value in _places(op) for o in enclosing_ops(value)}:
                known = self._repointed.get(outer, 0)
                self._repointed[outer] = known | self._bits[op]

    def bit(self, op: ir.Operation) -> int:
        """The mask of one op as it runs; 0 if it is no access."""
        return self._bits.get(op, 0)

    def of(self, mask: int) -> list[ir.Operation]:
        """The accesses of a mask, whatever their pointers are."""
        mask |= mask >> len(self.ops)
        return [op for op, bit in self._bits.items() if mask & bit]

    def split(self, mask: int) -> tuple[list[ir.Operation], bool]:
        """The accesses of a mask with present pointers; whether there are others."""
        present = [op for op, bit in self._bits.items() if mask & bit]
        return present, mask >> len(self.ops) != 0

    def along(self, edge: Edge, mask: int) -> int:
        """A mask at the end of an edge: the next iteration has other pointers.

        Args:
            edge: An edge of the control flow.
            mask: Accesses, one bit each.
        """
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
        """The accesses of either path."""
        return known | news

    def forward(self, edge: Edge, state: tuple[int, ...]) -> tuple[int, ...]:
        """The accesses that precede the tokens that are passed on."""
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


class TokenOrder:
    """Which accesses tokens order with one another; computed when first asked.

    Waits for the preceding grid count as accesses.

    Args:
        entry: The entry.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self._entry = entry

    @cached_property
    def _solved(self) -> tuple[Accesses, AccessesBehindTokens]:
        flow = ControlFlow(self._entry)
        accesses = Accesses(flow, is_ordering)
        behind = AccessesBehindTokens(flow, accesses)
        behind.solve(())
        return accesses, behind

    def before(self, access: ir.Operation) -> list[ir.Operation]:
        """The accesses before an access, also the same op in an earlier iteration."""
        if all(map(is_fresh, tokens_of(access.operands))):
            return []
        accesses, behind = self._solved
        return accesses.of(behind.waited_for(access))

    def writes_after(self, load: ir.Operation) -> list[ir.Operation]:
        """The accesses that wait for a load and do more than read."""
        if not any(list(token.uses) for token in tokens_of(load.results)):
            return []
        accesses, _ = self._solved
        others = (op for op in accesses.ops if op.name not in READS | {GRID_WAIT})
        return [op for op in others if load in self.before(op)]


def _places(access: ir.Operation) -> list[ir.Value]:
    """The operands that give the address of an access; none for a grid's wait."""
    if access.name in POINTER_ACCESSES:
        return [access.operands[0]]
    return (
        []
        if access.name not in VIEW_ACCESSES
        else [
            view_operand(access),
            *index_operands(access),
        ]
    )


def tokens_of(values: Iterable[ir.Value]) -> list[ir.Value]:
    """The tokens among some values."""
    return [value for value in values if isinstance(value.type, TokenType)]
