# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which bodies of reductions may take their arguments in any order."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile.analysis.bodies import is_commutative, is_symmetric
from cuda_tile.ir.walk import entries, nested_ops

FLOAT = """
      %gt = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
      %eq = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
      %an = cmpf not_equal unordered %a, %a : tile<f32> -> tile<i1>
      %bn = cmpf not_equal unordered %b, %b : tile<f32> -> tile<i1>
      %lt = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>"""
TAKE = """
      %x = select %w, %a, %b : tile<i1>, tile<f32>
      %y = select %w, %i, %j : tile<i1>, tile<i32>
      yield %x, %y : tile<f32>, tile<i32>"""

FIRST_MAXIMUM = f"""{FLOAT}
      %m = andi %eq, %lt : tile<i1>
      %nan = andi %an, %bn : tile<i1>
      %both = andi %nan, %lt : tile<i1>
      %t = constant <i1: true> : tile<i1>
      %bok = xori %bn, %t : tile<i1>
      %o = andi %an, %bok : tile<i1>
      %p = ori %gt, %m : tile<i1>
      %q = ori %both, %o : tile<i1>
      %w = ori %p, %q : tile<i1>{TAKE}"""
"""NaN is the largest, and of equal ones the first is taken."""

CASES = {
    "maximum that NaN wins, ties by place": (FIRST_MAXIMUM, True, False),
    "ties by place, but NaN by order": (
        f"""{FLOAT}
      %m = andi %eq, %lt : tile<i1>
      %w = ori %gt, %m : tile<i1>{TAKE}""",
        False,
        False,
    ),
    "ties by order": (
        f"""{FLOAT}
      %w = ori %gt, %an : tile<i1>{TAKE}""",
        False,
        False,
    ),
    "each on its own": (
        """
      %x = maxf %a, %b : tile<f32>
      %y = addi %j, %i : tile<i32>
      yield %x, %y : tile<f32>, tile<i32>""",
        True,
        True,
    ),
    "larger of integers, and a sum": (
        """
      %w = cmpi greater_than_or_equal %i, %j, unsigned : tile<i32> -> tile<i1>
      %x = addf %a, %b : tile<f32>
      %y = select %w, %i, %j : tile<i1>, tile<i32>
      yield %x, %y : tile<f32>, tile<i32>""",
        True,
        False,
    ),
    "a sum here, a product there": (
        """
      %w = cmpi greater_than %i, %j, signed : tile<i32> -> tile<i1>
      %s = addf %a, %b : tile<f32>
      %p = mulf %a, %b : tile<f32>
      %x = select %w, %s, %p : tile<i1>, tile<f32>
      %y = maxi %i, %j signed : tile<i32>
      yield %x, %y : tile<f32>, tile<i32>""",
        False,
        False,
    ),
    "the last": ("\n      yield %a, %i : tile<f32>, tile<i32>", False, False),
    "a difference": (
        """
      %x = subf %a, %b : tile<f32>
      %y = addi %i, %j : tile<i32>
      yield %x, %y : tile<f32>, tile<i32>""",
        False,
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_which_bodies_are_commutative(name: str) -> None:
    text, any_order, same_bits = CASES[name]
    module = cuda_tile.load(
        f"""cuda_tile.module @m {{ entry @k() {{
    %v = constant <f32: 1.0> : tile<8xf32>
    %n = iota : tile<8xi32>
    %r, %s = reduce %v, %n dim=0 identities=[0.0 : f32, 0 : i32]
      : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32>
    (%a: tile<f32>, %b: tile<f32>, %i: tile<i32>, %j: tile<i32>) {{{text}
    }}
    return
}} }}""".encode()
    )
    (entry,) = entries(module.operation)
    (op,) = [op for op in nested_ops(entry) if op.name == "cuda_tile.reduce"]
    assert is_commutative(op) == any_order
    assert is_symmetric(op) == same_bits
