"""Reads and writes of tiles in memory, with the checks of checked mode.

Every tile access is one access per element. Checked mode reports: elements outside
every array, misaligned elements, one store that writes a byte twice, and two accesses
of one tile block to one byte that no token orders although one of them writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.program import Op
from cuda_tile.interp.values import Mask, Token
from cuda_tile.runtime.elements import Array, Element, from_memory, to_memory
from cuda_tile.runtime.memory import MemoryFault

if TYPE_CHECKING:
    from cuda_tile.interp.machine import TileBlock

Addresses = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Access:
    """One memory op of a tile block, as the byte ranges it touched.

    Attributes:
        starts, stops: Sorted, disjoint ranges `[start, stop)` of bytes.
        is_write: Whether it stores.
        is_weak: Whether its memory ordering is weak.
        op: The op, for messages.
    """

    starts: NDArray[np.uint64]
    stops: NDArray[np.uint64]
    is_write: bool
    is_weak: bool
    op: Op

    def overlap(self, other: Access) -> int | None:
        """The first byte that both touch, or None."""
        if self.stops[-1] <= other.starts[0] or other.stops[-1] <= self.starts[0]:
            return None
        before = np.searchsorted(other.starts, self.stops, side="left") - 1
        candidates = np.maximum(before, 0)
        hits = (before >= 0) & (other.stops[candidates] > self.starts)
        if not hits.any():
            return None
        first = int(np.argmax(hits))
        return max(int(self.starts[first]), int(other.starts[candidates[first]]))


class AccessLog:
    """All accesses of one tile block in program order; event i is `self.past[i]`."""

    def __init__(self) -> None:
        self.past: list[Access] = []
        self._writes: list[int] = []  # events that store

    def add(self, access: Access, after: Token) -> tuple[Token, Access | None]:
        """Records an access that starts after `after`.

        Returns:
            The token that is complete after it, and an earlier access that conflicts.
        """
        event = len(self.past)
        rivals = range(event) if access.is_write else self._writes
        conflict = next(
            (
                self.past[rival]
                for rival in rivals
                if not after.events >> rival & 1
                and (access.is_weak or self.past[rival].is_weak)
                and access.overlap(self.past[rival]) is not None
            ),
            None,
        )
        self.past.append(access)
        if access.is_write:
            self._writes.append(event)
        return Token(after.events | 1 << event), conflict


def read(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    active: Mask | None,
    kind: Element,
    fill: Array,
) -> Array:
    """Loads one element per address.

    Args:
        run: The tile block that loads.
        op: The load, for messages and its memory ordering.
        addresses: Byte address per element of the tile.
        active: Elements that are loaded, or None for all.
        kind: Element type in memory.
        fill: Tile that gives the other elements.

    Raises:
        InterpError: An element lies outside every array, or (checked) is misaligned.
    """
    which = _positions(addresses, active)
    chosen = addresses.reshape(-1)[which]
    _check_alignment(run, op, addresses, which, kind)
    try:
        raw = run.launch.memory.load(chosen, kind.storage_bytes)
    except MemoryFault as fault:
        run.fail(op, str(fault), _index(addresses, which[fault.index]))
    values = from_memory(raw, kind)
    if active is None:
        return values.reshape(addresses.shape)
    result = fill.astype(kind.dtype).reshape(-1).copy()
    result[which] = values
    return result.reshape(addresses.shape)


def write(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    active: Mask | None,
    kind: Element,
    values: Array,
) -> None:
    """Stores one element per address; arguments and errors as for `read`."""
    which = _positions(addresses, active)
    _check_alignment(run, op, addresses, which, kind)
    chosen = addresses.reshape(-1)[which]
    raw = to_memory(values.reshape(-1)[which], kind)
    try:
        run.launch.memory.store(chosen, raw)
    except MemoryFault as fault:
        run.fail(op, str(fault), _index(addresses, which[fault.index]))


def order(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    active: Mask | None,
    kind: Element,
    token: Token | None,
) -> Token:
    """Records the access in the block's log and gives its result token.

    Raises:
        InterpError: Checked mode found a store to one byte twice, or a conflict with
            an earlier access that `token` does not cover.
    """
    after = Token() if token is None else token
    if not run.launch.is_checked:
        return after
    which = _positions(addresses, active)
    if not len(which):
        return after
    flat = addresses.reshape(-1)[which]
    is_write = op.name.startswith("store")
    is_weak = op.attributes.get("memory_ordering_semantics", "weak") == "weak"
    starts, stops, has_duplicates = _ranges(flat, kind.storage_bytes)
    if is_write and is_weak and has_duplicates:
        repeated = _first_repeated(flat)
        run.fail(
            op,
            f"stores twice to address {int(flat[repeated]):#x}; elements of one weak "
            "store must have distinct addresses",
            _index(addresses, which[repeated]),
        )
    access = Access(starts, stops, is_write, is_weak, op)
    result, conflict = run.accesses.add(access, after)
    if conflict is not None:
        byte = access.overlap(conflict)
        run.fail(
            op,
            f"touches address {byte:#x} that '{conflict.op.name}' at "
            f"{conflict.op.location} touched too, and no token orders the two; "
            "pass the earlier op's token on to the later one",
        )
    return result


def _positions(addresses: Addresses, active: Mask | None) -> NDArray[np.intp]:
    if active is None:
        return np.arange(addresses.size)
    return np.flatnonzero(active)


def _index(addresses: Addresses, position: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(position), addresses.shape))


def _check_alignment(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    which: NDArray[np.intp],
    kind: Element,
) -> None:
    if not run.launch.is_checked or kind.storage_bytes == 1:
        return
    chosen = addresses.reshape(-1)[which]
    bad = np.flatnonzero(chosen % np.uint64(kind.storage_bytes))
    if len(bad):
        run.fail(
            op,
            f"expected an address aligned to {kind.storage_bytes} bytes for {kind}, "
            f"got {int(chosen[bad[0]]):#x}",
            _index(addresses, which[bad[0]]),
        )


def _ranges(
    flat: Addresses, size_bytes: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], bool]:
    """Merges accesses into byte ranges; the flag tells whether two coincide."""
    steps = np.diff(flat.view(np.int64))
    if (steps < 0).any():
        flat = np.sort(flat)
        steps = np.diff(flat.view(np.int64))
    breaks = np.flatnonzero(steps > size_bytes)
    size = np.uint64(size_bytes)
    starts = flat[np.concatenate(([0], breaks + 1))]
    stops = flat[np.concatenate((breaks, [len(flat) - 1]))] + size
    return starts, stops, bool((steps < size_bytes).any())


def _first_repeated(flat: Addresses) -> int:
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    repeated = first[inverse.reshape(-1)] != np.arange(len(flat))
    return int(np.argmax(repeated))
