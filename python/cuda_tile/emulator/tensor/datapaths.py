# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where tcgen05.mma keeps the rows and columns of D in tensor memory.

PTX ISA: "Data Path Layout Organization", layouts A, B and D to G (C is of sparse
matrices).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault

Numbers = NDArray[np.int64]


class Part(NamedTuple):
    """A part of D that lies in one rectangle of tensor memory.

    Attributes:
        rank: CTA of the pair, 0 in `.cta_group::1`.
        lanes: Lanes of tensor memory.
        rows: The rows of D there.
        columns: The columns of D there, from the first column of tensor memory on.
    """

    rank: int
    lanes: slice | Numbers
    rows: slice
    columns: slice


def parts_of(m: int, n: int, cta_group: int, lane: int, *, is_ws: bool) -> list[Part]:
    """Returns the parts of D.

    Args:
        m: Its rows.
        n: Its columns.
        cta_group: 1 or 2.
        lane: Lane of the address of D.
        is_ws: Whether the instruction is weight stationary.

    Raises:
        Fault: The lane is not aligned as the layout wants it.
    """
    is_half = m == 64 and not is_ws  # layout F
    if lane not in ((0, 16) if is_half else (0,)):
        wanted = "0 or 16" if is_half else "0"
        raise Fault("tcgen05", f"expected lane {wanted} in an address, got {lane}")
    if is_half:
        rows = np.arange(64)
        lanes = rows // 16 * 32 + rows % 16 + lane
        return [Part(0, lanes, slice(0, 64), slice(0, n))]
    if cta_group == 2:
        mine = m // 2
        ranks = (0, 1)
    else:
        mine, ranks = m, (0,)
    copies = 128 // mine
    width = n // copies
    return [
        Part(
            rank,
            slice(copy * mine, copy * mine + mine),
            slice(rank * mine, rank * mine + mine),
            slice(copy * width, copy * width + width),
        )
        for rank in ranks
        for copy in range(copies)
    ]
