# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family copy: stores of a buffer by the copy engine, and waiting for them.

One thread starts the copies of a tile, which are one group of its own (PTX ISA,
"cp.async.bulk.tensor", "cp.async.bulk.commit_group"). Before it the pass `barriers` has
put a barrier that makes what all threads wrote visible to the engine; behind the wait
another one, where the buffer is written again.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.blocks import one_thread
from cuda_tile.emit.bulk_places import bulk_copies
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.ir.attributes import flag, integer
from cuda_tile.ir.walk import segments


@RULES.register("tileas.copy_out")
def copy_out(e: Emitter, op: ir.Operation) -> None:
    """A copy per box; what lies outside the tensor is not written."""
    b, (source, *_) = e.builder, segments(op)
    buffer = e.buffer(source[0])
    copies = bulk_copies(e, op, buffer)
    with one_thread(e):
        for offset, coordinates in copies.places:
            place = b.byte_offset(buffer.pointer, offset)
            sizes = ir.DenseI32ArrayAttr.get([1, 1, len(coordinates), 0, 0])
            b.create(
                "nvvm.cp.async.bulk.tensor.global.shared.cta",
                [],
                [copies.tensor_map, place, *coordinates],
                {"operandSegmentSizes": sizes},
            )
        b.create("nvvm.cp.async.bulk.commit.group", [], [])
    e.set(op.results[0], None)


@RULES.register("tileas.await_copies")
def await_copies(e: Emitter, op: ir.Operation) -> None:
    """Waits in every thread; those that started no copies go on at once."""
    b = e.builder
    groups = integer(op, "groups") if flag(op, "groups") else 0
    attributes: dict[str, ir.Attribute] = {"group": ir.IntegerAttr.get(b.i32, groups)}
    if flag(op, "read"):
        attributes["read"] = ir.UnitAttr.get()
    b.create("nvvm.cp.async.bulk.wait_group", [], [], attributes)
