# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: 32-bit numbers of all lanes of a warp, in one instruction.

`analysis/lane_folds.py` says of which reductions.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.lane_folds import redux_kinds
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import ALL_LANES


def whole_warp(
    e: Emitter, op: ir.Operation
) -> Callable[[list[ir.Value]], list[ir.Value]] | None:
    """How to combine a row of all lanes; None where no instruction does.

    Args:
        e: Where to build.
        op: A reduction.
    """
    kinds = redux_kinds(op, e.target)
    if kinds is None:
        return None

    def combine(row: list[ir.Value]) -> list[ir.Value]:
        b = e.builder
        lanes = b.constant(b.i32, ALL_LANES)
        return [
            b.op("nvvm.redux.sync", value.type, value, lanes, **_attributes(b, kind))
            for value, kind in zip(row, kinds, strict=True)
        ]

    return combine


def _attributes(b: Builder, kind: str) -> dict[str, ir.Attribute]:
    """Those of the op for a kind, behind which a float's says what a NaN does."""
    name, _, nan = kind.partition(" ")
    found = {"kind": b.attribute(f"#nvvm<redux_kind {name}>")}
    return found | {"nan": b.attribute("true")} if nan else found
