# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
from cuda_tile.runtime.elements import Array, Element


@RULES.register("make_token")
def make_token(run: TileBlock, op: Op) -> Token:
    """A point before every access."""
    return Token()


@RULES.register("join_tokens")
def join_tokens(run: TileBlock, op: Op, *tokens: Token) -> Token:
    """The point after all the given ones."""
    joined = Token()
    for token in tokens:
        joined = joined.join(token)
    return joined


@RULES.register("memory_fence_alias_tko", "gdc_launch_dependents_tko")
def same_point(run: TileBlock, op: Op, *tokens: Token) -> Token:
    """Adds no ordering of its own.

    Memory has one address per byte, and no grid runs that depends on this one.
    """
    return tokens[0] if tokens else Token()


@RULES.register("gdc_wait_tko")
def gdc_wait_tko(run: TileBlock, op: Op, *tokens: Token) -> Token:
    """The point after the end of the preceding grid, which has ended here."""
    point = tokens[0] if tokens else Token()
    return point.join(Token(waited=True))


@RULES.register("alloca")
def alloca(run: TileBlock, op: Op) -> Array:
    """The address of fresh, unwritten memory; its life ends with its scope."""
    pointee = op.tile().element.pointee
    assert pointee is not None, "alloca gives a pointer"
    count = int(op.attributes["num_elem"])
    if count < 0:
        run.fail(op, f"expected a number of elements of 0 or more, got {count}")
    size_bytes = -(-count // 2) if pointee.is_packed else count * pointee.storage_bytes
    align = max(int(op.attributes["alignment"]), pointee.storage_bytes)
    is_shared = bool(op.attributes.get("global"))
    start = run.allocate(op, size_bytes, align, is_shared=is_shared)
    return np.array(start, dtype=np.uint64)


def only(group: tuple[Any, ...]) -> Any:
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
    active = active_elements(run, op, only(masks))
    pointers = addresses(run, op, source[0], active, kind)
    padding = only(paddings)
    fill = data_of(padding)
    if padding is None:
        fill = run.unspecified(pointers.shape, kind)
    token = accesses.order(
        run, op, pointers, active, kind, only(tokens), is_write=False
    )
    values = accesses.read(run, op, pointers, active, kind, fill)
    unset = accesses.unwritten(run, pointers, active, kind)
    if not run.launch.is_checked or (active is None and unset is None):
        return values, token
    lost = np.zeros(pointers.shape, np.bool_) if unset is None else unset
    if active is not None:
        lost = (
            lost | ~active if padding is None else lost | (mask_of(padding) & ~active)
        )
        if padding is None and unset is None:
            run.origins.reasons.setdefault(
                op, "masked off, and the load has no padding"
            )
    return partial(values, lost), token


@PARTIAL.register("store_ptr_tko")
@RULES.register("store_ptr_tko")
def store_ptr_tko(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Stores value_i at destination_i where the mask is true."""
    destination, value, masks, tokens = op.groups(operands)
    kind = op.operand_tile(1).element
    active = active_elements(run, op, only(masks))
    pointers = addresses(run, op, destination[0], active, kind)
    values = specified(run, op, value[0], active, kind)
    token = accesses.order(
        run, op, pointers, active, kind, only(tokens), is_write=True, stored=values
    )
    accesses.write(run, op, pointers, active, kind, values)
    accesses.publish(run, op, pointers, active, token)
    return token


def active_elements(run: TileBlock, op: Op, mask: Any) -> Array | None:
    """The mask, which must be specified; None where all elements take part."""
    return None if mask is None else run.defined(op, mask, "the mask")


def addresses(
    run: TileBlock, op: Op, pointers: Any, active: Array | None, kind: Element
) -> Array:
    """The addresses as `accesses` counts them; those in use must be specified."""
    if isinstance(pointers, Partial):
        used = pointers.undefined if active is None else pointers.undefined & active
        run.defined(op, partial(pointers.data, used), "the address")
        pointers = pointers.data
    return pointers * np.uint64(2) if kind.is_packed else pointers


def specified(
    run: TileBlock, op: Op, value: Any, active: Array | None, kind: Element
) -> Array:
    """The tile to store; the elements that are stored must be specified."""
    if not isinstance(value, Partial):
        return value
    stored = value.undefined if active is None else value.undefined & active
    run.defined(op, partial(value.data, stored), "the stored value")
    return run.shown(value.data, stored, kind)
