# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores through pointers, tokens, and local memory.

Accesses are weak by default, for data that no other thread accesses concurrently; any
other ordering requires a scope. Tokens order accesses: an access that takes the token
of another one happens after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import (
    TileLike,
    as_pointer,
    as_tile,
    constant,
)
from cuda_tile.builder.elements import Boolean, ElementLike
from cuda_tile.builder.keywords import MemoryOrderingSemantics
from cuda_tile.builder.shape import broadcast
from cuda_tile.builder.type_makers import make_pointer_type, make_tile_type
from cuda_tile.builder.values import Pointer, Tile, Token, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op


def _value_type(pointer: Pointer) -> ct.TileType:
    """The tile type of the values that a tile of pointers points to."""
    return make_tile_type(pointer.pointee_type, pointer.shape)


def stored_value(value: TileLike, pointer: Pointer) -> Tile:
    """A value to store; numbers become the pointee type, scalars tiles.

    Raises:
        TypeError: Its elements are of another type than those pointed to.
    """
    if not isinstance(value, ir.Value):
        return constant(value, _value_type(pointer))
    tile = as_tile(value)
    if tile.element_type != pointer.pointee_type:
        raise TypeError(
            f"expected a value of {pointer.pointee_type} for these pointers, got "
            f"{tile.type}; convert its elements, as Float32(x) does"
        )
    return broadcast(tile, pointer.shape) if not tile.shape else tile


def access_mask(mask: TileLike | None, pointer: Pointer) -> Tile | None:
    """The mask of an access; a scalar is broadcast."""
    if mask is None:
        return None
    if not isinstance(mask, ir.Value):
        return constant(mask, Boolean, pointer.shape)
    return broadcast(mask, pointer.shape)


@cuda_tile_op
def load_ptr_tko(
    source: ir.Value,
    mask: TileLike | None = None,
    padding_value: TileLike | None = None,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.WEAK,
    memory_scope: str | None = None,
    optimization_hints: ct.OptimizationHintsAttr | None = None,
    **where: Unpack[Where],
) -> tuple[Tile, Token]:
    """Loads through a tile of pointers.

    Args:
        source: The pointers.
        mask: Booleans; elements whose mask is false are not loaded.
        padding_value: Value of these elements in the result.
        token: The load is ordered after it.
        memory_ordering_semantics: weak, relaxed or acquire.
        memory_scope: Threads for which the ordering holds.
        optimization_hints: Hints, per GPU.
        **where: `loc` and `ip`.

    Returns:
        The elements, and the token of the load.
    """
    pointer = as_pointer(source)
    result = _value_type(pointer)
    loaded, after = ct.load_ptr_tko(
        result,
        ct.TokenType.get(),
        memory_ordering_semantics,
        pointer,
        memory_scope=memory_scope,
        mask=access_mask(mask, pointer),
        padding_value=None
        if padding_value is None
        else stored_value(padding_value, pointer),
        token=token,
        optimization_hints=optimization_hints,
    )
    return wrap_value(loaded), Token(after)


@cuda_tile_op
def store_ptr_tko(
    destination: ir.Value,
    value: TileLike,
    mask: TileLike | None = None,
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.WEAK,
    memory_scope: str | None = None,
    optimization_hints: ct.OptimizationHintsAttr | None = None,
    **where: Unpack[Where],
) -> Token:
    """Stores through a tile of pointers.

    Args:
        destination: The pointers.
        value: The elements; a number or scalar is broadcast.
        mask: Booleans; elements whose mask is false are not stored.
        token: The store is ordered after it.
        memory_ordering_semantics: weak, relaxed or release.
        memory_scope: Threads for which the ordering holds.
        optimization_hints: Hints, per GPU.
        **where: `loc` and `ip`.

    Returns:
        The token of the store.
    """
    pointer = as_pointer(destination)
    after = ct.store_ptr_tko(
        memory_ordering_semantics,
        pointer,
        stored_value(value, pointer),
        memory_scope=memory_scope,
        mask=access_mask(mask, pointer),
        token=token,
        optimization_hints=optimization_hints,
    )
    return Token(after)


@cuda_tile_op
def make_token(**where: Unpack[Where]) -> Token:
    """A token that follows no access."""
    return Token(ct.make_token())


@cuda_tile_op
def join_tokens(
    *tokens: ir.Value | Sequence[ir.Value], **where: Unpack[Where]
) -> Token:
    """A token after all of these, given as arguments or as one list."""
    flat: list[ir.Value] = []
    for token in tokens:
        flat.extend([token] if isinstance(token, ir.Value) else token)
    return Token(ct.join_tokens(flat))


@cuda_tile_op
def memory_fence_alias_tko(token: ir.Value, **where: Unpack[Where]) -> Token:
    """Orders accesses to the same memory through different addresses.

    Since 13.4.
    """
    return Token(ct.memory_fence_alias_tko(token))


@cuda_tile_op
def gdc_wait_tko(token: ir.Value | None = None, **where: Unpack[Where]) -> Token:
    """Waits for the kernels that this launch depends on; since 13.4."""
    return Token(ct.gdc_wait_tko(token=token))


@cuda_tile_op
def gdc_launch_dependents_tko(
    token: ir.Value | None = None, **where: Unpack[Where]
) -> Token:
    """Allows the launches that depend on this kernel to start; since 13.4."""
    return Token(ct.gdc_launch_dependents_tko(token=token))


@cuda_tile_op
def alloca(
    element_type: ElementLike,
    num_elem: int,
    alignment: int | None = None,
    *,
    is_global: bool = False,
    **where: Unpack[Where],
) -> Pointer:
    """Allocates memory for the lifetime of the enclosing region.

    Args:
        element_type: Type of an element.
        num_elem: Number of elements.
        alignment: In bytes, a power of two; by default 16.
        is_global: Whether other tile blocks may access it.
        **where: `loc` and `ip`.
    """
    result = make_tile_type(make_pointer_type(element_type))
    bytes_aligned = 16 if alignment is None else alignment
    return Pointer(ct.alloca(result, num_elem, bytes_aligned, global_=is_global))
