# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads from shared memory of what was loaded before, an attribute of the load."""

from __future__ import annotations

from cuda_tile._mlir import ir

AGAIN_ATTRIBUTE = "tileas.again"
"""On a `tileas.load_shared`: no registers keep what an earlier one has loaded."""
LOAD = "tileas.load_shared"


def mark_as_again(load: ir.Operation) -> None:
    """Has a load read what another load has read, whose registers are to be free."""
    load.attributes[AGAIN_ATTRIBUTE] = ir.UnitAttr.get()


def is_again(op: ir.Operation) -> bool:
    """Whether an op loads what no registers keep."""
    return op.name == LOAD and AGAIN_ATTRIBUTE in op.attributes
