"""Loads and stores through pointers, tokens, and memory of one's own.

Accesses are weak, for data that no other thread touches meanwhile, unless told
otherwise; any other ordering needs a scope. Tokens order accesses: one that takes the
token of another comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

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
    """The type of what a tile of addresses points to."""
    return make_tile_type(pointer.pointee_type, pointer.shape)


def stored_value(value: TileLike, pointer: Pointer) -> Tile:
    """A value to write: numbers and scalars take the type of the place."""
    if not isinstance(value, ir.Value):
        return constant(value, _value_type(pointer))
    tile = as_tile(value)
    return broadcast(tile, pointer.shape) if not tile.shape else tile


def access_mask(mask: TileLike | None, pointer: Pointer) -> Tile | None:
    """The mask of an access; one truth counts for all."""
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
    """Loads the elements that a tile of addresses points to.

    Args:
        source: The addresses.
        mask: Booleans; where false nothing is read.
        padding_value: What the result holds there.
        token: The load comes after this point.
        memory_ordering_semantics: weak, relaxed or acquire.
        memory_scope: Whom the ordering is for.
        optimization_hints: Advice, per GPU.
        **where: `loc` and `ip`.

    Returns:
        The elements, and the point after the load.
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
    """Stores elements where a tile of addresses points to.

    Args:
        destination: The addresses.
        value: The elements; a number or scalar goes to all places.
        mask: Booleans; where false nothing is written.
        token: The store comes after this point.
        memory_ordering_semantics: weak, relaxed or release.
        memory_scope: Whom the ordering is for.
        optimization_hints: Advice, per GPU.
        **where: `loc` and `ip`.

    Returns:
        The point after the store.
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
    """The point at which the kernel begins."""
    return Token(ct.make_token())


@cuda_tile_op
def join_tokens(
    *tokens: ir.Value | Sequence[ir.Value], **where: Unpack[Where]
) -> Token:
    """The point after all of these, given one by one or as a list."""
    flat: list[ir.Value] = []
    for token in tokens:
        flat.extend([token] if isinstance(token, ir.Value) else token)
    return Token(ct.join_tokens(flat))


@cuda_tile_op
def memory_fence_alias_tko(token: ir.Value, **where: Unpack[Where]) -> Token:
    """The point after which accesses through other addresses see those before it.

    From 13.4 on.
    """
    return Token(ct.memory_fence_alias_tko(token))


@cuda_tile_op
def gdc_wait_tko(token: ir.Value | None = None, **where: Unpack[Where]) -> Token:
    """The point after the kernels that this launch depends on; from 13.4 on."""
    return Token(ct.gdc_wait_tko(token=token))


@cuda_tile_op
def gdc_launch_dependents_tko(
    token: ir.Value | None = None, **where: Unpack[Where]
) -> Token:
    """Lets the launches that depend on this kernel begin; from 13.4 on."""
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
    """Memory for as long as the region around runs.

    Args:
        element_type: Type of an element.
        num_elem: Number of elements.
        alignment: In bytes, a power of two; by default 16.
        is_global: Whether other tile blocks may see it.
        **where: `loc` and `ip`.
    """
    result = make_tile_type(make_pointer_type(element_type))
    bytes_aligned = 16 if alignment is None else alignment
    return Pointer(ct.alloca(result, num_elem, bytes_aligned, global_=is_global))
