# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums over rows are computed in the loop of a reduction that they need.

The passes `online_softmax` and `welford` mark them; `row_tiling` reads the marks. The
plan asks which marks there will be, since they decide how often a row is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.walk import body, location_text, nested_ops
from cuda_tile.rewrites.rows.hoisted import HoistedSum
from cuda_tile.rewrites.rows.online_softmax import online_sums
from cuda_tile.rewrites.rows.row import Row, is_reverse, longest_row
from cuda_tile.rewrites.rows.welford import welford_sums

HOIST_ATTRIBUTE = "tileas.hoist"
JointSums = Mapping[ir.Operation, HoistedSum]
"""By the reduction of a sum, how another reduction's loop computes it."""
SumsOf = Callable[[Row, int], JointSums]
"""The sums of a block that are computed so, with parts of so many elements."""

_FINDERS: Mapping[
    str, Callable[[Sequence[ir.Operation], Row, int], Sequence[HoistedSum]]
] = {"online_softmax": online_sums, "welford": welford_sums}


def no_sums(row: Row, part: int) -> JointSums:
    """No sums: each reduction has a loop of its own.

    Args:
        row: The block.
        part: Elements of a part.
    """
    del row, part
    return {}


def possible_sums(row: Row, part: int) -> JointSums:
    """The sums of a block that its loops can share, as the passes will mark them.

    Args:
        row: The block, read.
        part: Elements of a part.
    """
    found: dict[ir.Operation, HoistedSum] = {}
    for name in _FINDERS:
        found |= _sums(name, row, part, found)
    return found


def marked_sums(row: Row, part: int) -> JointSums:
    """The sums of a block that carry marks.

    Args:
        row: The block, read.
        part: Elements of a part.

    Raises:
        UserError: A reduction has a mark that does not fit it.
    """
    found = {
        op: _marked(op, row, part)
        for op in row.sinks()
        if HOIST_ATTRIBUTE in op.attributes
    }
    for op in found:
        del op.attributes[HOIST_ATTRIBUTE]
    return found


def mark_sums(entry: ir.Operation, name: str) -> None:
    """Marks the sums of an entry that one pass handles.

    Args:
        entry: The entry, with a plan.
        name: The pass.
    """
    plan = read_plan(entry)
    size = longest_row(list(nested_ops(entry))) if plan.part else 0
    # The CTAs of a cluster hold the row: reading it again costs nothing.
    if size <= plan.part or plan.cluster > 1:
        return
    row = Row(body(entry), size)
    for each in _blocks(row) if row.read() else ():
        marked = [op for op in each.sinks() if HOIST_ATTRIBUTE in op.attributes]
        for op in _sums(name, each, plan.part, marked):
            op.attributes[HOIST_ATTRIBUTE] = ir.StringAttr.get(name)


def _blocks(row: Row) -> list[Row]:
    """The blocks of inner loops with rows, then the block itself."""
    return [each for inner in row.inner.values() for each in _blocks(inner)] + [row]


def _sums(
    name: str, row: Row, part: int, taken: Sequence[ir.Operation] | JointSums
) -> dict[ir.Operation, HoistedSum]:
    """The sums that one pass handles, without those that others have taken."""
    found: dict[ir.Operation, HoistedSum] = {}
    if any(map(is_reverse, row.scans())):  # welford C9
        return found
    for each in _FINDERS[name](row.sinks(), row, part):
        is_free = each.total not in taken and each.anchor not in taken
        if is_free and each.anchor not in found:  # welford C8
            found[each.total] = each
    return found


def _marked(op: ir.Operation, row: Row, part: int) -> HoistedSum:
    """The sum that a mark describes."""
    name = ir.StringAttr(op.attributes[HOIST_ATTRIBUTE]).value
    found = _sums(name, row, part, ()) if name in _FINDERS else {}
    if op not in found:
        raise UserError(
            f"{location_text(op)}: expected a sum that cuda-tile-online-softmax or "
            f'cuda-tile-welford marks, got one with {HOIST_ATTRIBUTE} = "{name}"'
        )
    return found[op]
