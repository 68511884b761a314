# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the facts analysis: the facts of each integer and pointer.

Contract: level T or W in and out; only the attribute `tileas.facts` is added, as
text. It is for readers and tests; the compiler asks `FactsAnalysis` itself.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType, TileType
from cuda_tile.analysis.fact_values import MAX_DIVISOR, Facts
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.walk import nested_ops
from cuda_tile.passes.each_kernel import each_kernel

FACTS_ATTRIBUTE = "tileas.facts"


@each_kernel
def run(entry: ir.Operation) -> None:
    """Writes the facts of each integer or pointer result as an attribute.

    They are for readers and tests only: the compiler asks `FactsAnalysis` itself.
    """
    facts = FactsAnalysis(entry)
    for op in nested_ops(entry):
        texts = [
            describe(facts.of(result))
            for result in op.results
            if _is_counted(result.type)
        ]
        if texts:
            op.attributes[FACTS_ATTRIBUTE] = ir.StringAttr.get("; ".join(texts))


def _is_counted(ty: ir.Type) -> bool:
    if not isinstance(ty, TileType):
        return False
    return isinstance(ty.element_type, PointerType | ir.IntegerType)


def describe(facts: Facts) -> str:
    """Facts as one line: `divisible [16], contiguous [8], constant [1], 0..7`."""

    def numbers(values: tuple[int, ...]) -> str:
        capped = (">=2^62" if v >= MAX_DIVISOR else str(v) for v in values)
        return f"[{', '.join(capped)}]"

    parts = [f"divisible {numbers(facts.divisibility)}"]
    if facts.shape:
        parts.append(f"contiguous {numbers(facts.contiguity)}")
        parts.append(f"constant {numbers(facts.constancy)}")
    if facts.low is not None or facts.high is not None:
        low = "" if facts.low is None else facts.low
        high = "" if facts.high is None else facts.high
        parts.append(f"{low}..{high}")
    return ", ".join(parts)
