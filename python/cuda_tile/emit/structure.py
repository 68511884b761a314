"""Family structure: the position of the tile block in the grid."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter

_REGISTERS = {"get_tile_block_id": "ctaid", "get_num_tile_blocks": "nctaid"}


@RULES.register(*_REGISTERS)
def grid_position(e: Emitter, op: ir.Operation) -> None:
    """One CTA is one tile block."""
    register = _REGISTERS[op.name.removeprefix("cuda_tile.")]
    for axis, result in zip("xyz", op.results, strict=True):
        name = f"nvvm.read.ptx.sreg.{register}.{axis}"
        e.set(result, e.builder.in_prologue(name, e.builder.i32))
