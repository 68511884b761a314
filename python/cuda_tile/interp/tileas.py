# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the `tileas` dialect (level W): plain copies, for one whole tile block.

Layouts, lanes and warps have no meaning here, so a barrier has no effect; whether the
barriers of a compiled kernel suffice is what the emulator checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.mma import mmaf, mmaf_scaled, mmai
from cuda_tile.interp.program import BufferType, Op, Type
from cuda_tile.interp.ring import contents, fill
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
    kind = _buffer(op.result_types[0])
    data = poison(kind.shape, kind.element)
    return Buffer(data, np.zeros(kind.shape, dtype=np.bool_))


def _buffer(kind: Type) -> BufferType:
    assert isinstance(kind, BufferType), "this is a buffer"
    return kind


@RULES.register("tileas.reinterpret")
def reinterpret(run: TileBlock, op: Op, source: Buffer) -> Buffer:
    """The same bytes: the element at each offset stays the same."""
    before, after = _buffer(op.operand_types[0]), _buffer(op.result_types[0])
    places = np.empty(after.shape, np.intp)
    places.reshape(-1)[_by_offset(after)] = _by_offset(before)
    if source.places is not None:
        places = source.places.reshape(-1)[places]
    return Buffer(source.data, source.written, source.iteration, places)


def _by_offset(kind: BufferType) -> NDArray[np.intp]:
    """The place in the flat array of the element at each offset."""
    offsets = np.arange(1 << len(kind.bits))
    coordinates = np.zeros((len(kind.shape), len(offsets)), np.intp)
    for bit, moves in enumerate(kind.bits):
        is_set = offsets >> bit & 1
        for steps, dimension in moves:
            coordinates[dimension] ^= steps * is_set
    return np.ravel_multi_index(tuple(coordinates), kind.shape)


def _box(op: Op, shape: tuple[int, ...]) -> tuple[slice, ...]:
    """The part of `shape` at the static element offsets of `op`."""
    offsets = op.attributes.get("offsets")
    starts = (0,) * len(shape) if offsets is None else offsets
    return tuple(
        slice(start, start + extent)
        for start, extent in zip(starts, shape, strict=True)
    )


@PARTIAL.register("tileas.store_shared")
@RULES.register("tileas.store_shared")
def store_shared(run: TileBlock, op: Op, tile: Any, buffer: Buffer) -> None:
    """Copies the tile, or its part at the offsets, into the buffer."""
    box = _box(op, _buffer(op.operand_types[1]).shape)
    fill(run, op, buffer, data_of(tile)[box], ~mask_of(tile)[box])


@PARTIAL.register("tileas.load_shared")
@RULES.register("tileas.load_shared")
def load_shared(
    run: TileBlock, op: Op, buffer: Buffer, into: Any = None
) -> Array | Partial:
    """The tile at the offsets, or another tile with the buffer at the offsets.

    What nobody stored is unspecified.
    """
    held, written = contents(run, op, buffer)
    if into is None:
        box = _box(op, op.tile().shape)
        data, lost = held[box].copy(), ~written[box]
    else:
        box = _box(op, held.shape)
        data, lost = data_of(into).copy(), mask_of(into).copy()
        data[box], lost[box] = held, ~written
    return partial(data, lost) if run.launch.is_checked else data


@PARTIAL.register("tileas.load_part")
@RULES.register("tileas.load_part")
def load_part(run: TileBlock, op: Op, buffer: Buffer, *indices: Any) -> Array | Partial:
    """The part that the indices name, each modulo the number of parts."""
    box: list[slice] = []
    shape = op.tile().shape
    held, written = contents(run, op, buffer)
    for whole, size, index in zip(held.shape, shape, indices, strict=True):
        start = int(run.defined(op, index, "the index")) % (whole // size) * size
        box.append(slice(start, start + size))
    place = tuple(box)
    data, lost = held[place].copy(), ~written[place]
    return partial(data, lost) if run.launch.is_checked else data


@RULES.register("tileas.mma_sync")
def mma_sync(
    run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array, *scales: Array
) -> Array:
    """`mmaf`, `mmai` of integers, or `mmaf_scaled`, by one atom."""
    if scales:
        return mmaf_scaled(run, op, lhs, rhs, acc, *scales)
    if "signedness_lhs" in op.attributes:
        return mmai(run, op, lhs, rhs, acc)
    return mmaf(run, op, lhs, rhs, acc)


@RULES.register("tileas.barrier")
def barrier(run: TileBlock, op: Op) -> None:
    """No effect: a tile block is one thread here."""
    return None
