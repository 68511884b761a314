# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that one thread obtained go to the threads with copies of the element.

Shuffles do this within a warp. Copies in other warps get the value through shared
memory, by ops that `stage` has inserted. Only the one thread stores it there, so that
the values of the other threads do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.emit.fragment import Fragment
from cuda_tile.errors import InternalError
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.traits import BUFFER_STORES
from cuda_tile.ir.walk import defining_op, enclosing_entry
from cuda_tile.layout.copies import (
    copied_lanes,
    first_registers,
    has_copies_in_threads,
)
from cuda_tile.layout.linear import N_LANE_BITS


def set_obtained(
    e: Emitter, result: ir.Value, obtained: Sequence[ir.Value | None]
) -> None:
    """Sets a result of which each element was obtained by one place.

    Args:
        e: The emitter.
        result: A tile or a scalar; of a scalar thread 0 obtained the value.
        obtained: Values by register, None in registers that hold copies.
    """
    if not is_distributed(result):
        (value,) = obtained
        if value is None:
            raise InternalError("emit: a scalar that no thread obtained")
        if _is_needed_in_copies(result):
            if _n_warps(result) > 1:
                raise InternalError("emit: copies in other warps after stage")
            value = shuffle(e.builder, "idx", value, 0)
        e.set(result, value)
        return
    layout = layout_of(result)
    own = [v for v in (obtained[r] for r in first_registers(layout)) if v is not None]
    if has_copies_in_threads(layout) and _is_needed_in_copies(result):
        own = _from_owners(e, result, own)
    e.set(result, Fragment(layout, tuple(own)))


def _n_warps(value: ir.Value) -> int:
    op = defining_op(value)
    if op is None:
        raise InternalError(f"emit: expected the result of an op, got {value}")
    return read_plan(enclosing_entry(op)).num_warps


def _from_owners(
    e: Emitter, result: ir.Value, values: Sequence[ir.Value]
) -> list[ir.Value]:
    lanes = copied_lanes(layout_of(result))
    if lanes is None:
        raise InternalError("emit: copies in other warps after stage")
    source = e.threads.linear_form([(1 << bit) & ~lanes for bit in range(N_LANE_BITS)])
    moved: dict[ir.Value, ir.Value] = {}
    for value in values:
        if value not in moved:
            moved[value] = shuffle(e.builder, "idx", value, source)
    return [moved[value] for value in values]


def _is_needed_in_copies(value: ir.Value) -> bool:
    """Whether a use is not a store to shared memory, which the owner alone makes."""
    for use in value.uses:
        user = use.owner.operation
        if user.name == "cuda_tile.reshape":
            if _is_needed_in_copies(user.results[0]):
                return True
        elif user.name not in BUFFER_STORES:
            return True
    return False
