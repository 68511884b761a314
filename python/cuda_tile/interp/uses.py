# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of a value, read from the decoded kernel: which op uses it, and how."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from cuda_tile.interp.program import Block, Op, TileType, all_ops

_MOVES = frozenset(
    ("permute", "reshape", "broadcast", "cat", "extract", "insert", "reduce", "scan")
)
"""Ops whose result does not depend, element by element, on the operand's own."""
_SAME = frozenset(
    ("assume", "reshape", "broadcast", "exti", "trunci", "make_tensor_view")
)
"""Ops whose first operand is what a user knows the result as."""


@cache
def _users(body: Block) -> dict[int, list[Op]]:
    """The ops that use each slot."""
    found: dict[int, list[Op]] = {}
    for op in all_ops(body):
        for slot in op.operands:
            found.setdefault(slot, []).append(op)
    return found


@cache
def _makers(body: Block) -> dict[int, Op]:
    """The op that makes each slot."""
    return {slot: op for op in all_ops(body) for slot in op.results}


def is_only_a_stride(body: Block, op: Op) -> bool:
    """Whether all that becomes of an `assume` are strides of tensor views, or nothing.

    Args:
        body: The kernel's body.
        op: The assume, whose result may go through further ones.
    """
    (slot,) = op.results
    return all(
        is_only_a_stride(body, user)
        if user.name == "assume"
        else user.name == "make_tensor_view" and slot in strides_of(user)
        for user in _users(body).get(slot, [])
    )


def is_unused(body: Block, op: Op) -> bool:
    """Whether nothing becomes of an `assume` but further ones."""
    (slot,) = op.results
    return all(
        user.name == "assume" and is_unused(body, user)
        for user in _users(body).get(slot, [])
    )


def argument_of(body: Block, slot: int) -> int | None:
    """The number of the kernel's argument that a value is, but for its shape or width.

    Args:
        body: The kernel's body.
        slot: The value; that of a tensor view is the argument of its address.
    """
    makers = _makers(body)
    while (made := makers.get(slot)) is not None and made.name in _SAME:
        slot = made.operands[0]
    return body.arguments.index(slot) if slot in body.arguments else None


def strides_of(op: Op) -> tuple[int, ...]:
    """The slots of the dynamic strides of a `make_tensor_view`."""
    return op.operands[sum(op.segments[:2]) :]


def keeps_elements(body: Block, made: Op, slot: int) -> bool:
    """Whether each element of a tile depends on the same element of a loaded tile.

    Args:
        body: The kernel's body.
        made: The load.
        slot: The tile.
    """
    makers, work, seen = _makers(body), [slot], {slot}
    while work:
        op = makers.get(work.pop())
        if op is made:
            return True
        if op is None or op.regions or op.name in _MOVES:
            continue
        for before in _tiles_alike(op):
            if before not in seen:
                seen.add(before)
                work.append(before)
    return False


def _tiles_alike(op: Op) -> Iterator[int]:
    """Operands with the shape of the op's first result."""
    kind = op.result_types[0] if op.result_types else None
    for slot, other in zip(op.operands, op.operand_types, strict=True):
        if (
            isinstance(kind, TileType)
            and isinstance(other, TileType)
            and other.shape == kind.shape
        ):
            yield slot
