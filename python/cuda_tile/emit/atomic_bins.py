# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics whose updates a CTA collects in shared memory; see `analysis/bins.py`."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.bins import Bins
from cuda_tile.emit.access import TileAccess, ptx_order
from cuda_tile.emit.atomic_forms import Guarded, operation_text, red
from cuda_tile.emit.blocks import barrier
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.vectors import Run, guarded_effect
from cuda_tile.ir.attributes import keyword

_WORD_BYTES = 4


def collect(
    e: Emitter, op: ir.Operation, arg: ir.Value, mask: Sequence[ir.Value], bins: Bins
) -> None:
    """Updates words of scratch memory, then global memory where a word changed.

    Args:
        e: Where to build.
        op: The atomic.
        arg: Its operand.
        mask: Its mask, if it has one.
        bins: Its places.
    """
    b = e.builder
    run = Run(b.i32, 32, 1)
    operation = operation_text(keyword(op, "mode"), run)
    identity = b.constant(b.i32, bins.identity)
    barrier(e)  # scratch memory may still be in use
    for at, inside in _own_bins(e, bins):
        guarded_effect(b, "st.shared.b32", at, inside, [identity])
    barrier(e)
    access = TileAccess.of_pointers(e, op, op.operands[0], mask, arg, 0)
    indices = e.packer.scalars(e.fragment(bins.index))
    values = e.packer.scalars(e.fragment(arg))
    for (register,), _, allowed in access.owned():
        number = b.resize(indices[register], b.i32)
        place = b.mul(number, _WORD_BYTES)
        at = b.byte_offset(e.scratch_pointer(), place)
        text = f"red.relaxed.cta.shared.{operation}"
        guarded_effect(b, text, at, allowed, [values[register]])
    barrier(e)
    base, order = e.scalar(bins.base), ptx_order(op)
    for at, inside in _own_bins(e, bins):
        (word,) = b.ptx("ld.shared.b32 $0, [$1];", [b.i32], at, has_effect=True)
        changed = b.both(inside, b.icmp("ne", word, identity))
        start = b.op("llvm.ptrtoint", b.i32, e.scratch_pointer())
        here = b.op("llvm.sub", b.i32, b.op("llvm.ptrtoint", b.i32, at), start)
        address = b.byte_offset(base, b.unsigned(here, b.i64))
        red(b, run, operation, Guarded(address, changed, order), [word])


def _own_bins(e: Emitter, bins: Bins) -> list[tuple[ir.Value, ir.Value | None]]:
    """Addresses of the words that are a thread's part, and which of them exist."""
    b, threads = e.builder, e.role.threads
    found: list[tuple[ir.Value, ir.Value | None]] = []
    for first in range(0, bins.count, threads):
        number = b.add(e.threads.index, first)
        inside = None
        if first + threads > bins.count:
            inside = b.icmp("ult", number, bins.count)
            zero = b.constant(b.i32, 0)
            number = b.select(inside, number, zero)
        place = b.mul(number, _WORD_BYTES)
        found.append((b.byte_offset(e.scratch_pointer(), place), inside))
    return found
