# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scratch memory: shared memory that ops need besides their tiles while they run.

`print_tko` passes elements of a tile to the thread that prints, `alloca` passes an
address to all threads, and atomic updates of few places are collected there. One piece
of shared memory serves all ops of a kernel: each of them separates its uses by
barriers, and no buffer shares the bytes.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.bins import find_bins, may_collect
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.constants import MOST_PRINTED_ELEMENTS
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.ir.walk import nested_ops

SCRATCH_ATTRIBUTE = "tileas.scratch"
"""On an entry: where its scratch memory begins, in bytes of its shared memory."""
SLOT_BYTES, WORD_BYTES = 8, 4
"""Of an address, or of an element as it is printed."""


def print_slots(op: ir.Operation) -> int:
    """Elements of its largest tile that a `print_tko` passes at a time."""
    sizes = [elements_of(v) for v in op.operands if is_distributed(v)]
    return min(MOST_PRINTED_ELEMENTS, max(sizes, default=0))


def scratch_bytes(entry: ir.Operation) -> int:
    """Scratch memory of an entry, in bytes; 0 for most entries."""
    slots = words = 0
    atomics: list[ir.Operation] = []
    for op in nested_ops(entry):
        if op.name == "cuda_tile.alloca":
            slots = max(slots, 1)
        elif op.name == "cuda_tile.print_tko":
            slots = max(slots, print_slots(op))
        elif may_collect(op):
            atomics.append(op)
    facts = FactsAnalysis(entry) if atomics else None
    for op in atomics:
        bins = None if facts is None else find_bins(op, facts)
        words = max(words, 0 if bins is None else bins.count)
    return max(slots * SLOT_BYTES, -(-words * WORD_BYTES // SLOT_BYTES) * SLOT_BYTES)
