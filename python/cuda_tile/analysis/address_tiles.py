# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of addresses and masks, and the tiles from which they are computed.

One instruction moves a vector of neighbours and takes the address and the mask of the
first one. So a thread holds one pointer per vector, not one per element: for example
one per row of its tile if a table names rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import LOADS, POINTER_ACCESSES, STORES


class AddressTiles:
    """How many neighbouring elements share one value that a thread holds.

    Args:
        ops: The ops of an entry.
        facts: The facts of its values.
    """

    def __init__(self, ops: Sequence[ir.Operation], facts: FactsAnalysis) -> None:
        self._facts = facts
        self._vectors: dict[tuple[int, ...], tuple[int, int]] = {}
        for op in ops:
            if op.name in POINTER_ACCESSES & (LOADS | STORES) and shape_of(
                op.operands[0]
            ):
                access = describe_access(op, facts)
                vector = access.fastest, access.vector
                known = self._vectors.setdefault(access.shape, vector)
                if known[0] != vector[0] or known[1] > vector[1]:
                    self._vectors[access.shape] = vector[0], min(known[1], vector[1])

    def neighbours(self, tile: ir.Value) -> int:
        """Number of neighbours of which a thread holds the first, a power of two.

        The neighbours are equal or count up, so that adding a constant gives any other.
        Layouts give a thread whole vectors of the tiles of loads and stores, if there
        are enough vectors for all threads.

        Args:
            tile: A tile of any element type.
        """
        fastest, vector = self._vectors.get(tuple(shape_of(tile)), (0, 1))
        if vector == 1 or isinstance(element_of(tile), ir.FloatType):
            return 1
        known = self._facts.of(tile)
        return min(vector, max(known.contiguity[fastest], known.constancy[fastest]))
