# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory that threads change in place: a slice at a time.

Of a sum that is awaited, changed element by element, and settled again in the columns
where it was, no thread holds all: it loads some columns, changes and stores them, then
the next ones. Where each element is multiplied by one it stays as it is, and nothing
moves: a warp asks before whether that is so for all of its rows.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce

from cuda_tile._mlir import ir
from cuda_tile.analysis.tensor_columns import sum_in_place
from cuda_tile.constants import MOST_COMPARED_FACTORS
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import ALL_LANES
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.tensor_memory import (
    Part,
    Piece,
    begin_sum,
    finish_sum,
    from_word,
    load_piece,
    own_mbarrier,
    pieces_of,
    store_piece,
    to_word,
    wait,
)
from cuda_tile.ir.async_products import begins_sum
from cuda_tile.ir.attributes import flag
from cuda_tile.ir.tiles import element_of, is_distributed, pending_tile
from cuda_tile.ir.traits import PRODUCT_WAITS
from cuda_tile.ir.walk import defining_op, user_ops
from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.linear import LinearLayout

_MULTIPLIES = "cuda_tile.mulf"


def is_put_off(e: Emitter, end: ir.Operation) -> bool:
    """Whether a sum is not loaded where it is awaited, but changed where it settles.

    Args:
        e: The emitter.
        end: The await, of a sum in tensor memory.
    """
    users = [user for value in end.results for user in user_ops(value)]
    starts = [user for op in users for v in op.results for user in user_ops(v)]
    is_change = not any(map(begins_sum, users))
    start = next(filter(begins_sum, starts if is_change else users), None)
    if start is None or len(starts if is_change else users) != 1:
        return False
    is_kept = sum_in_place(start) == end.operands[0]
    if not is_kept or own_mbarrier(e, start.results[0]) is None:
        return False
    e.put_off.update(users if is_change else [end])
    return True


def update_sum(e: Emitter, change: ir.Operation, start: ir.Operation) -> None:
    """Changes a sum where it is; what is put off in `change` and `start` is done here.

    Args:
        e: The emitter.
        change: The op that changes each element, or the await of a sum that stays.
        start: The `settled` behind it.
    """
    e.put_off.discard(change)
    result = start.results[0]
    layout = pending_tile(result)[1]
    if change.name in PRODUCT_WAITS:
        e.set(result, begin_sum(e, result, layout))
        return
    with _unless_ones(e, change):
        for piece in pieces_of(e, Part.of_sum(result, layout)):
            _change_piece(e, change, piece, layout)
        wait(e.builder, "store")
    e.set(result, finish_sum(e, result, layout))


def _change_piece(
    e: Emitter, change: ir.Operation, piece: Piece, layout: LinearLayout
) -> None:
    """Loads some columns, runs the rule of an op on them, and stores what it gives."""
    b = e.builder
    part = replace(layout, register=layout.register[: n_bits(len(piece.registers))])
    element = e.element_type(element_of(change.results[0]))
    whole = {v: e.get(v) for v in change.operands if not _is_awaited(v)}
    loaded = load_piece(e, piece)
    wait(b, "load")
    words = [from_word(b, word, element) for word in loaded]
    for value in change.operands:
        if _is_awaited(value):
            e.set(value, Fragment(part, tuple(words)))
        elif is_distributed(value):
            scalars = e.packer.scalars(e.fragment(value))
            own = tuple(scalars[register] for register in piece.registers)
            e.set(value, Fragment(part, own))
    e.emit_op(change)
    made = e.packer.scalars(e.fragment(change.results[0]))
    store_piece(e, piece, [to_word(b, value) for value in made])
    for value, lowered in whole.items():
        e.set(value, lowered)


@contextmanager
def _unless_ones(e: Emitter, change: ir.Operation) -> Generator[None]:
    """Emits what follows for warps in which a factor of the change is not one.

    x * 1 is x for each x, however it is rounded, if no subnormal number is flushed.
    """
    factors = _factors(e, change)
    if not factors:
        yield
        return
    b = e.builder
    one = b.constant(factors[0].type, 1.0)
    ones = reduce(
        partial(b.op, "llvm.and", b.i1), [b.fcmp("oeq", x, one) for x in factors]
    )
    kind = b.attribute("#nvvm<vote_sync_kind all>")
    kept = b.op("nvvm.vote.sync", b.i1, b.constant(b.i32, ALL_LANES), ones, kind=kind)
    changed, after = b.block(), b.block()
    b.branch_if(kept, after, changed)
    b.enter(changed)
    with e.packer.scope():
        yield
    b.branch(after)
    b.enter(after)


def _factors(e: Emitter, change: ir.Operation) -> list[ir.Value]:
    """What a thread multiplies a sum by; none if by many, or if it adds."""
    if change.name != _MULTIPLIES or flag(change, "flush_to_zero"):
        return []
    others = [value for value in change.operands if not _is_awaited(value)]
    found = {x: None for v in others for x in e.packer.scalars(e.fragment(v))}
    return (
        list(found) if len(others) == 1 and len(found) <= MOST_COMPARED_FACTORS else []
    )


def _is_awaited(value: ir.Value) -> bool:
    op = defining_op(value)
    return op is not None and op.name in PRODUCT_WAITS
