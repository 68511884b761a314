# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that pass between threads through shared memory: what a load reads."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import integers
from cuda_tile.ir.tiles import shape_of
from cuda_tile.ir.traits import BUFFER_LOADS, BUFFER_STORES


def whole_tile_stored(load: ir.Operation) -> ir.Value | None:
    """The tile that a load reads, if it reads all of it and only one op writes it.

    Args:
        load: A `tileas.load_shared`.
    """
    buffer, result = load.operands[0], load.results[0]
    users = [use.owner.operation for use in buffer.uses]
    stores = [op for op in users if op.name in BUFFER_STORES]
    if len(stores) != 1 or len(load.operands) != 1 or any(integers(load, "offsets")):
        return None
    (store,) = stores
    if any(op.name not in BUFFER_LOADS for op in users if op != store):
        return None
    source = store.operands[0]
    is_whole = "offsets" not in store.attributes and len(store.operands) == 2
    return source if is_whole and shape_of(source) == shape_of(result) else None
