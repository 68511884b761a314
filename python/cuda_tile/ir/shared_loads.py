# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeated loads from shared memory, an attribute of the load."""

from __future__ import annotations

from cuda_tile._mlir import ir

AGAIN_ATTRIBUTE = "tileas.again"
"""On a `tileas.load_shared`: no registers keep what an earlier one has loaded."""
LOAD = "tileas.load_shared"


def mark_as_again(load: ir.Operation) -> None:
    """Marks a load that repeats an earlier one, to free registers in between."""
    load.attributes[AGAIN_ATTRIBUTE] = ir.UnitAttr.get()


def is_again(op: ir.Operation) -> bool:
    """Whether an op is such a repeated load."""
    return op.name == LOAD and AGAIN_ATTRIBUTE in op.attributes
