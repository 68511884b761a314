# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of a tile block of the interpreter, as they are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.debug.listing import Listing
from cuda_tile.debug.values import Shown, as_array, first_nan, frozen
from cuda_tile.interp.delay import Later
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import TileType
from cuda_tile.interp.trace import describe_value
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.interp.values import Partial
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.number_text import array_kind


def shown(listing: Listing, run: TileBlock, slot: int, argument: Any = None) -> Shown:
    """One value.

    Args:
        listing: The kernel.
        run: The tile block.
        slot: The value's slot.
        argument: What the launch was given for it, of a parameter.
    """
    given = as_array(argument)
    if given is not None:
        array = frozen(given.view(np.ndarray))
        return Shown(array, array_kind(array), note="in memory")
    value = run.slots[slot]
    if isinstance(value, Later):
        return Shown(None, text="not loaded yet: a seed delays the access")
    tile = as_tile(value)
    if tile is not None:
        return _tile(listing, slot, data_of(tile), int(mask_of(tile).sum()))
    return Shown(None, text=describe_value(value) if value is not None else "no value")


def _tile(listing: Listing, slot: int, data: Array, lost: int) -> Shown:
    note = f"{lost} unspecified" if lost else ""
    return Shown(frozen(data), tile_kind(listing, slot, data), lost=lost, note=note)


def tile_kind(listing: Listing, slot: int, data: Array) -> str:
    """`tile<16x16xf32>`."""
    kind = listing.types.get(slot)
    element = kind.element.name if isinstance(kind, TileType) else str(data.dtype)
    return f"tile<{''.join(f'{size}x' for size in data.shape)}{element}>"


def nan_in(value: Any) -> tuple[int, ...] | None:
    """The index of the first NaN among a tile's specified elements, if any."""
    if isinstance(value, Partial):
        known = np.where(value.undefined, np.zeros_like(value.data), value.data)
        return first_nan(known)
    array = as_array(value)
    return None if array is None else first_nan(array)


def as_tile(value: Any) -> Array | Partial | None:
    """The value if it is a tile."""
    return value if isinstance(value, Partial) else as_array(value)
