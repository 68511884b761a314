# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of a thread's elements in a block of memory that has a layout.

A layout is linear, so the offset of a register is the offset of its thread XOR a
constant: one computation per tile, then a sum or an XOR per access.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import Emitter
from cuda_tile.ir.tiles import element_bits
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Origin:
    """Where in a block a slice of it begins.

    Attributes:
        fixed: Its offset in elements, as far as it is a constant.
        chosen: What is XORed to that at run time, in bytes (i32).
        span: Element offset bits that `chosen` may have.
    """

    fixed: int = 0
    chosen: ir.Value | None = None
    span: int = 0


class Addresses:
    """`thread form XOR constant` behind a pointer, as sums where bits allow.

    Args:
        e: Where to build.
        start: A pointer, and bytes from there to the block.
        size_bytes: Bytes of an element.
        columns: Element-offset XORs per thread bit.
        origin: Element offset of the slice that is accessed.
        moves: Whether the pointer is another one in each iteration of a loop.
    """

    def __init__(
        self,
        e: Emitter,
        start: tuple[ir.Value, int],
        size_bytes: int,
        columns: tuple[int, ...],
        origin: Origin,
        *,
        moves: bool = False,
    ) -> None:
        self._e = e
        self._pointer, self._first_bytes = start
        self._size_bytes = size_bytes
        self._columns, self._origin = columns, origin
        self._moves = moves
        self._mask = origin.span
        for column in columns:
            self._mask |= column
        self._made: dict[int, ir.Value] = {}

    def at(self, offset: int) -> ir.Value:
        """Pointer to the element at `offset` XOR the thread's own."""
        b, size = self._e.builder, self._size_bytes
        offset ^= self._origin.fixed
        moved, rest = offset & self._mask, offset & ~self._mask
        if moved not in self._made:
            thread = self._e.threads.linear_form([c * size for c in self._columns])
            if self._origin.chosen is not None:
                thread = b.binary("xor", thread, self._origin.chosen)
            if moved:
                thread = b.binary("xor", thread, moved * size)
            pointer = b.byte_offset(self._pointer, thread)
            self._made[moved] = b.pinned(pointer) if self._moves else pointer
        return b.byte_offset(self._made[moved], rest * size + self._first_bytes)


def addresses_in(
    e: Emitter, buffer: Buffer, columns: tuple[int, ...], origin: Origin
) -> Addresses:
    """Addresses of a thread's elements in a buffer in shared memory.

    Args:
        e: The emitter.
        buffer: The buffer.
        columns: XOR of each bit of the thread index to the offset, in elements.
        origin: Where in the buffer the tile begins.
    """
    size_bytes = element_bits(buffer.element) // 8
    start = (buffer.pointer, buffer.base_bytes)
    return Addresses(e, start, size_bytes, columns, origin, moves=buffer.moves)
