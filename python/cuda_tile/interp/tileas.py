"""Rules of the `tileas` dialect (level W): plain copies, for one whole tile block.

Layouts, lanes and warps have no meaning here, so a barrier is nothing; whether the
barriers of a compiled kernel suffice is the emulator's question.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.mma import mmaf
from cuda_tile.interp.program import BufferType, Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of, partial
from cuda_tile.interp.values import Buffer, Partial
from cuda_tile.runtime.elements import Array, poison


@RULES.register("tileas.convert_layout")
def convert_layout(run: TileBlock, op: Op, source: Array) -> Array:
    """The same tile in another layout."""
    return source


@RULES.register("tileas.alloc_shared")
def alloc_shared(run: TileBlock, op: Op) -> Buffer:
    """A fresh buffer that holds nothing yet."""
    kind = op.result_types[0]
    assert isinstance(kind, BufferType), "alloc_shared gives a buffer"
    data = poison(kind.shape, kind.element)
    return Buffer(data, np.zeros(kind.shape, dtype=np.bool_))


@PARTIAL.register("tileas.store_shared")
@RULES.register("tileas.store_shared")
def store_shared(run: TileBlock, op: Op, tile: Any, buffer: Buffer) -> None:
    """Copies the tile into the buffer."""
    buffer.data[...] = data_of(tile)
    buffer.written[...] = ~mask_of(tile)


@RULES.register("tileas.load_shared")
def load_shared(run: TileBlock, op: Op, buffer: Buffer) -> Array | Partial:
    """The tile at static element offsets; what nobody stored is unspecified."""
    shape = op.tile().shape
    box = tuple(
        slice(start, start + extent)
        for start, extent in zip(op.attributes["offsets"], shape, strict=True)
    )
    data = buffer.data[box].copy()
    if not run.launch.is_checked:
        return data
    return partial(data, ~buffer.written[box])


@RULES.register("tileas.mma_sync")
def mma_sync(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    """`mmaf` by one tensor-core atom."""
    return mmaf(run, op, lhs, rhs, acc)


@RULES.register("tileas.barrier")
def barrier(run: TileBlock, op: Op) -> None:
    """Nothing: one tile block is one thread here."""
    return None
