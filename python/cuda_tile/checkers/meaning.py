# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `stage`: a kernel's accesses use the same elements as before.

The definition: on each path a kernel makes the same accesses, loops and branches, and
each element of their tiles is the same term of loaded elements (`terms.py`). So a tile
that goes through shared memory comes back unchanged, whatever layouts, swizzles, parts
and names of a buffer are between. Each product of a slice along K is added to its sum
once, also if sums are cut into pieces, or consist of partial sums that are promoted.
Reductions fold each element once.

Sums and products obey the laws of exact numbers: the order of terms is free. `barriers`
judges whether reads follow the writes of all threads, and `layouts` which thread holds
which element.

What is not judged: a kernel in which a scan crosses warps, or whose plan keeps what
loops load for later ones, since its loops change.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.checkers.folds import Folds
from cuda_tile.checkers.tile_terms import TileTerms
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.tiles import layout_of
from cuda_tile.ir.traits import SCANS
from cuda_tile.ir.walk import entries, entry_name, nested_ops
from cuda_tile.options import Options

Judge = Callable[[ir.Operation], None]
"""Judges what a pass has left of a module."""


def watch(module: ir.Operation, options: Options) -> Judge:
    """Notes what each kernel does before a pass.

    Args:
        module: The module before the pass.
        options: The options of the compilation.

    Returns:
        A function that refuses a module with other effects by an `InternalError`.
    """
    del options
    terms = Folds()
    before = {
        entry_name(entry): TileTerms(entry, terms)
        for entry in entries(module)
        if is_judged(entry)
    }

    def judge(left: ir.Operation) -> None:
        for entry in entries(left):
            if (known := before.get(entry_name(entry))) is not None:
                _compare(known, TileTerms(entry, terms))

    return judge


def is_judged(entry: ir.Operation) -> bool:
    """Whether the loops and scans of a kernel stay as they are.

    Args:
        entry: The kernel, at level W from `place`.
    """
    if read_plan(entry).reuse:
        return False
    return not any(
        layout_of(op.operands[0]).bits_along(integer(op, "dim")).warp
        for op in nested_ops(entry)
        if op.name in SCANS
    )


def _compare(known: TileTerms, left: TileTerms) -> None:
    """Refuses a kernel whose effects are not those that are known.

    Raises:
        InternalError: They are not; says which op gets something else.
    """
    for one, other in zip(known.effects, left.effects, strict=False):
        if one.name != other.name:
            raise InternalError(
                f"meaning: expected {one.name} next, got {other.name}", other.where()
            )
        for place, pair in enumerate(zip(one.parts, other.parts, strict=True)):
            if pair[0] != pair[1]:
                wanted, got = left.terms.difference(*pair)
                raise InternalError(
                    f"meaning: expected part {place} that '{other.name}' gets to have "
                    f"{wanted}, got {got}",
                    other.where(),
                )
    if len(known.effects) != len(left.effects):
        raise InternalError(
            f"meaning: expected {len(known.effects)} accesses, loops and branches, got "
            f"{len(left.effects)}"
        )
