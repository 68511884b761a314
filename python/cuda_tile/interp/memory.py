"""Rules of the memory family: tokens, and access through tiles of pointers."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import accesses
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of, partial
from cuda_tile.interp.values import Partial, Token
from cuda_tile.runtime.elements import Array, poison


@RULES.register("make_token")
def make_token(run: TileBlock, op: Op) -> Token:
    """A point before every access."""
    return Token()


@RULES.register("join_tokens")
def join_tokens(run: TileBlock, op: Op, *tokens: Token) -> Token:
    """The point after all the given ones."""
    events = 0
    for token in tokens:
        events |= token.events
    return Token(events)


def _only(group: tuple[Any, ...]) -> Any:
    """The value of an optional operand, or None."""
    return group[0] if group else None


@PARTIAL.register("load_ptr_tko")
@RULES.register("load_ptr_tko")
def load_ptr_tko(
    run: TileBlock, op: Op, *operands: Any
) -> tuple[Array | Partial, Token]:
    """Element i is `mem[source_i]` where the mask is true, else the padding.

    Without padding a masked-off element is unspecified; its pointer is not used.
    """
    source, masks, paddings, tokens = op.groups(operands)
    kind = op.tile().element
    mask = _only(masks)
    active = None if mask is None else run.defined(op, mask, "the mask")
    pointers = _pointers(run, op, source[0], active)
    padding = _only(paddings)
    fill = poison(pointers.shape, kind) if padding is None else data_of(padding)
    token = accesses.order(run, op, pointers, active, kind, _only(tokens))
    values = accesses.read(run, op, pointers, active, kind, fill)
    if active is None or not run.launch.is_checked:
        return values, token
    lost = np.ones(active.shape, np.bool_) if padding is None else mask_of(padding)
    return partial(values, lost & ~active), token


@PARTIAL.register("store_ptr_tko")
@RULES.register("store_ptr_tko")
def store_ptr_tko(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Stores value_i at destination_i where the mask is true."""
    destination, value, masks, tokens = op.groups(operands)
    kind = op.operand_tile(1).element
    mask = _only(masks)
    active = None if mask is None else run.defined(op, mask, "the mask")
    pointers = _pointers(run, op, destination[0], active)
    values = specified(run, op, value[0], active)
    token = accesses.order(run, op, pointers, active, kind, _only(tokens))
    accesses.write(run, op, pointers, active, kind, values)
    return token


def _pointers(run: TileBlock, op: Op, pointers: Any, active: Array | None) -> Array:
    """The addresses; those in use must be specified."""
    if not isinstance(pointers, Partial):
        return pointers
    used = pointers.undefined if active is None else pointers.undefined & active
    run.defined(op, partial(pointers.data, used), "the address")
    return pointers.data


def specified(run: TileBlock, op: Op, value: Any, active: Array | None) -> Array:
    """The tile to store; the elements that are stored must be specified."""
    if not isinstance(value, Partial):
        return value
    stored = value.undefined if active is None else value.undefined & active
    run.defined(op, partial(value.data, stored), "the stored value")
    return value.data
