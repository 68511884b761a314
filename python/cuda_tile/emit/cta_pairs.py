# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of CTAs: who of them starts products, and whose mbarriers are told.

The CTA of rank 0 leads: copies of both arrive at its mbarriers, one of its threads
starts the products of both, and a commit tells both (PTX ISA, "tcgen05.commit",
.multicast::cluster).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from cuda_tile._mlir import ir
from cuda_tile.emit.blocks import when
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.threads import linear_form_of
from cuda_tile.ir.cta_pairs import PAIR_CTAS
from cuda_tile.ir.rings import is_drained_by_one
from cuda_tile.layout.shared import SharedLayout

BOTH = (1 << PAIR_CTAS) - 1
"""The mask of the CTAs of a pair."""


def leads(e: Emitter) -> ir.Value:
    """Whether this CTA starts the products of its pair (i1)."""
    return e.threads.leads()


@contextmanager
def in_leader(e: Emitter, *, is_pair: bool) -> Generator[None]:
    """Emits what follows for the CTA that leads, or for all where there are no pairs.

    Args:
        e: The emitter.
        is_pair: Whether there are pairs.
    """
    if not is_pair:
        yield
        return
    with when(e, leads(e)):
        yield


def feeds_pair(e: Emitter, ring: ir.Operation) -> bool:
    """Whether products of a pair read the slots of a ring.

    Args:
        e: The emitter.
        ring: The ring.
    """
    return e.is_pair and is_drained_by_one(ring)


def group_of(e: Emitter) -> ir.Attribute:
    """The CTAs of the kernel's instructions for tensor memory."""
    count = PAIR_CTAS if e.is_pair else 1
    return e.builder.attribute(f"#nvvm.cta_group<cta_{count}>")


def arrive_at_peer(e: Emitter, pointer: ir.Value) -> None:
    """One arrival at the other CTA's mbarrier, which orders nothing by itself.

    What threads did in tensor memory fences of `tcgen05` order around it. A release in
    the cluster would wait for all that the thread has stored.

    Args:
        e: The emitter.
        pointer: The address of the same mbarrier of this CTA.
    """
    b = e.builder
    peer = b.binary("xor", e.threads.rank(), 1)
    text = "mapa.shared::cluster.u32 $0, $1, $2;"
    address = b.ptx_value(text, b.i32, pointer, peer)
    text = "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [$0];"
    b.ptx(text, [], address, has_effect=True)


def first_of_cta(e: Emitter, layout: SharedLayout, dim: int) -> ir.Value | None:
    """Where a CTA's part of a tile begins along a dimension (i32); None for all of it.

    Args:
        e: The emitter.
        layout: The layout of the tile in the shared memory of all CTAs.
        dim: The dimension.
    """
    steps = [basis[dim] for basis in layout.block]
    if not any(steps):
        return None
    make = e.threads.at_start
    return linear_form_of(e.builder, make, e.threads.rank(), steps)
