# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: 32-bit integers of all lanes of a warp, in one instruction.

`redux.sync` (PTX ISA; from sm_80 on) combines a register of all lanes where shuffles
take five steps, each of a shuffle and an instruction of the body.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_symmetric
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import ALL_LANES
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import block_ops, body, defining_op, op_stem

REDUX = 80
"""Compute capability from which on there is `redux.sync`."""
_KINDS = {"addi": "add", "andi": "and", "ori": "or", "xori": "xor"}
_ORDERED = {"maxi": "max", "mini": "min"}


def whole_warp(
    e: Emitter, op: ir.Operation
) -> Callable[[list[ir.Value]], list[ir.Value]] | None:
    """How to combine a row of all lanes; None where no instruction does.

    Args:
        e: Where to build.
        op: A reduction.
    """
    if e.target.capability < REDUX or not is_symmetric(op):
        return None
    if any(element_of(v) != e.builder.i32 for v in op.operands):
        return None
    last = block_ops(body(op))[-1]
    kinds = [_kind(defining_op(value)) for value in last.operands]
    if None in kinds:
        return None

    def combine(row: list[ir.Value]) -> list[ir.Value]:
        b = e.builder
        lanes = b.constant(b.i32, ALL_LANES)
        attrs = [b.attribute(f"#nvvm<redux_kind {kind}>") for kind in kinds]
        return [
            b.op("nvvm.redux.sync", b.i32, value, lanes, kind=attr)
            for value, attr in zip(row, attrs, strict=True)
        ]

    return combine


def _kind(op: ir.Operation | None) -> str | None:
    """NVVM's name of what an op does with a pair."""
    stem = "" if op is None else op_stem(op)
    if op is not None and stem in _ORDERED:
        is_unsigned = keyword(op, "signedness") == "unsigned"
        return ("u" if is_unsigned else "") + _ORDERED[stem]
    return _KINDS.get(stem)
