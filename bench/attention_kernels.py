# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as Tile IR, for tests and the tables of attention.py: text and arguments.

Queries, keys, values and results are tensors of heads x positions x depth; a tile
block computes some rows of one head by the online form of softmax, in base 2 with the
scale folded into a multiply-add.
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

LOOPS = ("full", "causal", "split", "ragged")
"""Which keys a query sees, and how the kernel says so: all of them; those up to its own
position, by a mask in every iteration; the same, by a loop without mask and one with
it; all, by a mask that leaves out what the last tile has beyond them."""
_VIEWED = ("q", "k", "v", "o")


@dataclass(frozen=True)
class Attention:
    """Attention by the tile of one CTA.

    Attributes:
        loop: One of `LOOPS`.
        depth: Elements of a query, key and value.
        rows: Queries of a tile block.
        keys: Keys of an iteration.
        element: Element type of the tensors.
        group: Heads of queries that share one head of keys and values.
        has_values: Whether values are a tensor of their own; else they are the keys, of
            which an iteration loads one tile for both products.
        stored: Element type of the results, if it is not that of the others.
    """

    loop: str
    depth: int
    rows: int = 128
    keys: int = 64
    element: str = "f16"
    group: int = 1
    has_values: bool = True
    stored: str = ""

    @property
    def name(self) -> str:
        """As the tables have it: `full f16 d128 128x64`."""
        shared = f" g{self.group}" if self.group > 1 else ""
        shared += "" if self.has_values else " k=v"
        shared += f" to {self.stored}" if self.stored else ""
        return (
            f"{self.loop} {self.element} d{self.depth} {self.rows}x{self.keys}{shared}"
        )

    def text(self) -> str:
        """The kernel, with cuTile's parameters: arrays, then the scale."""
        parameters = ", ".join(self._parameters())
        return "\n".join(
            [
                "cuda_tile.module @attention {",
                f"  entry @attention({parameters}) {{",
                *self._views(),
                *self._start(),
                *self._loops(),
                *self._end(),
                "    return",
                "  }",
                "}",
            ]
        )

    def _parameters(self) -> list[str]:
        found: list[str] = []
        for x in _VIEWED:
            numbers = [f"%{x}{n}: tile<i32>" for n in ("h", "n", "d", "sh", "sn", "sd")]
            found += [f"%{x}: tile<ptr<{self._kind(x)}>>", *numbers]
        return [*found, "%scale: tile<f32>"]

    def _kind(self, x: str) -> str:
        """The element type of a tensor."""
        return (self.stored if x == "o" else "") or self.element

    def _tensor(self, x: str) -> str:
        return f"tensor_view<?x?x?x{self._kind(x)}, strides=[?,?,1]>"

    def _part(self, x: str, shape: tuple[int, int], transposed: bool = False) -> str:
        order = ", dim_map=[0, 2, 1]" if transposed else ""
        tile = f"tile=(1x{shape[0]}x{shape[1]})"
        return f"partition_view<{tile}, padding_value = zero, {self._tensor(x)}{order}>"

    @property
    def _parts(self) -> dict[str, str]:
        queries, values = (self.rows, self.depth), (self.keys, self.depth)
        return {
            "q": self._part("q", queries),
            "k": self._part("k", (self.depth, self.keys), transposed=True),
            "v": self._part("v", values),
            "o": self._part("o", queries),
        }

    def _views(self) -> list[str]:
        lines: list[str] = []
        for x in _VIEWED:
            pointer = f"tile<ptr<{self._kind(x)}>>"
            lines.append(f"%{x}a = assume div_by<16>, %{x} : {pointer}")
            for number in ("h", "n", "d", "sh", "sn"):
                by = 8 if number in ("d", "sh", "sn") else 1
                name = f"%{x}{number}"
                lines.append(f"{name}b = assume bounded<0, ?>, {name} : tile<i32>")
                lines.append(f"{name}a = assume div_by<{by}>, {name}b : tile<i32>")
            lines.append(
                f"%{x}t = make_tensor_view %{x}a, shape = [%{x}ha, %{x}na, %{x}da], "
                f"strides = [%{x}sha, %{x}sna, 1] : tile<i32> -> {self._tensor(x)}"
            )
            lines.append(f"%{x}p = make_partition_view %{x}t : {self._parts[x]}")
        return [f"    {line}" for line in lines]

    def _load(self, x: str, indices: str, shape: tuple[int, int]) -> list[str]:
        tile = f"{shape[0]}x{shape[1]}x{self.element}"
        return [
            f"%{x}l, %{x}w = load_view_tko weak %{x}p[{indices}] : {self._parts[x]}, "
            f"tile<i32> -> tile<1x{tile}>, token",
            f"%{x}x = reshape %{x}l : tile<1x{tile}> -> tile<{tile}>",
        ]

    def _start(self) -> list[str]:
        m, n, d = self.rows, self.keys, self.depth
        text = f"""
    %i, %head, %unused = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %group = constant <i32: {self.group}> : tile<i32>
    %shared = divi %head, %group signed rounding<negative_inf> : tile<i32>
    %rows = constant <i32: {m}> : tile<i32>
    %keys = constant <i32: {n}> : tile<i32>
    %log = constant <f32: {log2(e)}> : tile<f32>
    %factor = mulf %scale, %log : tile<f32>
    %factor1 = reshape %factor : tile<f32> -> tile<1x1xf32>
    %factors = broadcast %factor1 : tile<1x1xf32> -> tile<{m}x{n}xf32>
    %factor_rows = broadcast %factor1 : tile<1x1xf32> -> tile<{m}x1xf32>
    %none = constant <f32: 0.0> : tile<{m}x{n}xf32>
    %acc0 = constant <f32: 0.0> : tile<{m}x{d}xf32>
    %sum0 = constant <f32: 0.0> : tile<{m}x1xf32>
    %top0 = constant <f32: 0xFF800000> : tile<{m}x1xf32>
    %low = constant <f32: 0xFF800000> : tile<{m}x{n}xf32>
    %first = muli %i, %rows : tile<i32>
    %first1 = reshape %first : tile<i32> -> tile<1xi32>
    %firsts = broadcast %first1 : tile<1xi32> -> tile<{m}xi32>
    %lane_rows = iota : tile<{m}xi32>
    %mine1 = addi %firsts, %lane_rows : tile<{m}xi32>
    %mine2 = reshape %mine1 : tile<{m}xi32> -> tile<{m}x1xi32>
    %mine = broadcast %mine2 : tile<{m}x1xi32> -> tile<{m}x{n}xi32>
    %lane_keys1 = iota : tile<{n}xi32>
    %lane_keys = reshape %lane_keys1 : tile<{n}xi32> -> tile<1x{n}xi32>
    %length1 = reshape %kna : tile<i32> -> tile<1x1xi32>
    %length = broadcast %length1 : tile<1x1xi32> -> tile<{m}x{n}xi32>
    %all = divi %kna, %keys signed rounding<positive_inf> : tile<i32>
    %whole = divi %first, %keys signed rounding<negative_inf> : tile<i32>
    %next = addi %first, %rows : tile<i32>
    %seen = mini %next, %kna signed : tile<i32>
    %last = divi %seen, %keys signed rounding<positive_inf> : tile<i32>
    %free = mini %whole, %last signed : tile<i32>"""
        load = self._load("q", "%head, %i, %zero", (m, d))
        return [text, *(f"    {line}" for line in load)]

    def _loops(self) -> list[str]:
        start = ("%acc0", "%sum0", "%top0")
        match self.loop:
            case "split":
                first = self._loop("%f", ("%zero", "%free"), start, "")
                state = ("%f#0", "%f#1", "%f#2")
                return first + self._loop("%r", ("%free", "%last"), state, "causal")
            case "causal":
                return self._loop("%r", ("%zero", "%last"), start, "causal")
            case "ragged":
                return self._loop("%r", ("%zero", "%all"), start, "ragged")
            case _:
                return self._loop("%r", ("%zero", "%all"), start, "")

    def _loop(
        self, name: str, bounds: tuple[str, str], start: tuple[str, ...], mask: str
    ) -> list[str]:
        m, d = self.rows, self.depth
        types = f"tile<{m}x{d}xf32>, tile<{m}x1xf32>, tile<{m}x1xf32>"
        return [
            f"    {name}:3 = for %j in ({bounds[0]} to {bounds[1]}, step %one) "
            f": tile<i32> iter_values(%acc = {start[0]}, %sum = {start[1]}, "
            f"%top = {start[2]}) -> ({types}) {{",
            *(f"      {line}" for line in self._iteration(mask)),
            f"      continue %next_acc, %next_sum, %now : {types}",
            "    }",
        ]

    def _iteration(self, mask: str) -> list[str]:
        m, n, d = self.rows, self.keys, self.depth
        square, column = f"tile<{m}x{n}xf32>", f"tile<{m}x1xf32>"
        kind, scores = self.element, "%masked" if mask else "%raw"
        values = [
            f"%vx = permute %kx [1, 0] : tile<{d}x{n}x{kind}> -> tile<{n}x{d}x{kind}>"
        ]
        if self.has_values:
            values = self._load("v", "%shared, %j, %zero", (n, d))
        return [
            *self._load("k", "%shared, %zero, %j", (d, n)),
            *values,
            f"%raw = mmaf %qx, %kx, %none : tile<{m}x{d}x{kind}>, "
            f"tile<{d}x{n}x{kind}>, {square}",
            *self._mask(mask),
            *self._reduce("%highest", scores, "maxf", "0xFF800000"),
            f"%scaled = mulf %highest, %factor_rows : {column}",
            f"%now = maxf %top, %scaled : {column}",
            f"%nows = broadcast %now : {column} -> {square}",
            f"%minus = negf %nows : {square}",
            f"%power = fma {scores}, %factors, %minus : {square}",
            f"%p = exp2 %power flush_to_zero : {square}",
            f"%gone = subf %top, %now : {column}",
            f"%old = exp2 %gone flush_to_zero : {column}",
            *self._reduce("%part", "%p", "addf", "0.000000e+00"),
            f"%next_sum = fma %sum, %old, %part : {column}",
            f"%olds = broadcast %old : {column} -> tile<{m}x{d}xf32>",
            f"%kept = mulf %acc, %olds : tile<{m}x{d}xf32>",
            f"%weights = ftof %p : {square} -> tile<{m}x{n}x{kind}>",
            f"%next_acc = mmaf %weights, %vx, %kept : tile<{m}x{n}x{kind}>, "
            f"tile<{n}x{d}x{kind}>, tile<{m}x{d}xf32>",
        ]

    def _reduce(self, to: str, of: str, op: str, identity: str) -> list[str]:
        """A reduction of the rows of a square, as a column."""
        m, n = self.rows, self.keys
        return [
            f"{to}1 = reduce {of} dim=1 identities=[{identity} : f32] "
            f": tile<{m}x{n}xf32> -> tile<{m}xf32>",
            "(%x: tile<f32>, %y: tile<f32>) {",
            f"  %z = {op} %x, %y : tile<f32>",
            "  yield %z : tile<f32>",
            "}",
            f"{to} = reshape {to}1 : tile<{m}xf32> -> tile<{m}x1xf32>",
        ]

    def _mask(self, mask: str) -> list[str]:
        """Makes `%masked` of `%raw`: minus infinity where a key is not seen."""
        m, n = self.rows, self.keys
        square, places = f"tile<{m}x{n}xf32>", f"tile<{m}x{n}xi32>"
        if not mask:
            return []
        seen = "greater_than_or_equal %mine, %other"
        return [
            "%at = muli %j, %keys : tile<i32>",
            "%at1 = reshape %at : tile<i32> -> tile<1x1xi32>",
            f"%ats = broadcast %at1 : tile<1x1xi32> -> tile<1x{n}xi32>",
            f"%other1 = addi %ats, %lane_keys : tile<1x{n}xi32>",
            f"%other = broadcast %other1 : tile<1x{n}xi32> -> {places}",
            f"%is = cmpi {seen if mask == 'causal' else 'less_than %other, %length'}, "
            f"signed : {places} -> tile<{m}x{n}xi1>",
            f"%bias = select %is, %none, %low : tile<{m}x{n}xi1>, {square}",
            f"%masked = addf %raw, %bias : {square}",
        ]

    def _end(self) -> list[str]:
        m, d, kind = self.rows, self.depth, self._kind("o")
        wide = f"tile<{m}x{d}xf32>"
        cast = f"    %cast = ftof %mean : {wide} -> tile<{m}x{d}x{kind}>"
        result = "%mean" if kind == "f32" else "%cast"
        return [
            f"    %sums = broadcast %r#1 : tile<{m}x1xf32> -> {wide}",
            f"    %mean = divf %r#0, %sums rounding<approx> flush_to_zero : {wide}",
            *([] if kind == "f32" else [cast]),
            f"    %out = reshape {result} : tile<{m}x{d}x{kind}> "
            f"-> tile<1x{m}x{d}x{kind}>",
            "    %done = store_view_tko weak %out, %op[%head, %i, %zero] : "
            f"tile<1x{m}x{d}x{kind}>, {self._parts['o']}, tile<i32> -> token",
        ]

    def launch(self, heads: int, queries: int, keys: int) -> Launch:
        """A launch with so many heads of queries, queries and keys of a head."""
        kind = DTYPES[self.element]
        q = normal((heads, queries, self.depth), kind)
        shape = (heads // self.group, keys, self.depth)
        k, v = (normal(shape, kind, seed) for seed in (1, 2))
        v = v if self.has_values else k
        scale = np.float32(self.depth**-0.5)
        out = aligned(q.shape, DTYPES[self._kind("o")])
        return (-(-queries // self.rows), heads), [q, k, v, out, scale]

    def reference(self, arguments: list[Any]) -> NDArray[np.float64]:
        """What a launch computes, in f64."""
        q, k, v, _, scale = arguments
        q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
        k, v = (x.repeat(self.group, 0) for x in (k, v))
        scores = q @ k.swapaxes(1, 2) * float(scale)
        if self.loop in ("causal", "split"):
            hidden = np.triu(np.ones(scores.shape[1:], bool), 1)
            scores = np.where(hidden, -np.inf, scores)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        return weights @ v / weights.sum(axis=2, keepdims=True)
