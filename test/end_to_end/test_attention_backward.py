# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of keys and values: four products an iteration, whose tiles are read twice.

An iteration has the tiles of some queries and of their result's gradients. Scores and
the gradients of weights are products of both with keys and values; what they give is
multiplied by the same two tiles again. All four overlap on sm_90, where registers hold
the sums.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuda_tile
from cuda_tile._mlir import ir

KEYS, QUERIES, DEPTH, ITERATIONS = 128, 64, 64, 3
LEVELS = ("stage", "ring", "roles", "skew", "issue", "barriers")
ALLOWED = 2.0**-10
"""Relative error of sums of weights that were rounded to f16."""


def view(name: str, rows: int, tile: int, element: str) -> str:
    """The lines that make a view of tiles."""
    tensor = f"tensor_view<{rows}x{DEPTH}x{element}, strides=[{DEPTH},1]>"
    return f"""
    %{name}1 = assume div_by<16>, %{name} : tile<ptr<{element}>>
    %{name}2 = make_tensor_view %{name}1, shape = [{rows}, {DEPTH}],
      strides = [{DEPTH}, 1] : {tensor}
    %{name}3 = make_partition_view %{name}2 : {part(rows, tile, element)}"""


def part(rows: int, tile: int, element: str) -> str:
    """The type of a view of tiles."""
    tensor = f"tensor_view<{rows}x{DEPTH}x{element}, strides=[{DEPTH},1]>"
    return f"partition_view<tile=({tile}x{DEPTH}), {tensor}>"


def load(name: str, rows: int, tile: int, index: str) -> str:
    """The lines that load a tile and transpose it."""
    ty, transposed = f"tile<{tile}x{DEPTH}xf16>", f"tile<{DEPTH}x{tile}xf16>"
    return f"""
    %{name}t, %{name}k = load_view_tko weak %{name}3[{index}, %zero]
      : {part(rows, tile, "f16")}, tile<i32> -> {ty}, token
    %{name}x = permute %{name}t [1, 0] : {ty} -> {transposed}"""


def text() -> str:
    """The kernel: a tile block has all queries and a tile of keys."""
    queries = QUERIES * ITERATIONS
    square, sums = f"tile<{KEYS}x{QUERIES}xf32>", f"tile<{KEYS}x{DEPTH}xf32>"
    narrow = f"tile<{KEYS}x{QUERIES}xf16>"
    wide, transposed = f"tile<{KEYS}x{DEPTH}xf16>", f"tile<{DEPTH}x{QUERIES}xf16>"
    tall, stored = f"tile<{QUERIES}x{DEPTH}xf16>", part(KEYS, KEYS, "f32")
    views = [view(n, queries, QUERIES, "f16") for n in ("q", "o")]
    views += [view(n, KEYS, KEYS, "f16") for n in ("k", "v")]
    views += [view(n, KEYS, KEYS, "f32") for n in ("dk", "dv")]
    return f"""cuda_tile.module @m {{
  entry @k(%q: tile<ptr<f16>>, %o: tile<ptr<f16>>, %k: tile<ptr<f16>>,
      %v: tile<ptr<f16>>, %dk: tile<ptr<f32>>, %dv: tile<ptr<f32>>, %n: tile<i32>) {{
    {"".join(views)}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : {square}
    %start = constant <f32: 0.0> : {sums}
    {load("k", KEYS, KEYS, "%zero")}
    {load("v", KEYS, KEYS, "%zero")}
    %r:2 = for %j in (%zero to %n, step %one) : tile<i32>
        iter_values(%gk = %start, %gv = %start) -> ({sums}, {sums}) {{
      {load("q", queries, QUERIES, "%j")}
      {load("o", queries, QUERIES, "%j")}
      %s = mmaf %kt, %qx, %none : {wide}, {transposed}, {square}
      %p = exp2 %s flush_to_zero : {square}
      %dp = mmaf %vt, %ox, %none : {wide}, {transposed}, {square}
      %ds = mulf %p, %dp : {square}
      %ph = ftof %p : {square} -> {narrow}
      %dh = ftof %ds : {square} -> {narrow}
      %gv2 = mmaf %ph, %ot, %gv : {narrow}, {tall}, {sums}
      %gk2 = mmaf %dh, %qt, %gk : {narrow}, {tall}, {sums}
      continue %gk2, %gv2 : {sums}, {sums}
    }}
    %t1 = store_view_tko weak %r#0, %dk3[%zero, %zero] : {sums}, {stored}, tile<i32>
      -> token
    %t2 = store_view_tko weak %r#1, %dv3[%zero, %zero] : {sums}, {stored}, tile<i32>
      -> token
    return
  }}
}}"""


@cache
def kernel() -> ir.Module:
    return cuda_tile.load(text().encode())


def inputs() -> list[NDArray[np.float16]]:
    """Queries, gradients of results, keys and values."""
    rng = np.random.default_rng(0)
    rows = (QUERIES * ITERATIONS, QUERIES * ITERATIONS, KEYS, KEYS)
    return [(rng.normal(size=(n, DEPTH)) * 0.3).astype(np.float16) for n in rows]


def run(module: ir.Module, **how: Any) -> NDArray[np.float32]:
    """The gradients that a module computes."""
    found = np.zeros((2, KEYS, DEPTH), np.float32)
    arguments = [*inputs(), found[0], found[1], np.int32(ITERATIONS)]
    cuda_tile.run(module, grid=(1,), args=arguments, **how)
    return found


def check(found: NDArray[np.float32]) -> None:
    """Compares gradients with those of f64."""
    q, o, k, v = (x.astype(np.float64) for x in inputs())
    weights = np.exp2(k @ q.T)
    parts = (weights * (v @ o.T), q), (weights, o)
    for mine, (left, right) in zip(found, parts, strict=True):
        allowed = ALLOWED * (np.abs(left) @ np.abs(right))
        assert (np.abs(mine - left @ right) <= allowed).all()


def test_every_level_computes_the_same() -> None:
    expected = run(kernel())
    check(expected)
    for at in LEVELS:
        lowered = cuda_tile.lower(kernel(), "sm_90", until=at)
        assert np.array_equal(run(lowered), expected), at


def test_the_emulator_agrees_and_products_overlap() -> None:
    compiled = cuda_tile.compile(kernel(), "sm_90", cubin=False)
    for seed in (0, 1):
        how: dict[str, Any] = {
            "compiled": compiled,
            "gpu": "sm_90",
            "mode": "adversarial",
        }
        check(run(kernel(), on="emulator", seed=seed, **how))
    planned = str(cuda_tile.lower(kernel(), "sm_90", until="load_duplication"))
    assert planned.count("stage = 1") == 2
    assert planned.count("load_view_tko") == 6, "of both tiles a load for each use"
