# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to multicast memory: to all replicas at once. Since 13.5."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike
from cuda_tile.builder.keywords import MemoryOrderingSemantics, MemoryScope
from cuda_tile.builder.values import Tile, Token
from cuda_tile.builder.view import as_view, bools, view_indices, view_tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def multimem_load_reduce_view_tko(
    view: ir.Value,
    index: Sequence[TileLike],
    reduction: str,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str | None = MemoryScope.SYS,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> tuple[Tile, Token]:
    """Loads tile `index` of a view, reduced over all replicas.

    Args:
        view: A view of a tensor at a multicast address.
        index: An index per dimension of the view's index space.
        reduction: add, min, max, and, or, xor, umin or umax.
        token: The load is ordered after it.
        memory_ordering_semantics: weak, relaxed or acquire.
        memory_scope: Threads for which the ordering holds; None with weak.
        inbounds: Per index, whether the tile is guaranteed to be in bounds.
        **where: `loc` and `ip`.

    Returns:
        The tile, and the token of the load.
    """
    tile, after = ct.multimem_load_reduce_view_tko(
        as_view(view).tile_type,
        ct.TokenType.get(),
        memory_ordering_semantics,
        reduction,
        view,
        view_indices(index),
        memory_scope=memory_scope,
        inbounds=bools(inbounds),
        token=token,
    )
    return Tile(tile), Token(after)


@cuda_tile_op
def multimem_store_view_tko(
    tile: TileLike,
    view: ir.Value,
    index: Sequence[TileLike],
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str | None = MemoryScope.SYS,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> Token:
    """Stores to tile `index` of every replica; returns the token of the store."""
    after = ct.multimem_store_view_tko(
        memory_ordering_semantics,
        view,
        view_tile(tile, view),
        view_indices(index),
        memory_scope=memory_scope,
        inbounds=bools(inbounds),
        token=token,
    )
    return Token(after)


@cuda_tile_op
def multimem_reduce_view_tko(
    tile: TileLike,
    view: ir.Value,
    index: Sequence[TileLike],
    reduction: str,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.RELAXED,
    memory_scope: str = MemoryScope.SYS,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> Token:
    """Reduces a tile into tile `index` of every replica; returns the token."""
    after = ct.multimem_reduce_view_tko(
        memory_ordering_semantics,
        memory_scope,
        reduction,
        view,
        view_tile(tile, view),
        view_indices(index),
        inbounds=bools(inbounds),
        token=token,
    )
    return Token(after)
