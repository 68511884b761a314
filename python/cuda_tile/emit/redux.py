# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: 32-bit numbers of all lanes of a warp, in one instruction.

`redux.sync` (PTX ISA; of integers from sm_80 on, of f32 in the family of sm_100)
combines a register of all lanes where shuffles take five steps, each of a shuffle and
an instruction of the body.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_symmetric
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import ALL_LANES
from cuda_tile.ir.attributes import flag, keyword
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
    elements = {str(element_of(v)) for v in op.operands}
    kinds_of = {"i32": _integer_kind}
    if e.target.has_redux_f32:
        kinds_of["f32"] = _float_kind
    if len(elements) != 1 or not elements <= kinds_of.keys():
        return None
    kind_of = kinds_of[elements.pop()]
    last = block_ops(body(op))[-1]
    made = [defining_op(value) for value in last.operands]
    kinds = [None if each is None else kind_of(each) for each in made]
    if None in kinds:
        return None

    def combine(row: list[ir.Value]) -> list[ir.Value]:
        b = e.builder
        lanes = b.constant(b.i32, ALL_LANES)
        return [
            b.op("nvvm.redux.sync", value.type, value, lanes, **_attributes(b, kind))
            for value, kind in zip(row, kinds, strict=True)
        ]

    return combine


def _attributes(b: Builder, kind: str | None) -> dict[str, ir.Attribute]:
    """Those of the op for a kind, behind which a float's says what a NaN does."""
    name, _, nan = str(kind).partition(" ")
    found = {"kind": b.attribute(f"#nvvm<redux_kind {name}>")}
    return found | {"nan": b.attribute("true")} if nan else found


def _integer_kind(op: ir.Operation) -> str | None:
    """NVVM's name of what an op does with a pair."""
    stem = op_stem(op)
    if stem in _ORDERED:
        is_unsigned = keyword(op, "signedness") == "unsigned"
        return ("u" if is_unsigned else "") + _ORDERED[stem]
    return _KINDS.get(stem)


def _float_kind(op: ir.Operation) -> str | None:
    """The same of f32, with ` nan` where a NaN wins; none flushes subnormals."""
    kind = {"maxf": "fmax", "minf": "fmin"}.get(op_stem(op))
    if kind is None or flag(op, "flush_to_zero"):
        return None
    return f"{kind} nan" if flag(op, "propagate_nan") else kind
