# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts found on demand against those of a walk of the whole entry."""

from __future__ import annotations

import pytest
from real_kernels import RECIPES, kernel_path

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.ir.walk import entries, nested_ops

CARRIED = b"""
cuda_tile.module @m { entry @k(%n: tile<i32>) {
  %z = constant <i32: 0> : tile<i32>
  %o = constant <i32: 1> : tile<i32>
  %f = constant <i32: 4> : tile<i32>
  %r = for %i in (%z to %n, step %o) : tile<i32> iter_values(%c = %f) -> (tile<i32>) {
    %e = muli %i, %f : tile<i32>
    %d = addi %c, %e : tile<i32>
    continue %d : tile<i32>
  }
  %s = muli %r, %f : tile<i32>
  return
} }"""


def values_of(entry: ir.Operation) -> list[ir.Value]:
    """Every value of an entry."""
    ops = [entry, *nested_ops(entry)]
    blocks = [block for op in ops for region in op.regions for block in region.blocks]
    made: list[ir.Value] = [value for op in ops[1:] for value in op.results]
    return [*made, *(value for block in blocks for value in block.arguments)]


@pytest.mark.parametrize("level", [None, "barriers"])
@pytest.mark.parametrize("name", list(RECIPES)[::4])
def test_equal_for_every_value_and_none_needs_the_walk(
    name: str, level: str | None
) -> None:
    module = cuda_tile.load(kernel_path(name))
    if level is not None:
        module = cuda_tile.lower(module, "sm_80", until=level)
    with module.context:
        (entry,) = entries(module.operation)
        whole, some = FactsAnalysis(entry), FactsOnDemand(entry)
        for value in values_of(entry):
            assert some.of(value) == whole.of(value), value
            if some.is_walked:  # by a value that a loop carries
                some = FactsOnDemand(entry)


def test_only_what_a_loop_carries_needs_the_walk() -> None:
    module = cuda_tile.load(CARRIED)
    (entry,) = entries(module.operation)
    walked: list[ir.Value] = []
    for value in values_of(entry):
        facts = FactsOnDemand(entry)
        assert facts.of(value) == FactsAnalysis(entry).of(value), value
        if facts.is_walked:
            walked.append(value)
    assert len(walked) == 4  # %c, %d, %r and %s
