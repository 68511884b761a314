# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores to the shared memory of every CTA of a cluster.

An address in the own CTA names the same variable in another one after `mapa` (PTX ISA,
"mapa"). Lanes that hold copies of what is stored divide the CTAs among them, so that
one instruction of a warp stores to all where there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.vectors import REMOTE, Run, store_run
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout


class Push:
    """The CTAs to which a thread stores its elements.

    Args:
        e: Where to build.
        layout: Of the elements.

    Attributes:
        owner: Whether the thread stores at all; None for always.
    """

    def __init__(self, e: Emitter, layout: LinearLayout) -> None:
        self._e = e
        free = layout.free_bits().lane
        wanted = e.threads.cluster.bit_length() - 1
        copies = [bit for bit in range(N_LANE_BITS) if free >> bit & 1][:wanted]
        self._columns = [0] * N_LANE_BITS
        for place, bit in enumerate(copies):
            self._columns[bit] = 1 << place
        self._by_lanes = 1 << len(copies)
        mask = sum(1 << bit for bit in copies)
        self.owner = e.threads.is_owner(layout, but_lanes=mask)

    def store(
        self,
        run: Run,
        words: Sequence[ir.Value],
        pointer: ir.Value,
        predicate: ir.Value | None,
    ) -> None:
        """Stores a run of words to the CTAs that are this thread's part.

        Args:
            run: How elements travel.
            words: The words.
            pointer: The address in the own CTA.
            predicate: Whether to store (i1); None for always.
        """
        e, b = self._e, self._e.builder
        mine = e.threads.linear_form(self._columns)
        for first in range(0, e.threads.cluster, self._by_lanes):
            rank = b.binary("or", mine, first)
            text = "mapa.shared::cluster.u32 $0, $1, $2;"
            address = b.ptx_value(text, b.i32, pointer, rank)
            store_run(b, run, words, address, predicate, space=REMOTE)
