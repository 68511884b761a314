# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs: two CTAs of a cluster that start products in tensor memory together.

Each has half of the rows of a tile block and of what is stored, and brings half of each
right operand, which the instructions read from both (PTX ISA, "CTA pair"). The program
of level T has tile blocks of half the rows, 2 i and 2 i + 1 along x for block i.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import tile_bytes

PAIR_ATTRIBUTE = "tileas.pair"
"""On an entry: its tile blocks are the CTAs of pairs."""
HALVED_ATTRIBUTE = "tileas.halved"
"""On a load: both CTAs of a pair load the same tile, and each brings half of it, along
this dimension."""
PAIR_CTAS = 2
"""CTAs of a pair (PTX ISA, "CTA pair")."""


def is_pair(entry: ir.Operation) -> bool:
    """Whether the tile blocks of an entry are CTAs of pairs."""
    return PAIR_ATTRIBUTE in entry.attributes


def halved_dim(load: ir.Operation | None) -> int | None:
    """The dimension of what a load loads that CTAs of a pair share out; None without.

    Args:
        load: The load; None for what is none.
    """
    if load is None or HALVED_ATTRIBUTE not in load.attributes:
        return None
    return integer(load, HALVED_ATTRIBUTE)


def copied_bytes(load: ir.Operation) -> int:
    """Bytes of shared memory of a CTA that a copy of a load's tile takes."""
    ctas = 1 if halved_dim(load) is None else PAIR_CTAS
    return tile_bytes(load.results[0]) // ctas
