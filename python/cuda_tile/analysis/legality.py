# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a program of level T, before any pass decides anything.

Every op is checked once, at the start: each stage must have a rule for it. So a refusal
names the op, its line and the way out. A later stage would find an op without a rule
only in the middle of its work, when other passes have changed the op.
"""

from __future__ import annotations

from collections.abc import Container

from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.walk import location_text, nested_ops, op_stem

INSTEAD = "it runs on the interpreter: cuda-tile-run, or cuda_tile.run(on='interp')"
"""The way out of everything that is refused here."""


def check_program(
    entry: ir.Operation, placeable: Container[str], emittable: Container[str]
) -> None:
    """Refuses an entry that a later pass has no rule for.

    Args:
        entry: A `cuda_tile.entry` of level T.
        placeable: Ops that may have tiles of rank 1 or more, as rule tables name them.
        emittable: Ops that emission knows.

    Raises:
        Unsupported: An op has no rule; names the first one in program order.
    """
    for op in nested_ops(entry):
        values = (*op.operands, *op.results)
        stem = op_stem(op)
        if stem not in emittable or (
            stem not in placeable and any(is_distributed(v) for v in values)
        ):
            message = f"'{op.name}' cannot be compiled yet; {INSTEAD}"
            raise Unsupported(message, location_text(op))
