# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where bulk copies read and write: addresses, sizes and alignment of their operands.

PTX ISA: "Asynchronous copy": bulk copies move 16-byte pieces; "Swizzling Modes".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.move import memory_operand
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.memory.spaces import WINDOW_MASK, Addresses
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.tensor.map import swizzled
from cuda_tile.emulator.threads.lanes import Lanes

Offsets = NDArray[np.int64]


def shared_address(form: Form, b: Builder, x: Operand) -> Callable[[Lanes], Addresses]:
    """Returns what computes addresses within shared memory."""
    _, address = memory_operand(form, b, x, "shared")
    return lambda lanes: address(lanes) & np.uint64(WINDOW_MASK)


def chunk_places(
    b: Builder, lane: Lanes, where: Addresses, size: int, align: int, span: int
) -> Offsets:
    """Places of the 16-byte chunks of a box in the machine's shared memory."""
    b.spaces.check_alignment(lane, where, align)
    last = where + np.uint64(size - CHUNK_BYTES)
    base = b.spaces.shared_offsets(lane, last, CHUNK_BYTES, "bulk copy")
    first = int(base[0]) - (size - CHUNK_BYTES)
    stride = b.machine.stride_bytes
    home = first // stride * stride
    linear = (first - home) + np.arange(0, size, CHUNK_BYTES)
    return home + swizzled(linear, span)


def one_by_one(b: Builder, lanes: Lanes) -> list[tuple[int, Lanes]]:
    """Splits lanes: a bulk copy is of one thread."""
    return [(int(n), Lanes(np.array([n]), b.machine.n_lanes)) for n in lanes.numbers]


def outgoing(
    b: Builder, lane: Lanes, source: Addresses, target: Addresses, size: int
) -> tuple[Offsets, GlobalRows]:
    """The chunks of shared memory that a copy reads, and what it writes.

    Args:
        b: The machine's.
        lane: Who starts the copy.
        source: Where in shared memory it begins, uint64[1].
        target: Where in global memory it begins, uint64[1].
        size: Bytes.

    Raises:
        Fault: Places or size are not multiples of 16 bytes, or out of bounds.
    """
    size = checked_size(size)
    chunks = chunk_places(b, lane, source, size, CHUNK_BYTES, 0)
    where = target.copy()  # the register may change before the copy ends
    b.spaces.check_alignment(lane, where, CHUNK_BYTES)
    b.spaces.load_bytes(lane, where, size)
    return chunks, GlobalRows(where, size)


def _ranks(b: Builder, mask: int) -> list[int]:
    size = b.machine.geometry.cluster_size
    if mask >> size or not mask:
        raise Fault("tma", f"expected a mask of the {size} CTAs, got {mask:#x}")
    return [rank for rank in range(size) if mask >> rank & 1]


def copy_targets(
    b: Builder,
    lane: int,
    chunks: Offsets,
    cell: int,
    mask: int | None,
    *,
    pairs: bool = False,
) -> list[tuple[Offsets, int]]:
    """Chunks and mbarrier in each CTA that a copy goes to.

    Args:
        b: The machine's.
        lane: Who starts the copy.
        chunks: Where the data goes.
        cell: Place of the mbarrier.
        mask: The CTAs of a multicast.
        pairs: Whether the mbarrier may be in the peer of the data's CTA.
    """
    stride = b.machine.stride_bytes
    if mask is None:
        home, other = int(chunks[0]) // stride, cell // stride
        if home != other and not (pairs and home ^ 1 == other):
            raise Fault("tma", "expected data and mbarrier in one CTA's shared memory")
        return [(chunks, cell)]
    size = b.machine.geometry.cluster_size
    first = int(b.machine.cta_of[lane]) // size * size
    ranks = _ranks(b, mask)
    # PTX ISA, `.cta_group::2`: the even or odd CTA of each pair, as the mbarrier's is.
    odd = cell // stride - first & 1
    homes = [first + rank for rank in ranks]
    cells = [first + (rank & ~1 | odd) if pairs else first + rank for rank in ranks]
    return [
        (chunks % stride + home * stride, cell % stride + other * stride)
        for home, other in zip(homes, cells, strict=True)
    ]


def global_address(form: Form, b: Builder, x: Operand) -> Callable[[Lanes], Addresses]:
    """Returns what computes addresses in global memory."""
    return memory_operand(form, b, x, "global")[1]


def checked_size(size: int) -> int:
    """Returns a size that bulk copies take."""
    if size % CHUNK_BYTES or not size:
        raise Fault("tma", f"expected a multiple of 16 bytes, got {size}")
    return size
