# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes may rely on of an op, as ODS declares it: sets of op names.

`dialect/include/cuda_tile/IR/Traits.td` says what each word means. An op that declares
nothing is in no set: it is not pure, so nothing moves, repeats or erases it.
`tools/checks/op_lists.py` refuses lists of ops elsewhere, but for rules, which say what
one analysis or rewrite does with an op.
"""

from __future__ import annotations

from cuda_tile import ods
from cuda_tile._mlir import ir


def full_name(stem: str) -> str:
    """The name of an op that the list of ops has without its dialect."""
    return stem if "." in stem else f"cuda_tile.{stem}"


def _having(word: str) -> frozenset[str]:
    every = ods.ops().values()
    return frozenset(full_name(op.name) for op in every if word in op.traits)


PURE = _having("computes")
"""Ops without regions that only compute their results. Division by zero is no effect:
it spoils its own element only."""
TERMINATORS = _having("ends")

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
ORDER_NOTHING = _having("orders_nothing")
"""Ops with tokens that order no memory: a hint when to start the next grid, which sees
what this one wrote only behind a wait of its own for this one's end (PTX ISA,
"griddepcontrol"), and prints, which one thread makes in program order."""

LOOPS = _having("loops")
"""Ops that run a region again and again, with carried values."""
COUNTED_LOOPS = _having("counted")
"""Loops whose results are what the last iteration carried on."""
COMBINES = _having("combines")
"""Ops that combine elements along a dimension by their region."""

ELEMENTWISE = _having("elementwise")
"""Ops that compute each element from its peers alone."""
EXPENSIVE = _having("expensive")
"""Ops that take a thread many instructions for an element."""
COMMUTATIVE = _having("commutes")
"""Ops whose result has the same bits when their operands change places."""
RENAMES = _having("renames")
"""Ops whose result has the elements of their operand, in another shape or layout."""
KEEPS_ELEMENTS = RENAMES | _having("repeats")
"""Ops each element of whose result is one of their operand's."""
HIDES_ZERO_SIGNS = _having("hides_zero_signs")
"""Ops whose result does not tell -0 from +0."""
KEEPS_ZERO_SIGNS = _having("keeps_zero_signs")
"""Ops in whose result at most signs of zeros change where those of operands do."""
PRODUCTS = _having("multiplies")
"""Ops of level T that a matrix instruction computes."""
VIEW_MAKERS = _having("makes_view")
"""Ops whose result is a view."""

RING_STEPS = _having("steps_ring")
"""Ops that advance a ring, by their first operand."""
SLOT_GIVERS = _having("gives_slot")
"""Those of them that give the buffers of a slot."""
FILL_STEPS = _having("fills_ring")
"""Those of who fills the slots."""


def is_pure(op: ir.Operation) -> bool:
    """Whether an op without regions only computes its results.

    It may then run again elsewhere, earlier, or not at all if nothing uses these.
    """
    return op.name in PURE
