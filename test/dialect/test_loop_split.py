# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loop-split keeps what a loop does, also where bounds and steps are extreme.

Loops over i8 with all comparisons run on the interpreter before and after the pass;
each iteration adds its index and its branch to a number that depends on the order.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile._mlir.passmanager import PassManager

COMPARISONS = (
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)
EDGES = {"signed": (-128, -127, -1, 0, 3, 126, 127), "unsigned": (0, 1, 7, 254, 255)}
STEPS = {"signed": (1, 3, 127), "unsigned": (1, 3, 128)}


def text(comparison: str, sign: str, step: int, constants: str) -> str:
    """A loop whose two branches add different numbers, one of which continues."""
    unsigned = "unsigned " if sign == "unsigned" else ""
    return f"""cuda_tile.module @m {{
  entry @k(%lower: tile<i8>, %upper: tile<i8>, %bound: tile<i8>,
           %out: tile<ptr<i32>>) {{
    {constants}
    %step = constant <i8: {step}> : tile<i8>
    %seven = constant <i32: 7> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %r = for {unsigned}%i in (%l to %upper, step %step) : tile<i8>
        iter_values(%v = %zero) -> (tile<i32>) {{
      %w = exti %i {sign} : tile<i8> -> tile<i32>
      %s = addi %v, %w : tile<i32>
      %p = muli %s, %seven : tile<i32>
      %c = cmpi {comparison} %i, %b, {sign} : tile<i8> -> tile<i1>
      if %c {{
        continue %p : tile<i32>
      }}
      %q = addi %p, %seven : tile<i32>
      %x = select %c, %p, %q : tile<i1>, tile<i32>
      continue %x : tile<i32>
    }}
    %t = store_ptr_tko weak %out, %r : tile<ptr<i32>>, tile<i32> -> token
    return
  }}
}}"""


def result(module: ir.Module, numbers: tuple[int, int, int]) -> int:
    """What the kernel stores for a lower bound, an upper bound and a bound."""
    out = np.zeros(1, np.int32)
    arguments = [np.array(n).astype(np.int8)[()] for n in numbers]
    interp.run(module, grid=(1,), args=[*arguments, out])
    return int(out[0])


@pytest.mark.parametrize("sign", list(EDGES))
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_values_stay(comparison: str, sign: str) -> None:
    """With bounds that are arguments, and with constants, some of which wrap."""
    rng = np.random.default_rng(0)
    edges = EDGES[sign]
    everything = list(product(edges, edges, edges))
    picked = rng.permutation(len(everything))
    n_splits = 0
    for step in STEPS[sign]:
        names = "%l = exti %lower signed : tile<i8> -> tile<i8>"
        for is_constant in (False, True):
            for number in picked[: 6 if is_constant else 1]:
                lower, _, bound = everything[number]
                names = "".join(
                    f"%{name} = constant <i8: {np.int8(np.uint8(value % 256))}> "
                    ": tile<i8>\n"
                    if is_constant
                    else f"%{name} = ori %{given}, %{given} : tile<i8>\n"
                    for name, given, value in (
                        ("l", "lower", lower),
                        ("b", "bound", bound),
                    )
                )
                with ir.Context():
                    source = text(comparison, sign, step, names)
                    before, after = ir.Module.parse(source), ir.Module.parse(source)
                    pipeline = "builtin.module(cuda_tile.module(any(loop-split)))"
                    PassManager.parse(pipeline).run(after.operation)
                    n_splits += str(after).count("= for ") == 2
                    for other in picked[:10]:
                        numbers = everything[other]
                        assert result(before, numbers) == result(after, numbers), (
                            source,
                            numbers,
                        )
    assert n_splits == len(STEPS[sign]) * 7
