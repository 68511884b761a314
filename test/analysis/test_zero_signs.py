# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An addition of +0 goes where nobody sees the sign of a zero, and stays elsewhere."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile.analysis.zero_signs import hides_zero_signs
from cuda_tile.ir.walk import entries, nested_ops

TILE = "tile<16xf32>"


def hides(lines: str, body: str = "") -> bool:
    """Whether the uses of `%y = %x + 0` in some lines, and a loop, hide its signs."""
    loop = f"""
    %r = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%c = %y) -> ({TILE}) {{
      {body}
    }}"""
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %view = make_tensor_view %p, shape = [16], strides = [1]
      : tensor_view<16xf32, strides=[1]>
    %tiles = make_partition_view %view
      : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %x, %t = load_view_tko weak %tiles[%zero]
      : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32>
      -> {TILE}, token
    %none = constant <f32: 0.0> : {TILE}
    %y = addf %x, %none : {TILE}
    {lines}
    {loop if body else ""}
    return
  }}
}}"""
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    added = next(op for op in nested_ops(entry) if op.name == "cuda_tile.addf")
    return hides_zero_signs(added.results[0])


STORE = """%s = store_view_tko weak %v, %tiles[%zero]
      : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>,
      tile<i32> -> token"""


@pytest.mark.parametrize(
    "lines",
    [
        f"%e = exp2 %y : {TILE}\n    %v = mulf %e, %e : {TILE}\n    {STORE}",
        f"%e = fma %y, %y, %x : {TILE}\n    %v = exp2 %e : {TILE}\n    {STORE}",
        f"%c = cmpf less_than ordered %y, %x : {TILE} -> tile<16xi1>",
        f"%e = maxf %y, %x : {TILE}\n    %v = absf %e : {TILE}\n    {STORE}",
    ],
)
def test_nobody_sees_them(lines: str) -> None:
    assert hides(lines)


@pytest.mark.parametrize(
    "lines",
    [
        f"%v = maxf %y, %x : {TILE}\n    {STORE}",
        f"%e = divf %x, %y : {TILE}\n    %v = exp2 %e : {TILE}\n    {STORE}",
        f"%v = bitcast %y : {TILE} -> tile<16xi32>",
    ],
)
def test_somebody_sees_them(lines: str) -> None:
    assert not hides(lines)


def test_they_are_followed_through_loops() -> None:
    iteration = f"%e = exp2 %c : {TILE}\n      %m = maxf %c, %e : {TILE}"
    assert hides("", f"{iteration}\n      continue %m : {TILE}")
    seen = STORE.replace("%v", "%c")
    assert not hides("", f"{iteration}\n      {seen}\n      continue %m : {TILE}")
