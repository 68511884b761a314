# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of ops that passes may rely on, as ODS declares them: sets of op names.

`dialect/include/cuda_tile/IR/Traits.td` says what each word means. An op that declares
nothing is in no set: it is not pure, so nothing moves, repeats or erases it.
`tools/checks/op_lists.py` refuses lists of ops elsewhere, except in rules, which say
what one analysis or rewrite does with an op.
"""

from __future__ import annotations

from cuda_tile import ods
from cuda_tile._mlir import ir


def _having(word: str) -> frozenset[str]:
    every = ods.ops().values()
    return frozenset(ods.full_name(op.name) for op in every if word in op.traits)


def _taking(operand: str) -> frozenset[str]:
    every = ods.ops().values()
    return frozenset(ods.full_name(op.name) for op in every if operand in op.operands)


PURE = _having("computes")
"""Ops without regions that only compute their results. Division by zero is no effect:
it spoils its own element only."""
TERMINATORS = _having("ends")
"""Ops that end a block."""
ENDS_THREADS = _having("ends_threads")
"""Those of them that end what their threads do."""

LOADS = _having("loads")
"""Ops that load a tile from global memory to registers."""
STORES = _having("stores")
"""Ops that store a tile from registers to global memory."""
COPIES = _having("copies")
"""Ops that fill a buffer from global memory, the last of their operand groups."""
READS = LOADS | COPIES
"""Ops that read global memory and do not write it."""
ACCESSES = _having("accesses")
"""Ops that touch global memory of the program."""
VIEW_ACCESSES = ACCESSES & _taking("view")
"""Those of them through views of tiles."""
POINTER_ACCESSES = ACCESSES & _taking("mask")
"""Those of them through tiles of pointers."""
ORDER_NOTHING = _having("orders_nothing")
"""Ops with tokens that order no memory: a hint when to start the next grid, which sees
what this one wrote only behind a wait of its own for this one's end (PTX ISA,
"griddepcontrol"), and prints, which one thread makes in program order."""

VIEW_LOADS, POINTER_LOADS = LOADS & VIEW_ACCESSES, LOADS & POINTER_ACCESSES
"""Loads of each kind."""
VIEW_STORES = STORES & VIEW_ACCESSES
"""Stores through views."""

LOOPS = _having("loops")
"""Ops that run a region again and again, with carried values."""
COUNTED_LOOPS = _having("counted")
"""Loops whose results are what the last iteration carried on."""
FREES = _having("frees")
"""Ops behind which what was allocated in their region is no longer there."""
FOR_LOOPS = COUNTED_LOOPS & FREES
"""Those of them that a program has, `for`."""
TILE_LOOPS = COUNTED_LOOPS - FREES
"""Those over tile blocks, of a persistent kernel."""
COMBINES = _having("combines")
"""Ops that combine elements along a dimension by their region."""
REDUCTIONS = _having("reduces")
"""Those of them that leave one element."""
SCANS = COMBINES - REDUCTIONS
"""Those of them that leave as many."""
CONSTANTS = _having("constant")
"""Ops whose result stands in their attributes."""

ELEMENTWISE = _having("elementwise")
"""Ops that compute each element from its peers alone."""
EXPENSIVE = _having("expensive")
"""Ops that take a thread many instructions for an element."""
COMMUTATIVE = _having("commutes")
"""Ops whose result has the same bits when their operands change places."""
POWERS = _having("powers")
"""Ops that raise a base to the power of their operand."""
RENAMES = _having("renames")
"""Ops whose result has the elements of their operand in the same threads."""
SAME_ELEMENTS = RENAMES | _having("relocates")
"""Ops whose result has the elements of their operand, in another shape or layout."""
SPREADS = RENAMES | _having("repeats")
"""Ops each element of whose result the same thread has of their operand."""
KEEPS_ELEMENTS = SAME_ELEMENTS | SPREADS
"""Ops each element of whose result is one of their operand's."""
HIDES_ZERO_SIGNS = _having("hides_zero_signs")
"""Ops whose result does not tell -0 from +0."""
KEEPS_ZERO_SIGNS = _having("keeps_zero_signs")
"""Ops in whose result at most signs of zeros change where those of operands do."""
PRODUCTS = _having("multiplies")
"""Ops of level T that a matrix instruction computes."""
ALLOCATES = _having("allocates")
"""Ops that take shared memory: a buffer, or a ring of them."""
BUFFER_USERS = _having("uses_buffer")
"""Ops by which threads make, fill or read a buffer, and go on once that is done."""
BUFFER_LOADS = _having("loads_buffer")
"""Those of them that load what a buffer holds."""
BUFFER_MAKERS, BUFFER_STORES = (
    BUFFER_USERS & ALLOCATES,
    BUFFER_USERS - ALLOCATES - BUFFER_LOADS,
)
"""Those of them that make a buffer, and that fill it."""
BUFFER_RENAMES = _having("renames_buffer")
"""Ops whose result is their operand, a buffer, as one of other elements."""
RINGS = ALLOCATES - BUFFER_USERS
"""Ops that make a ring."""
BUFFER_ORDERS = _having("orders_buffers")
"""Ops that order accesses to buffers, and do nothing else."""
AWAITS = _having("awaits_products")
"""Ops behind which the products that they are given no longer read their buffers."""
RING_STEPS = _having("steps_ring")
"""Ops that advance a ring, by their first operand."""
SLOT_GIVERS = _having("gives_slot")
"""Those of them that give the buffers of a slot."""
FILL_STEPS = _having("fills_ring")
"""Those of who fills the slots."""
DRAIN_STEPS = RING_STEPS - FILL_STEPS
"""Those of who reads them."""
ACQUIRES, PUBLISHES = FILL_STEPS & SLOT_GIVERS, FILL_STEPS - SLOT_GIVERS
"""How who fills a slot gets it, and hands it on."""
TAKES, RELEASES = DRAIN_STEPS & SLOT_GIVERS, DRAIN_STEPS - SLOT_GIVERS
"""How who reads a slot gets it, and gives it back."""
PRODUCT_WAITS = AWAITS - RING_STEPS
"""Ops that wait for products and do nothing else."""


def is_pure(op: ir.Operation) -> bool:
    """Whether an op without regions only computes its results.

    Such an op may run again elsewhere, or earlier, or not at all if its results are
    unused.
    """
    return op.name in PURE
