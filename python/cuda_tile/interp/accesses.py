# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes of tiles in memory, with the checks of strict mode.

An access of a tile is one access per element. Strict mode reports: elements outside
every array, misaligned elements, a store that writes a byte twice, and two conflicting
accesses to one byte (at least one a write) that no token orders. Two elements of a
4-bit type share a byte; their addresses count half bytes here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.log import Access, Addresses
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.uses import keeps_elements
from cuda_tile.interp.values import Mask, RaceError, Token
from cuda_tile.runtime.elements import Array, Element, from_memory, to_memory
from cuda_tile.runtime.memory import MemoryFault
from cuda_tile.runtime.preceding import first_inside

Positions = NDArray[np.intp]


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
        addresses: Byte address per element of the tile (4-bit types: half bytes).
        active: Elements that are loaded, or None for all.
        kind: Element type in memory.
        fill: Tile with the values of the other elements.

    Raises:
        InterpError: An element lies outside every array, or (checked) is misaligned.
    """
    which = _positions(addresses, active)
    _check_alignment(run, op, addresses, which, kind)
    values = from_memory(_fetch(run, op, addresses, which, kind), kind)
    if active is None:
        return values.reshape(addresses.shape)
    result = fill.astype(kind.dtype).reshape(-1).copy()
    result[which] = values
    return result.reshape(addresses.shape)


def unwritten(
    run: TileBlock, addresses: Addresses, active: Mask | None, kind: Element
) -> Mask | None:
    """The loaded elements of allocas that were never stored to, or None."""
    if not run.launch.scratch or not run.launch.is_checked:
        return None
    lost = np.zeros(addresses.shape, np.bool_)
    flat = _bytes(addresses, kind).reshape(-1)
    for piece in run.launch.scratch:
        which = np.flatnonzero(piece.inside(flat))
        places = piece.bytes_of(flat[which], kind.storage_bytes)
        lost.reshape(-1)[which] = ~piece.written[places].all(axis=1)
    if active is not None:
        lost &= active
    return lost if lost.any() else None


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
    if run.launch.is_shuffled and op.waits:
        which = run.launch.random.permutation(which)  # of equal addresses the last wins
    _check_alignment(run, op, addresses, which, kind)
    _put(run, op, addresses, which, kind, values.reshape(-1)[which])


def update(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    active: Mask | None,
    kind: Element,
    change: Callable[[Array, Positions], tuple[Array, Mask | None]],
) -> tuple[Array, Mask]:
    """Reads, changes and writes each element as one step (atomics).

    Elements with equal addresses are updated one after another: in tile order, in
    shuffle mode in random order.

    Args:
        run: The tile block.
        op: The atomic.
        addresses: As for `read`.
        active: As for `read`.
        kind: As for `read`.
        change: Maps old values and their positions in the flat tile to new values and
            to those of them that are stored (None for all).

    Returns:
        The old values in the tile's shape, meaningless if not active; and the elements
        that were stored.
    """
    which = _positions(addresses, active)
    if run.launch.is_shuffled:
        which = run.launch.random.permutation(which)
    _check_alignment(run, op, addresses, which, kind)
    old = np.zeros(addresses.size, kind.dtype)
    stored = np.zeros(addresses.size, np.bool_)
    flat = addresses.reshape(-1)
    while len(which):
        _, first = np.unique(flat[which], return_index=True)
        wave = which[np.sort(first)]
        values = from_memory(_fetch(run, op, addresses, wave, kind), kind)
        old[wave] = values
        new, chosen = change(values, wave)
        if chosen is not None:
            wave, new = wave[chosen], new[chosen]
        stored[wave] = True
        _put(run, op, addresses, wave, kind, new)
        which = np.delete(which, first)
    return old.reshape(addresses.shape), stored.reshape(addresses.shape)


def _bytes(addresses: Addresses, kind: Element) -> Addresses:
    return addresses >> np.uint64(1) if kind.is_packed else addresses


def _fetch(
    run: TileBlock, op: Op, addresses: Addresses, which: Positions, kind: Element
) -> NDArray[np.uint8]:
    """Bytes of the elements at positions `which` of the flat tile."""
    chosen = addresses.reshape(-1)[which]
    try:
        raw = run.launch.memory.load(_bytes(chosen, kind), kind.storage_bytes)
    except MemoryFault as fault:
        _fail_outside(run, op, fault, _index(addresses, which[fault.index]))
    if not kind.is_packed:
        return raw
    shift = (chosen & np.uint64(1)).astype(np.uint8) * np.uint8(4)
    return raw >> shift[:, None] & np.uint8(15)


def _put(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    which: Positions,
    kind: Element,
    values: Array,
) -> None:
    if not len(which):
        return
    chosen = addresses.reshape(-1)[which]
    raw = to_memory(values, kind)
    launch = run.launch
    places = _bytes(chosen, kind)
    try:
        if kind.is_packed:
            for half in (0, 1):
                now = (chosen & np.uint64(1)) == half
                kept = launch.memory.load(places[now], 1) & np.uint8(0xF0 >> 4 * half)
                launch.memory.store(places[now], kept | raw[now] << np.uint8(4 * half))
        else:
            launch.memory.store(places, raw)
    except MemoryFault as fault:
        _fail_outside(run, op, fault, _index(addresses, which[fault.index]))
    launch.write_count += 1
    if launch.watcher is not None:
        launch.watcher.wrote(run, op, places, which, kind.storage_bytes)
    for piece in launch.scratch:
        hits = np.flatnonzero(piece.inside(places))
        piece.written[piece.bytes_of(places[hits], kind.storage_bytes)] = True


def _fail_outside(
    run: TileBlock, op: Op, fault: MemoryFault, index: tuple[int, ...]
) -> NoReturn:
    """Fails because of an access outside every array, or to an alloca that ended."""
    for piece in run.launch.retired:
        if piece.start <= fault.address < piece.stop:
            run.fail(
                op,
                f"{fault.access} of {fault.size} bytes at {fault.address:#x}, in the "
                f"alloca at {piece.op.location}, whose life ended with the loop body "
                "or entry around it",
                index,
            )
    run.fail(op, str(fault), index)


def order(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    active: Mask | None,
    kind: Element,
    token: Token | None,
    *,
    is_write: bool,
    stored: Array | None = None,
) -> Token:
    """Records the access and gives its result token; call it before the access.

    Args:
        run: The tile block.
        op: The access.
        addresses: As for `read`.
        active: As for `read`.
        kind: As for `read`.
        token: The token that it starts after.
        is_write: Whether it stores.
        stored: The tile that a plain store stores.

    Raises:
        InterpError: There is a store to one byte twice, or an earlier conflicting
            access that is not ordered before this one.
    """
    after = Token() if token is None else token
    if not run.launch.is_checked:
        return after
    which = _positions(addresses, active)
    if not len(which):
        return after
    flat = addresses.reshape(-1)[which]
    places = _bytes(flat, kind)
    starts, stops, has_duplicates = _ranges(places, kind.storage_bytes)
    if kind.is_packed:
        has_duplicates = len(np.unique(flat)) < len(flat)
    if is_write and not op.waits and has_duplicates:
        values = None if stored is None else to_memory(stored.reshape(-1)[which], kind)
        _refuse_repeated(run, op, addresses, which, values)
    _check_owner(run, op, addresses, which, places)
    _check_waited(run, op, addresses, which, places, kind, after)
    scope = op.attributes.get("memory_scope")
    access = Access(starts, stops, is_write, not op.waits, scope != "tl_blk", op)
    if not run.launch.is_strict and not has_duplicates:
        access.elements = addresses
    own = partial(_is_own_read, run, op, addresses, which)
    can_follow = stored is not None and not run.launch.is_strict
    event, conflict = run.accesses.add(access, after, own if can_follow else None)

    def element_at(byte: int) -> tuple[int, ...]:
        covers = (places <= byte) & (byte < places + np.uint64(kind.storage_bytes))
        return _index(addresses, which[int(np.argmax(covers))])

    if conflict is not None:
        byte = access.common(conflict)
        run.fail(
            op,
            f"touches {run.launch.memory.place(byte)}, which {conflict.op.accessor()} "
            "touched too, and no token orders the two; pass the earlier op's token on "
            "to the later one",
            element_at(byte),
            RaceError,
        )
    result = Token(after.events | 1 << event, after.foreign, after.waited)
    if run.launch.races is None:
        return result
    races = run.launch.races
    rival = races.check(run, access, places, kind.storage_bytes, after)
    if rival is not None:
        text = races.describe(access, *rival)
        run.fail(op, text, element_at(access.common(rival[1])), RaceError)
    return races.acquire(run, op, places, result)


def _refuse_repeated(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    which: Positions,
    values: NDArray[np.uint8] | None,
) -> None:
    """A weak store has distinct addresses; hardware lets equal values coincide."""
    flat = addresses.reshape(-1)[which]
    repeated = _first_repeated(flat)
    kind = op.operand_tile(1 if op.name == "store_ptr_tko" else 0).element
    place = run.launch.memory.place(int(_bytes(flat, kind)[repeated]))
    text = (
        f"stores twice to address {int(flat[repeated]):#x}, {place}; elements of one "
        "weak store must have distinct addresses"
    )
    index = _index(addresses, which[repeated])
    if values is not None:
        _, first = np.unique(flat, return_inverse=True)
        order = np.argsort(first, kind="stable")
        alike = first[order][1:] == first[order][:-1]
        if (values[order][1:] == values[order][:-1])[alike].all():
            run.doubt(op, "repeated", f"{text}; their values are equal", index)
            return
    run.fail(op, text, index)


def _is_own_read(
    run: TileBlock, op: Op, addresses: Addresses, which: Positions, past: Access
) -> bool:
    """Whether a store is ordered after a read by the data that it stores.

    It is if each stored element is computed from the element read at its address.
    """
    read = past.elements
    if past.is_write or read is None or read.shape != addresses.shape:
        return False
    same = read.reshape(-1)[which] == addresses.reshape(-1)[which]
    is_last = run.accesses.last_of(past.op) is past
    slot = op.operands[1 if op.name == "store_ptr_tko" else 0]
    return bool(
        is_last and same.all() and keeps_elements(run.entry.body, past.op, slot)
    )


def _check_owner(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    which: Positions,
    places: Addresses,
) -> None:
    """An alloca belongs to its tile block unless it is `global`."""
    for piece in run.launch.scratch:
        if piece.owner == run.number or piece.is_shared:
            continue
        foreign = np.flatnonzero(piece.inside(places))
        if len(foreign):
            run.fail(
                op,
                f"touches the alloca at {piece.op.location} of another tile block; "
                "make that one global",
                _index(addresses, which[foreign[0]]),
            )


def _check_waited(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    which: Positions,
    places: Addresses,
    kind: Element,
    after: Token,
) -> None:
    """An access to what the preceding grid writes comes after the wait for its end."""
    if after.waited or not run.launch.preceding:
        return
    found = first_inside(run.launch.preceding, places, kind.storage_bytes)
    if found >= 0:
        run.fail(
            op,
            f"touches {run.launch.memory.place(int(places[found]))}, which the "
            "preceding grid of a programmatic launch may still write; pass the token "
            "of gdc_wait_tko on to this op",
            _index(addresses, which[found]),
        )


def publish(
    run: TileBlock,
    op: Op,
    addresses: Addresses,
    stored: Mask | None,
    token: Token,
) -> None:
    """Records what a release store or atomic releases.

    Args:
        run: The tile block.
        op: The store or atomic.
        addresses: Address per element.
        stored: Where something was stored, or None for everywhere.
        token: The op's result token.
    """
    if run.launch.races is not None:
        which = _positions(addresses, stored)
        run.launch.races.publish(run, op, addresses.reshape(-1)[which], token)


def _positions(addresses: Addresses, active: Mask | None) -> Positions:
    if active is None:
        return np.arange(addresses.size)
    return np.flatnonzero(active)


def _index(addresses: Addresses, position: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(position), addresses.shape))


def _check_alignment(
    run: TileBlock, op: Op, addresses: Addresses, which: Positions, kind: Element
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
    if len(flat) == 1:
        return flat, flat + np.uint64(size_bytes), False
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
