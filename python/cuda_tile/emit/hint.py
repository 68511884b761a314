"""Family hint: `assume` is its operand; the facts analysis has read it already."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter


@RULES.register("assume")
def assume(e: Emitter, op: ir.Operation) -> None:
    """The operand itself."""
    e.set(op.results[0], e.get(op.operands[0]))
