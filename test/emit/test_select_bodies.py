# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies that choose one of two elements: the same choice from fewer comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuda_tile

FLOAT = """
      %gt = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
      %eq = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
      %an = cmpf not_equal unordered %a, %a : tile<f32> -> tile<i1>
      %bn = cmpf not_equal unordered %b, %b : tile<f32> -> tile<i1>
      %ak = cmpf equal ordered %a, %a : tile<f32> -> tile<i1>
      %bk = cmpf equal ordered %b, %b : tile<f32> -> tile<i1>
      %lt = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>
      %hi = cmpi greater_than %i, %j, unsigned : tile<i32> -> tile<i1>
      %nan = andi %an, %bn : tile<i1>
      %same = ori %eq, %nan : tile<i1>"""
TAKE = """
      %x = select %w, %a, %b : tile<i1>, tile<f32>
      %y = select %w, %i, %j : tile<i1>, tile<i32>
      yield %x, %y : tile<f32>, tile<i32>"""
BODIES = {
    "first maximum, NaN is the largest": f"""{FLOAT}
      %o = andi %an, %bk : tile<i1>
      %h = ori %gt, %o : tile<i1>
      %t = andi %same, %lt : tile<i1>
      %w = ori %h, %t : tile<i1>{TAKE}""",
    "first maximum, NaN is the least": f"""{FLOAT}
      %o = andi %ak, %bn : tile<i1>
      %h = ori %gt, %o : tile<i1>
      %t = andi %same, %lt : tile<i1>
      %w = ori %h, %t : tile<i1>{TAKE}""",
    "minimum, the last by unsigned places": f"""{FLOAT}
      %le = cmpf less_than ordered %a, %b : tile<f32> -> tile<i1>
      %o = andi %ak, %bn : tile<i1>
      %h = ori %le, %o : tile<i1>
      %t = andi %same, %hi : tile<i1>
      %w = ori %h, %t : tile<i1>{TAKE}""",
    "least integer, of equals the greatest float": f"""{FLOAT}
      %o = andi %ak, %bn : tile<i1>
      %h = ori %gt, %o : tile<i1>
      %is = cmpi equal %i, %j, signed : tile<i32> -> tile<i1>
      %t = andi %is, %h : tile<i1>
      %w = ori %lt, %t : tile<i1>{TAKE}""",
}
PLACES = {
    "rising": "%n = iota : tile<{0}xi32>",
    "falling": """%u = iota : tile<{0}xi32>
    %top = constant <i32: {0}> : tile<{0}xi32>
    %n = subi %top, %u : tile<{0}xi32>""",
    "any": "%n, %t2 = load_ptr_tko weak %ni : tile<{0}xptr<i32>> "
    "-> tile<{0}xi32>, token",
}


def text_of(body: str, places: str, size: int) -> str:
    return f"""cuda_tile.module @m {{
  entry @k(%px: tile<ptr<f32>>, %pi: tile<ptr<i32>>, %py: tile<ptr<f32>>,
           %pz: tile<ptr<i32>>) {{
    %all = iota : tile<{size}xi32>
    %x1 = reshape %px : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xb = broadcast %x1 : tile<1xptr<f32>> -> tile<{size}xptr<f32>>
    %xi = offset %xb, %all : tile<{size}xptr<f32>>, tile<{size}xi32>
      -> tile<{size}xptr<f32>>
    %i1 = reshape %pi : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ib = broadcast %i1 : tile<1xptr<i32>> -> tile<{size}xptr<i32>>
    %ni = offset %ib, %all : tile<{size}xptr<i32>>, tile<{size}xi32>
      -> tile<{size}xptr<i32>>
    %v, %t1 = load_ptr_tko weak %xi : tile<{size}xptr<f32>> -> tile<{size}xf32>, token
    {PLACES[places].format(size)}
    %r, %s = reduce %v, %n dim=0 identities=[0.0 : f32, 0 : i32]
      : tile<{size}xf32>, tile<{size}xi32> -> tile<f32>, tile<i32>
    (%a: tile<f32>, %b: tile<f32>, %i: tile<i32>, %j: tile<i32>) {{{BODIES[body]}
    }}
    %t3 = store_ptr_tko weak %py, %r : tile<ptr<f32>>, tile<f32> -> token
    %t4 = store_ptr_tko weak %pz, %s : tile<ptr<i32>>, tile<i32> -> token
    return
}} }}"""


def inputs(size: int, seed: int) -> list[Any]:
    """Few numbers, so that many are equal; in some rows, NaN is everywhere."""
    random = np.random.default_rng(seed)
    values = [np.nan, -np.inf, -1.5, -0.0, 0.0, 2, np.inf]
    x = random.choice(values[seed % 4 :], size).astype(np.float32)
    if seed % 3 == 0:
        x[random.random(size) < 0.9] = np.nan
    places = random.integers(-2, 2, size).astype(np.int32)
    return [x, places, np.zeros(1, np.float32), np.zeros(1, np.int32)]


@pytest.mark.parametrize("size", [32, 512])
@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("body", BODIES)
def test_same_choice(
    body: str, places: str, size: int, draws: Callable[[int], int]
) -> None:
    """Interpreter and emulator; in 512 elements each thread knows some orders."""
    module = cuda_tile.load(text_of(body, places, size).encode())
    options = cuda_tile.Options(gpu="sm_80", num_warps=1)
    compiled = cuda_tile.compile(module, options=options, cubin=False)
    for seed in range(draws(12)):
        args, own = inputs(size, seed), inputs(size, seed)
        cuda_tile.run(module, grid=(1,), args=args)
        on: dict[str, Any] = {"on": "emulator", "gpu": "sm_80", "compiled": compiled}
        cuda_tile.run(module, grid=(1,), args=own, mode="adversarial", **on)
        np.testing.assert_array_equal(own[2], args[2])
        np.testing.assert_array_equal(own[3], args[3])


@pytest.mark.parametrize(
    ("places", "comparisons"),
    [("rising", 2), ("any", 5)],
)
def test_known_orders_need_no_comparison(places: str, comparisons: int) -> None:
    """Of places in one thread; else five for ten and what joins them."""
    body = "first maximum, NaN is the least"
    module = cuda_tile.load(text_of(body, places, 1024).encode())
    options = cuda_tile.Options(gpu="sm_80", num_warps=1)
    ptx = cuda_tile.compile(module, options=options, cubin=False).ptx
    in_thread, across = 31, 5
    most = in_thread * comparisons + across * 5
    assert ptx.count("setp.") <= most + 2
