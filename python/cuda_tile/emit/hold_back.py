# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas is kept from: moving instructions over a point of the program."""

from __future__ import annotations

from cuda_tile.emit.builder import Builder


def hold_back(b: Builder) -> None:
    """Keeps ptxas from moving anything over this point, and from joining loads.

    ptxas 13.5 moves a wait for products up over instructions that only compute: in
    attention 31 of 34 exponentials then came behind the wait. What shared memory is
    read for twice, it reads once and keeps, or spills. It does neither over an event of
    the performance monitor; the empty mask stands for no event (PTX ISA, "pmevent").
    """
    b.inline_ptx("pmevent.mask 0;", "", [], [], side_effects=True)
