# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations.

The default ordering is relaxed, with device scope.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_pointer
from cuda_tile.builder.keywords import MemoryOrderingSemantics, MemoryScope
from cuda_tile.builder.memory import access_mask, stored_value
from cuda_tile.builder.values import Tile, Token
from cuda_tile.builder.view import bools, view_indices, view_tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def atomic_rmw_tko(
    pointers: ir.Value,
    mode: str,
    arg: TileLike,
    mask: TileLike | None = None,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str = MemoryScope.DEVICE,
    **where: Unpack[Where],
) -> tuple[Tile, Token]:
    """Atomic read-modify-write; `mode` is an `AtomicRMWMode`.

    Returns:
        The old elements, and the token of the access.
    """
    pointer = as_pointer(pointers)
    old, after = ct.atomic_rmw_tko(
        memory_ordering_semantics,
        memory_scope,
        pointer,
        mode,
        stored_value(arg, pointer),
        mask=access_mask(mask, pointer),
        token=token,
    )
    return Tile(old), Token(after)


@cuda_tile_op
def atomic_cas_tko(
    pointers: ir.Value,
    cmp: TileLike,
    val: TileLike,
    mask: TileLike | None = None,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str = MemoryScope.DEVICE,
    **where: Unpack[Where],
) -> tuple[Tile, Token]:
    """Atomic compare-and-swap: where memory equals `cmp`, writes `val`.

    Returns:
        The old elements, and the token of the access.
    """
    pointer = as_pointer(pointers)
    old, after = ct.atomic_cas_tko(
        memory_ordering_semantics,
        memory_scope,
        pointer,
        stored_value(cmp, pointer),
        stored_value(val, pointer),
        mask=access_mask(mask, pointer),
        token=token,
    )
    return Tile(old), Token(after)


@cuda_tile_op
def atomic_red_view_tko(
    view: ir.Value,
    index: Sequence[TileLike],
    mode: str,
    value: TileLike,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str = MemoryScope.DEVICE,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> Token:
    """Atomic reduction of a tile into tile `index` of a view, by an `AtomicRMWMode`.

    Returns:
        The token of the access.
    """
    after = ct.atomic_red_view_tko(
        memory_ordering_semantics,
        memory_scope,
        view,
        view_indices(index),
        mode,
        view_tile(value, view),
        token=token,
        inbounds=bools(inbounds),
    )
    return Token(after)
