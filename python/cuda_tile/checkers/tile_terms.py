# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory effects of a kernel at level W, and the terms of their operands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.checkers.folds import Folds
from cuda_tile.checkers.op_terms import OpTerms
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import (
    BUFFER_ORDERS,
    BUFFER_STORES,
    COMBINES,
    COPIES,
    LOADS,
    LOOPS,
    POINTER_LOADS,
)
from cuda_tile.ir.walk import block_ops, body, location_text, nested_ops, op_stem

_NAMES = {"tileas.copy_out": "store_view_tko"}
"""What ops of level W do as another one does."""
_FILLS = BUFFER_STORES | COPIES


class Effect(NamedTuple):
    """An access to memory, or the begin or end of a region.

    Attributes:
        name: The name of the effect.
        parts: The terms of its operands.
        op: The op.
    """

    name: str
    parts: tuple[int, ...]
    op: ir.Operation

    def where(self) -> str:
        """Where the op stands."""
        return location_text(self.op)


class TileTerms:
    """The effects of a kernel, in order.

    Args:
        entry: The kernel, at level W, before its buffers become rings.
        terms: The terms, which other kernels may share.
    """

    def __init__(self, entry: ir.Operation, terms: Folds) -> None:
        self.terms = terms
        self.effects: list[Effect] = []
        self._ops = OpTerms(terms)
        self._regions = 0
        self._loads = Counter[tuple[int, ...]]()
        self._block(body(entry))

    def _block(self, block: ir.Block) -> None:
        self._regions += 1
        for number, value in enumerate(block.arguments):
            self._unknown(value, ("argument", number, self._regions))
        for op in block_ops(block):
            if op.regions and op.name not in COMBINES:
                self._around(op)
            elif not self._ops.computed(op):
                self._accessed(op)

    def _unknown(self, value: ir.Value, label: Hashable) -> None:
        self._ops.values[value] = self.terms.view(label, self._ops.bits_of(value))

    def _around(self, op: ir.Operation) -> None:
        """A loop or a branch: what it is given is compared, what it leaves unknown."""
        number = self._regions
        self._effect(op_stem(op), op, self._ops.parts(op.operands))
        fills = (each for each in nested_ops(op) if each.name in _FILLS)
        filled = {self._ops.home(list(each.operands)[-1]) for each in fills}
        outside = self._ops.held
        kept = {b: held for b, held in outside.items() if b not in filled}
        for region in op.regions:
            for block in region.blocks:
                self._ops.held = dict(kept if op.name in LOOPS else outside)
                self._block(block)
        self._ops.held = kept
        for place, value in enumerate(op.results):
            self._unknown(value, ("result", place, number))

    def _effect(self, name: str, op: ir.Operation, parts: Sequence[int]) -> None:
        self.effects.append(Effect(name, tuple(parts), op))

    def _accessed(self, op: ir.Operation) -> None:
        """An access to global memory, or what ends a region."""
        if op.name in BUFFER_ORDERS:
            return
        if op.name in COPIES:
            *given, buffer = op.operands
            self._ops.fill(buffer, self._load(op, given, self._ops.bits_of(buffer)))
            return
        if op.name in LOADS and not memory_order(op).is_strong:
            value = op.results[0]
            self._ops.values[value] = self._load(
                op, op.operands, self._ops.bits_of(value)
            )
            return
        name = _NAMES.get(op_stem(op), op_stem(op))
        self._effect(name, op, self._ops.parts(op.operands))
        for place, value in enumerate(op.results):
            self._unknown(value, ("accessed", place, len(self.effects)))

    def _load(self, op: ir.Operation, given: Iterable[ir.Value], bits: int) -> int:
        """What a load has, which another one of the same operands may not have.

        What a mask excludes is zero if nothing else is said.
        """
        parts = tuple(self._ops.parts(given))
        if op.name in POINTER_LOADS:
            parts = tuple(part for part in parts if not self._ops.is_zero(part))
        self._loads[parts] += 1
        return self.terms.view(("load", parts, self._loads[parts]), bits)
