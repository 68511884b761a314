# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The uses of a slot that a copy fills, and where they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType, TileType
from cuda_tile.analysis.operand_sources import computes_elements
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import reader_name
from cuda_tile.ir.carried import ancestor_in
from cuda_tile.ir.copies import copy_buffer
from cuda_tile.ir.rings import is_filled_by_products, ring_of
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import ACQUIRES, BUFFER_RENAMES, COPIES, TAKES
from cuda_tile.ir.walk import (
    defining_op,
    location_text,
    nested_in,
    reached,
    user_ops,
)
from cuda_tile.records import dataclass


@dataclass(eq=False)
class SlotUse:
    """A copy and the uses of its buffer.

    Attributes:
        op: The copy.
        uses: Positions, among the ops of the copy's block, of uses of the buffer and of
            waits for the copy's token.
        readers: The readers of the buffer, named as by `reader_name`.
        consumers: The ops that take what the readers read: products.
    """

    op: ir.Operation
    uses: list[int] = field(default_factory=list[int])
    readers: set[str] = field(default_factory=set[str])
    consumers: set[ir.Operation] = field(default_factory=set[ir.Operation])


def rings_read_for(ring: ir.Operation) -> Iterator[ir.Operation]:
    """The rings whose slots the products read that compute one sum of a ring of sums.

    Args:
        ring: The ring of sums. A take of it finds the reads complete.
    """
    if not is_filled_by_products(ring):
        return
    for use in ring.results[0].uses:
        acquire = use.owner.operation
        block = _role_block(acquire)
        if acquire.name in ACQUIRES and block is not None:
            for op in nested_in(block.region):
                if op.name in TAKES:
                    yield ring_of(op)


def _role_block(op: ir.Operation) -> ir.Block | None:
    """The block of the role around an op."""
    while op.parent is not None and op.parent.operation.name != ROLES:
        op = op.parent.operation
    return None if op.parent is None else op.block


def describe_copy(op: ir.Operation, places: dict[ir.Operation, int]) -> SlotUse:
    """The uses of the buffer that a copy fills.

    Args:
        op: The copy.
        places: The ops of its block, numbered in order.

    Raises:
        InternalError: An op outside the block uses the buffer.
    """
    found = SlotUse(op)
    for use in users_of(copy_buffer(op)):
        if use == op:
            continue
        found.readers.add(reader_name(use))
        found.consumers |= _consumers(use)
        found.uses.append(_place(use, places))
        found.uses += _awaits(use, places)
    for use in op.results[0].uses if len(op.results) else ():
        user = use.owner.operation
        if user.name not in COPIES:
            found.uses.append(_place(user, places))
    if not found.uses:  # never read: its iteration ends at once
        found.uses.append(places[op] + 1)
    return found


def users_of(buffer: ir.Value) -> list[ir.Operation]:
    """The ops that use a buffer under any of its names.

    Args:
        buffer: A buffer, or one of its names.
    """
    found: dict[ir.Operation, None] = {}
    for use in buffer.uses:
        op = use.owner.operation
        inner = users_of(op.results[0]) if op.name in BUFFER_RENAMES else [op]
        found.update(dict.fromkeys(inner))
    return list(found)


def take_of(buffer: ir.Value) -> ir.Operation | None:
    """The take that makes a buffer, looking through names; None if another op does.

    Args:
        buffer: The buffer.
    """
    op = defining_op(buffer)
    while op is not None and op.name in BUFFER_RENAMES:
        op = defining_op(op.operands[0])
    return op if op is not None and op.name in TAKES else None


def _place(op: ir.Operation, places: dict[ir.Operation, int]) -> int:
    block = next(iter(places)).block
    found = ancestor_in(block, op)
    if found is None:
        raise InternalError(
            f"expected '{op.name}' to use what was copied in the block of the copy",
            location_text(op),
        )
    return places[found]


def _consumers(use: ir.Operation) -> set[ir.Operation]:
    """The products that use what an op reads of a buffer, or else the op itself."""

    def following(op: ir.Operation) -> list[ir.Operation]:
        made = [value for value in op.results if isinstance(value.type, TileType)]
        goes_on = op == use or computes_elements(op)
        return [user for v in made for user in user_ops(v)] if goes_on else []

    ends = {op for op in reached([use], following) if not following(op)}
    return ends or {use}


def _awaits(use: ir.Operation, places: dict[ir.Operation, int]) -> list[int]:
    """The positions where a product that reads the buffer is awaited."""
    found: list[int] = []
    for value in use.results:
        if isinstance(value.type, PendingType):
            for other in value.uses:
                user = other.owner.operation
                found += [_place(user, places), *_awaits(user, places)]
    return found
