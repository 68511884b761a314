# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies of boxes of a tensor map: one thread makes them, the hardware the rest.

PTX ISA, "cp.async.bulk.tensor": coordinates are signed, the contiguous dimension comes
first, and elements outside the tensor are read as zeros and not written.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.blocks import one_thread
from cuda_tile.emit.bulk_places import bulk_copies
from cuda_tile.emit.emitter import Emitter
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.instructions import needs_of
from cuda_tile.ir.cta_pairs import PAIR_CTAS
from cuda_tile.ir.walk import segments

_BULK = "cp.async.bulk.tensor"


def copy_boxes_in(e: Emitter, op: ir.Operation) -> None:
    """Copies a tile of a view to a slot; the bytes arrive at the slot's mbarrier.

    Those of a pair arrive at the mbarrier of the CTA that leads.

    A thread may name shared memory of its own CTA in either window, so that on sm_90
    the form of older PTX versions does, with a destination in the cluster. For sm_120
    ptxas makes of that a comparison of CTAs and a call (tried with ptxas 13.5).

    Args:
        e: The emitter.
        op: The `copy_in`.

    Raises:
        Unsupported: The chip has no bulk copies.
    """
    buffer = e.buffer(segments(op)[3][0])
    if buffer.full is None:
        raise InternalError(f"emit: expected '{op.name}' by tma into a slot of a ring")
    if not e.target.has(_BULK):
        first = needs_of(_BULK).capability
        raise Unsupported(
            f"{op.name}: expected a chip with bulk copies, from sm_{first} on, "
            f"got {e.target.name}; engine = cp_async in the plan needs none"
        )
    window = "cta" if e.target.has(f"{_BULK}.shared::cta") else "cluster"
    group = ""
    if buffer.is_of_pair:
        window, group = "cluster", f".cta_group::{PAIR_CTAS}"
    with one_thread(e):
        copies = bulk_copies(e, op, buffer)
        for start, coordinates in copies.places:
            count = len(coordinates)
            slots = ", ".join(f"${i + 2}" for i in range(count))
            text = (
                f"cp.async.bulk.tensor.{count}d.shared::{window}.global.tile"
                f".mbarrier::complete_tx::bytes{group} [$0+{start}], "
                f"[$1, {{{slots}}}], "
                f"[${count + 2}];"
            )
            operands = [buffer.pointer, copies.tensor_map, *coordinates, buffer.full]
            e.builder.ptx(text, [], *operands, has_effect=True)
