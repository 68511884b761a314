# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in which a product is made of another one's result: all judges agree on each.

The later product runs an iteration behind the earlier one (`stage = 1`), in any form
that such a loop may have. Inputs are small whole numbers, so that every sum is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(4)

Array = np.ndarray[Any, Any]
LEVELS = ("stage", "skew", "issue", "count", "barriers")
ROWS, DEPTH, KEYS = 64, 32, 16
LENGTHS = (0, 1, 2, 5)
"""Iterations of the loop."""
SEEDS = 2
TENSOR = "tensor_view<?x32xf16, strides=[32,1]>"
K = f"partition_view<tile=(32x16), padding_value = zero, {TENSOR}, dim_map=[1, 0]>"
V = f"partition_view<tile=(16x32), padding_value = zero, {TENSOR}>"
Q = f"partition_view<tile=(64x32), padding_value = zero, {TENSOR}>"
OUT = "tensor_view<64x32xf32, strides=[32,1]>"
O_VIEW = f"partition_view<tile=(64x32), {OUT}>"
ACC, SCORES = "tile<64x32xf32>", "tile<64x16xf32>"


def kernel(loop: str) -> str:
    """A kernel whose `loop` makes `%f#0` of queries `%q` and views `%kv`, `%vv`."""
    return f"""cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f16>>,
           %n: tile<i32>, %o: tile<ptr<f32>>) {{
    %a1 = assume div_by<16>, %a : tile<ptr<f16>>
    %b1 = assume div_by<16>, %b : tile<ptr<f16>>
    %c1 = assume div_by<16>, %c : tile<ptr<f16>>
    %o1 = assume div_by<16>, %o : tile<ptr<f32>>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %keys = constant <i32: 16> : tile<i32>
    %rows = constant <i32: 64> : tile<i32>
    %length1 = assume bounded<0, 65536>, %n : tile<i32>
    %length = muli %length1, %keys : tile<i32>
    %qt = make_tensor_view %a1, shape = [%rows, 32], strides = [32, 1]
      : tile<i32> -> {TENSOR}
    %kt = make_tensor_view %b1, shape = [%length, 32], strides = [32, 1]
      : tile<i32> -> {TENSOR}
    %vt = make_tensor_view %c1, shape = [%length, 32], strides = [32, 1]
      : tile<i32> -> {TENSOR}
    %outs = make_tensor_view %o1, shape = [64, 32], strides = [32, 1] : {OUT}
    %qv = make_partition_view %qt : {Q}
    %kv = make_partition_view %kt : {K}
    %vv = make_partition_view %vt : {V}
    %ov = make_partition_view %outs : {O_VIEW}
    %none = constant <f32: 0.0> : {SCORES}
    %acc0 = constant <f32: 0.0> : {ACC}
    %half = constant <f32: 0.5> : {ACC}
    %q, %qw = load_view_tko weak %qv[%z, %z]
      : {Q}, tile<i32> -> tile<64x32xf16>, token{loop}
    %w = store_view_tko weak %f#0, %ov[%z, %z] : {ACC}, {O_VIEW}, tile<i32> -> token
    return
  }}
}}
"""


def load(name: str, view: str, at: str) -> str:
    kind, shape = (K, "32x16") if view == "kv" else (V, "16x32")
    return f"""
      %{name}, %{name}w = load_view_tko weak %{view}[{at}]
        : {kind}, tile<i32> -> tile<{shape}xf16>, token"""


def scores(name: str, key: str, acc: str = "%none") -> str:
    return f"""
      %{name} = mmaf %q, %{key}, {acc} : tile<64x32xf16>, tile<32x16xf16>, {SCORES}"""


def values(name: str, weights: str, value: str, acc: str) -> str:
    return f"""
      %{name}h = ftof %{weights} : {SCORES} -> tile<64x16xf16>
      %{name} = mmaf %{name}h, %{value}, {acc}
        : tile<64x16xf16>, tile<16x32xf16>, {ACC}"""


def loop(body: str, carried: str, types: str, ends: str, step: str = "%one") -> str:
    count = types.count("tile")
    return f"""
    %f:{count} = for %j in (%z to %length1, step {step}) : tile<i32>
        iter_values({carried}) -> ({types}) {{{body}
      continue {ends} : {types}
    }}"""


BASIC = load("k", "kv", "%z, %j") + load("v", "vv", "%j, %z") + scores("s", "k")
ROW = "tile<64x1xf32>"
REDUCED = f"""
      %t1 = reduce %s dim=1 identities=[0.0 : f32] : {SCORES} -> tile<64xf32>
      (%x: tile<f32>, %y: tile<f32>) {{
        %xy = addf %x, %y : tile<f32>
        yield %xy : tile<f32>
      }}
      %t = reshape %t1 : tile<64xf32> -> {ROW}
      %ts = broadcast %t : {ROW} -> {ACC}"""
SHIFTED = f"""
      %old = broadcast %prev : {ROW} -> {ACC}
      %mixed = addf %acc, %old : {ACC}"""
COUNTED = """
      %jf = itof %j signed : tile<i32> -> tile<f32>
      %j1 = reshape %jf : tile<f32> -> tile<1x1xf32>"""


def iterations(
    q: Array, k: Array, v: Array, step: int = 1
) -> list[tuple[Array, Array]]:
    """Scores and values of each iteration."""
    count = len(k) // KEYS
    parts = [slice(KEYS * j, KEYS * j + KEYS) for j in range(0, count, step)]
    return [(q @ k[at].T, v[at]) for at in parts]


def plain(q: Array, k: Array, v: Array) -> Array:
    return sum((s @ x for s, x in iterations(q, k, v)), np.zeros((ROWS, DEPTH)))


def stepped(q: Array, k: Array, v: Array) -> Array:
    return sum((s @ x for s, x in iterations(q, k, v, 2)), np.zeros((ROWS, DEPTH)))


def halved(q: Array, k: Array, v: Array) -> Array:
    acc = np.zeros((ROWS, DEPTH))
    for s, x in iterations(q, k, v):
        acc = 0.5 * acc + s.sum(1, keepdims=True) + s @ x
    return acc


def shifted(q: Array, k: Array, v: Array) -> Array:
    acc, old = np.zeros((ROWS, DEPTH)), np.zeros((ROWS, 1))
    for s, x in iterations(q, k, v):
        acc, old = acc + old + s @ x, s.sum(1, keepdims=True)
    return acc


def counted(q: Array, k: Array, v: Array) -> Array:
    acc = np.zeros((ROWS, DEPTH))
    for j, (s, x) in enumerate(iterations(q, k, v)):
        acc = (s + j) @ x + acc + j
    return acc


def thrice(q: Array, k: Array, v: Array) -> Array:
    acc = np.zeros((ROWS, DEPTH))
    for s, x in iterations(q, k, v):
        acc = (2 * s) @ x + (s @ x) + acc
    return acc


Kernel = tuple[str, Callable[[Array, Array, Array], Array]]
ZERO_ROW = f"%row0 = constant <f32: 0.0> : {ROW}\n"
FORMS: dict[str, Kernel] = {
    "linear": (
        loop(BASIC + values("d", "s", "v", "%acc"), "%acc = %acc0", ACC, "%d"),
        plain,
    ),
    "step of two": (
        loop(BASIC + values("d", "s", "v", "%acc"), "%acc = %acc0", ACC, "%d", "%two"),
        stepped,
    ),
    "rescaled": (
        loop(
            BASIC
            + REDUCED
            + f"\n      %less = mulf %acc, %half : {ACC}"
            + f"\n      %sum = addf %less, %ts : {ACC}"
            + values("d", "s", "v", "%sum"),
            "%acc = %acc0",
            ACC,
            "%d",
        ),
        halved,
    ),
    "value of the iteration before": (
        f"\n    {ZERO_ROW}"
        + loop(
            BASIC + REDUCED + SHIFTED + values("d", "s", "v", "%mixed"),
            "%acc = %acc0, %prev = %row0",
            f"{ACC}, {ROW}",
            "%d, %t",
        ),
        shifted,
    ),
    "index in both": (
        loop(
            BASIC
            + COUNTED
            + f"""
      %js = broadcast %j1 : tile<1x1xf32> -> {SCORES}
      %sj = addf %s, %js : {SCORES}"""
            + values("d", "sj", "v", "%acc")
            + f"""
      %ja = broadcast %j1 : tile<1x1xf32> -> {ACC}
      %dj = addf %d, %ja : {ACC}""",
            "%acc = %acc0",
            ACC,
            "%dj",
        ),
        counted,
    ),
    "two late products": (
        loop(
            BASIC
            + f"\n      %ss = addf %s, %s : {SCORES}"
            + values("d", "s", "v", "%acc")
            + values("e", "ss", "v", "%d"),
            "%acc = %acc0",
            ACC,
            "%e",
        ),
        thrice,
    ),
}


def inputs(count: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(count)
    shapes = ((ROWS, DEPTH), (KEYS * count, DEPTH), (KEYS * count, DEPTH))
    q, k, v = (rng.integers(-1, 2, s).astype(np.float16) for s in shapes)
    return q, k, v


@cache
def lowered(form: str) -> tuple[ir.Module, dict[str, ir.Module], Any]:
    """The kernel, at some levels, and compiled."""
    module = cuda_tile.load(kernel(FORMS[form][0]).encode())
    levels = {at: cuda_tile.lower(module, "sm_90", until=at) for at in LEVELS}
    return module, levels, cuda_tile.compile(module, "sm_90")


def run(module: ir.Module, count: int, **how: Any) -> Array:
    q, k, v = inputs(count)
    filled = [x if len(x) else np.zeros((1, DEPTH), np.float16) for x in (k, v)]
    out = np.full((ROWS, DEPTH), np.nan, np.float32)
    cuda_tile.run(module, grid=(1,), args=[q, *filled, np.int32(count), out], **how)
    return out


@pytest.mark.parametrize("form", FORMS)
def test_all_levels_agree(form: str) -> None:
    _, levels, _ = lowered(form)
    for count in LENGTHS:
        expected = FORMS[form][1](*(x.astype(np.float64) for x in inputs(count)))
        for at, module in levels.items():
            assert np.array_equal(run(module, count), expected), (at, count)
        for seed in range(SEEDS):
            found = run(levels["count"], count, seed=seed)
            assert np.array_equal(found, expected), (seed, count)


@pytest.mark.parametrize("form", FORMS)
def test_the_emulator_agrees(form: str) -> None:
    module, _, compiled = lowered(form)
    assert not compiled.report.warnings
    how = {"on": "emulator", "gpu": "sm_90", "mode": "adversarial"}
    for count in LENGTHS:
        expected = FORMS[form][1](*(x.astype(np.float64) for x in inputs(count)))
        for seed in range(SEEDS):
            found = run(module, count, compiled=compiled, seed=seed, **how)
            assert np.array_equal(found, expected), (seed, count)


@pytest.mark.parametrize("form", FORMS)
def test_a_later_product_runs_an_iteration_behind(form: str) -> None:
    _, levels, _ = lowered(form)
    with levels["skew"].context:
        (entry,) = entries(levels["skew"].operation)
        products = [op for op in nested_ops(entry) if op.name == "tileas.wgmma"]
        loops = [op for op in products if op.block.owner.name == "cuda_tile.for"]
        assert loops
        assert len(products) == 2 * len(loops), "a prologue and an epilogue"
