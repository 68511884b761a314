# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention as Tile IR, for tests and the tables of attention.py.

A tile block has some keys and values of one head and takes the queries tile by tile.
Scores and the gradients of weights are products of keys and values with queries and the
gradients of results; the same two tiles are multiplied by what comes of that for the
gradients of keys and values, which the tile block keeps. The fifth product is this tile
block's part of the queries' gradients, which many add up in memory. Weights come from
the forward pass's sums of each row, `lse`, and `delta` is the sum of a row of results
times their gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log2
from typing import Any

import numpy as np
from kernel_args import Launch, normal
from numpy.typing import NDArray
from product_kernels import DTYPES
from real_kernels import aligned

_ROWS = ("lse", "delta")
_SCALES = ("q", "o", "k", "v", "dk", "dv")


@dataclass(frozen=True)
class Backward:
    """The gradients by the tile of one CTA.

    Attributes:
        depth: Elements of a query, key and value.
        keys: Keys of a tile block.
        queries: Queries of an iteration.
        element: Element type of the tensors but for the queries' gradients: f32.
        has_queries: Whether the queries' gradients are computed, too.
        by_queries: Whether the rows of scores are queries: then threads have few of the
            numbers that belong to queries, and weights go through shared memory to be
            multiplied; else the rows are keys, and weights stay where they are.
    """

    depth: int
    keys: int = 128
    queries: int = 64
    element: str = "f16"
    has_queries: bool = True
    by_queries: bool = False

    @property
    def name(self) -> str:
        """As the tables have it: `backward f16 d64 128x64`."""
        parts = "" if self.has_queries else " dk dv"
        parts += " rows" if self.by_queries else ""
        tiles = f"{self.keys}x{self.queries}"
        return f"backward {self.element} d{self.depth} {tiles}{parts}"

    @property
    def _square(self) -> str:
        """Shape of the scores of an iteration."""
        m, n = self.keys, self.queries
        return f"{n}x{m}" if self.by_queries else f"{m}x{n}"

    @property
    def _arrays(self) -> list[str]:
        return ["q", "o", "k", "v", *_ROWS, "dk", "dv"] + ["dq"] * self.has_queries

    def text(self) -> str:
        """The kernel, with cuTile's parameters: arrays, then the scale."""
        lines = [line for x in self._arrays for line in self._view(x)]
        parameters = ", ".join(p for x in self._arrays for p in self._parameters(x))
        return "\n".join(
            [
                "cuda_tile.module @backward {",
                f"  entry @backward({parameters}, %scale: tile<f32>) {{",
                *(f"    {line}" for line in lines),
                self._start(),
                *self._loop(),
                *self._end(),
                "    return",
                "  }",
                "}",
            ]
        )

    def _kind(self, x: str) -> str:
        return "f32" if x in (*_ROWS, "dq") else self.element

    def _numbers(self, x: str) -> list[str]:
        return (
            ["h", "n", "sh", "sn"] if x in _ROWS else ["h", "n", "d", "sh", "sn", "sd"]
        )

    def _parameters(self, x: str) -> list[str]:
        numbers = [f"%{x}{n}: tile<i32>" for n in self._numbers(x)]
        return [f"%{x}: tile<ptr<{self._kind(x)}>>", *numbers]

    def _tensor(self, x: str) -> str:
        if x in _ROWS:
            return f"tensor_view<?x?x{self._kind(x)}, strides=[?,1]>"
        depth = self.depth
        return f"tensor_view<?x?x{depth}x{self._kind(x)}, strides=[?,{depth},1]>"

    def _part(self, x: str) -> str:
        """The type of the view of an array."""
        rows = self.keys if x in ("k", "v", "dk", "dv") else self.queries
        shape = f"1x{rows}" if x in _ROWS else f"1x{rows}x{self.depth}"
        padding = "" if x == "dq" else "padding_value = zero, "
        return f"partition_view<tile=({shape}), {padding}{self._tensor(x)}>"

    def _view(self, x: str) -> list[str]:
        lines = [f"%{x}a = assume div_by<16>, %{x} : tile<ptr<{self._kind(x)}>>"]
        for number in ("h", "n", "sh"):
            by = 8 if number == "sh" else 1
            name = f"%{x}{number}"
            lines.append(f"{name}b = assume bounded<0, ?>, {name} : tile<i32>")
            lines.append(f"{name}a = assume div_by<{by}>, {name}b : tile<i32>")
        depth = "" if x in _ROWS else f", {self.depth}"
        strides = "1" if x in _ROWS else f"{self.depth}, 1"
        return [
            *lines,
            f"%{x}t = make_tensor_view %{x}a, shape = [%{x}ha, %{x}na{depth}], "
            f"strides = [%{x}sha, {strides}] : tile<i32> -> {self._tensor(x)}",
            f"%{x}p = make_partition_view %{x}t : {self._part(x)}",
        ]

    def _load(self, x: str, index: str) -> list[str]:
        """Loads a tile: `%<x>x`; of rows a square that has them in each row."""
        m, n, d = self.keys, self.queries, self.depth
        kind, rows = self._kind(x), m if x in ("k", "v") else n
        shape = f"{n}x{kind}" if x in _ROWS else f"{rows}x{d}x{kind}"
        indices = f"%head, {index}" + ("" if x in _ROWS else ", %zero")
        lines = [
            f"%{x}l, %{x}w = load_view_tko weak %{x}p[{indices}] : {self._part(x)}, "
            f"tile<i32> -> tile<1x{shape}>, token"
        ]
        if x in _ROWS:
            line = f"{n}x1xf32" if self.by_queries else f"1x{n}xf32"
            return [
                *lines,
                f"%{x}m = reshape %{x}l : tile<1x{shape}> -> tile<{line}>",
                f"%{x}x = broadcast %{x}m : tile<{line}> -> tile<{self._square}xf32>",
            ]
        return [*lines, f"%{x}x = reshape %{x}l : tile<1x{shape}> -> tile<{shape}>"]

    def _start(self) -> str:
        m, n, d = self.keys, self.queries, self.depth
        square, sums = f"tile<{self._square}xf32>", f"tile<{m}x{d}xf32>"
        load = [line for x in ("k", "v") for line in self._load(x, "%j")]
        return f"""
    %j, %head, %unused = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: {n}> : tile<i32>
    %all = divi %qna, %rows signed rounding<positive_inf> : tile<i32>
    %log = constant <f32: {log2(e)}> : tile<f32>
    %factor = mulf %scale, %log : tile<f32>
    %factor1 = reshape %factor : tile<f32> -> tile<1x1xf32>
    %factors = broadcast %factor1 : tile<1x1xf32> -> {square}
    %scale1 = reshape %scale : tile<f32> -> tile<1x1xf32>
    %scales = broadcast %scale1 : tile<1x1xf32> -> {sums}
    %none = constant <f32: 0.0> : {square}
    %start = constant <f32: 0.0> : {sums}
    %part0 = constant <f32: 0.0> : tile<{n}x{d}xf32>
    {" ".join(load)}"""

    def _loop(self) -> list[str]:
        sums = f"tile<{self.keys}x{self.depth}xf32>"
        return [
            "    %r:2 = for %i in (%zero to %all, step %one) : tile<i32> "
            f"iter_values(%gk = %start, %gv = %start) -> ({sums}, {sums}) {{",
            *(f"      {line}" for line in self._iteration()),
            f"      continue %gk2, %gv2 : {sums}, {sums}",
            "    }",
        ]

    def _iteration(self) -> list[str]:
        m, n, d, kind = self.keys, self.queries, self.depth, self.element
        square, sums = f"tile<{self._square}xf32>", f"tile<{m}x{d}xf32>"
        narrow = f"tile<{self._square}x{kind}>"
        near, wide = f"tile<{n}x{d}x{kind}>", f"tile<{m}x{d}x{kind}>"
        by_keys, by_queries = f"tile<{m}x{n}x{kind}>", f"tile<{n}x{m}x{kind}>"
        lines = [line for x in ("q", "o", *_ROWS) for line in self._load(x, "%i")]
        lines += [
            *self._scores_of("%s", "k", "q"),
            f"%below = negf %lsex : {square}",
            f"%power = fma %s, %factors, %below : {square}",
            f"%p = exp2 %power flush_to_zero : {square}",
            *self._scores_of("%dp", "v", "o"),
            f"%apart = subf %dp, %deltax : {square}",
            f"%ds = mulf %p, %apart : {square}",
            f"%ph = ftof %p : {square} -> {narrow}",
            f"%dh = ftof %ds : {square} -> {narrow}",
        ]
        left = ["%ph", "%dh"]
        if self.by_queries:
            transposition = f"[1, 0] : {narrow} -> {by_keys}"
            lines += [
                f"%pt = permute %ph {transposition}",
                f"%dt = permute %dh {transposition}",
            ]
            left = ["%pt", "%dt"]
        lines += [
            f"%gv2 = mmaf {left[0]}, %ox, %gv : {by_keys}, {near}, {sums}",
            f"%gk2 = mmaf {left[1]}, %qx, %gk : {by_keys}, {near}, {sums}",
        ]
        if not self.has_queries:
            return lines
        parts, rows = f"tile<{n}x{d}xf32>", "%dh"
        if not self.by_queries:
            lines.append(f"%dt = permute %dh [1, 0] : {narrow} -> {by_queries}")
            rows = "%dt"
        return [
            *lines,
            f"%gq = mmaf {rows}, %kx, %part0 : {by_queries}, {wide}, {parts}",
            f"%gq1 = reshape %gq : {parts} -> tile<1x{n}x{d}xf32>",
            "%added = atomic_red_view_tko relaxed device %dqp[%head, %i, %zero], addf, "
            f"%gq1 : tile<1x{n}x{d}xf32>, {self._part('dq')}, tile<i32> -> token",
        ]

    def _scores_of(self, to: str, key: str, query: str) -> list[str]:
        """A product of keys, or values, with queries, or gradients of results."""
        left, right = (query, key) if self.by_queries else (key, query)
        n, m = (self.keys if x == key else self.queries for x in (right, left))
        d, kind = self.depth, self.element
        transposed = f"tile<{d}x{n}x{kind}>"
        return [
            f"{to}t = permute %{right}x [1, 0] : tile<{n}x{d}x{kind}> -> {transposed}",
            f"{to} = mmaf %{left}x, {to}t, %none : tile<{m}x{d}x{kind}>, {transposed}, "
            f"tile<{self._square}xf32>",
        ]

    def _end(self) -> list[str]:
        m, d, kind = self.keys, self.depth, self.element
        sums, cast = f"tile<{m}x{d}xf32>", f"tile<{m}x{d}x{kind}>"
        lines = [f"%gk3 = mulf %r#0, %scales : {sums}"]
        for x, value in (("dk", "%gk3"), ("dv", "%r#1")):
            lines += [
                f"%{x}c = ftof {value} : {sums} -> {cast}",
                f"%{x}r = reshape %{x}c : {cast} -> tile<1x{m}x{d}x{kind}>",
                f"%{x}s = store_view_tko weak %{x}r, %{x}p[%head, %j, %zero] : "
                f"tile<1x{m}x{d}x{kind}>, {self._part(x)}, tile<i32> -> token",
            ]
        return [f"    {line}" for line in lines]

    def launch(self, heads: int, queries: int, keys: int) -> Launch:
        """A launch with so many heads, queries and keys of a head.

        The gradients of queries lack the scale, which is one product with their sum.
        """
        kind = DTYPES[self.element]
        shapes = [(heads, n, self.depth) for n in (queries, keys)]
        q, o = (normal(shapes[0], kind, seed) for seed in (0, 1))
        k, v = (normal(shapes[1], kind, seed) for seed in (2, 3))
        scale = np.float32(self.depth**-0.5)
        lse, delta = (aligned((heads, queries), np.float32) for _ in _ROWS)
        scores = self._scores(q, k, scale)
        top = scores.max(axis=2)
        sums = np.exp(scores - top[..., None]).sum(axis=2)
        lse[...] = (top + np.log(sums)) * log2(e)
        weights = np.exp(scores - top[..., None]) / sums[..., None]
        over = o.astype(np.float64) @ v.astype(np.float64).swapaxes(1, 2)
        delta[...] = (weights * over).sum(axis=2)
        dk, dv = aligned(k.shape, kind), aligned(k.shape, kind)
        found = [q, o, k, v, lse, delta, dk, dv]
        if self.has_queries:
            found.append(aligned(q.shape, np.float32))
        return (-(-keys // self.keys), heads), [*found, scale]

    @staticmethod
    def _scores(q: Any, k: Any, scale: Any) -> NDArray[np.float64]:
        q, k = (np.asarray(x, np.float64) for x in (q, k))
        return q @ k.swapaxes(1, 2) * float(scale)

    def reference(self, arguments: list[Any]) -> list[NDArray[np.float64]]:
        """What a launch computes, in f64, in the order of its results."""
        q, o, k, v, lse, delta = (np.asarray(x, np.float64) for x in arguments[:6])
        scale = float(arguments[-1])
        weights = np.exp2(self._scores(q, k, scale) * log2(e) - lse[..., None])
        part = weights * (o @ v.swapaxes(1, 2) - delta[..., None])
        results = [part.swapaxes(1, 2) @ q * scale, weights.swapaxes(1, 2) @ o]
        return results + ([part @ k] if self.has_queries else [])
