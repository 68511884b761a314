# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family bitwise: `and`, `or`, `xor` of any integer type."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter

_NAMES = {"andi": "llvm.and", "ori": "llvm.or", "xori": "llvm.xor"}


@RULES.register(*_NAMES)
def bitwise(e: Emitter, op: ir.Operation) -> None:
    """One LLVM operation per element."""
    name = _NAMES[op.name.removeprefix("cuda_tile.")]
    e.elementwise(op, lambda a, b: e.builder.op(name, a.type, a, b))
