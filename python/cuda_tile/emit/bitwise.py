# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family bitwise: `and`, `or`, `xor` of any integer type."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.integer_bytes import are_words, by_words

_NAMES = {"andi": "llvm.and", "ori": "llvm.or", "xori": "llvm.xor"}


@RULES.register(*_NAMES)
def bitwise(e: Emitter, op: ir.Operation) -> None:
    """One LLVM operation per element, or for all the bytes of a word."""
    name = _NAMES[op.name.removeprefix("cuda_tile.")]
    if are_words(e, op):
        by_words(e, op, lambda *words: e.builder.op(name, words[0].type, *words))
        return
    e.elementwise(op, lambda a, b: e.builder.op(name, a.type, a, b))
