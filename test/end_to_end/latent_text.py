# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latent decoding without its softmax: rows of a cache times queries, and times that.

Each iteration takes some rows of the cache: the next ones, those of a page that a table
names, or rows that a table names one by one. Inputs are small whole numbers, so that
all sums are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = """
cuda_tile.module @latent {{
  entry @decode(%q0: tile<ptr<f16>>, %c0: tile<ptr<f16>>, %v0: tile<ptr<f16>>,
                %table: tile<ptr<i32>>, %y0: tile<ptr<f32>>, %n: tile<i32>) {{
    %fresh = make_token : token
    %q = assume div_by<16>, %q0 : tile<ptr<f16>>
    %c = assume div_by<16>, %c0 : tile<ptr<f16>>
    %v = assume div_by<16>, %v0 : tile<ptr<f16>>
    %y = assume div_by<16>, %y0 : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %qt = make_tensor_view %q, shape = [{h}, {d}], strides = [{d}, 1] : {queries}
    %qv = make_partition_view %qt : partition_view<tile=({h}x{d}), {queries}>
    %query, %t0 = load_view_tko weak %qv[%zero, %zero] token = %fresh
      : partition_view<tile=({h}x{d}), {queries}>, tile<i32> -> tile<{h}x{d}xf16>, token
    %turned = permute %query [1, 0] : tile<{h}x{d}xf16> -> tile<{d}x{h}xf16>
    %ct = make_tensor_view %c, shape = [{rows}, {d}], strides = [{d}, 1] : {cache}
    %cv = make_partition_view %ct : {pages}
    %vt = make_tensor_view %v, shape = [{rows}, {d}], strides = [{d}, 1] : {cache}
    %vv = make_partition_view %vt : {pages}
    %none = constant <f32: 0.0> : tile<{d}x{h}xf32>
    %empty = constant <f32: 0.0> : tile<{n}x{h}xf32>
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %none)
        -> (tile<{d}x{h}xf32>) {{
{load}
      %scores = mmaf %keys, %turned, %empty
        : tile<{n}x{d}xf16>, tile<{d}x{h}xf16>, tile<{n}x{h}xf32>
      %weights = ftof %scores : tile<{n}x{h}xf32> -> tile<{n}x{h}xf16>
{again}
      %columns = permute %values [1, 0] : tile<{n}x{d}xf16> -> tile<{d}x{n}xf16>
      %next = mmaf %columns, %weights, %acc
        : tile<{d}x{n}xf16>, tile<{n}x{h}xf16>, tile<{d}x{h}xf32>
      continue %next : tile<{d}x{h}xf32>
    }}
    %yt = make_tensor_view %y, shape = [{d}, {h}], strides = [{h}, 1] : {result}
    %yv = make_partition_view %yt : partition_view<tile=({d}x{h}), {result}>
    %t9 = store_view_tko weak %sum, %yv[%zero, %zero] token = %fresh
      : tile<{d}x{h}xf32>, partition_view<tile=({d}x{h}), {result}>, tile<i32> -> token
    return
  }}
}}
"""
_PAGE = """
      %{name}, %t{name} = load_view_tko weak %{view}[%{at}, %zero] token = %fresh
        : {pages}, tile<i32> -> tile<{n}x{d}xf16>, token"""
_ENTRY = """
      %place = offset %table, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %page, %t1 = load_ptr_tko weak %place token = %fresh
        : tile<ptr<i32>> -> tile<i32>, token"""
_ENTRIES = """
      %size = constant <i32: {n}> : tile<i32>
      %first = muli %k, %size : tile<i32>
      %first1 = reshape %first : tile<i32> -> tile<1xi32>
      %first2 = broadcast %first1 : tile<1xi32> -> tile<{n}xi32>
      %lane = iota : tile<{n}xi32>
      %each = addi %first2, %lane : tile<{n}xi32>
      %table1 = reshape %table : tile<ptr<i32>> -> tile<1xptr<i32>>
      %table2 = broadcast %table1 : tile<1xptr<i32>> -> tile<{n}xptr<i32>>
      %places = offset %table2, %each
        : tile<{n}xptr<i32>>, tile<{n}xi32> -> tile<{n}xptr<i32>>
      %named, %t1 = load_ptr_tko weak %places token = %fresh
        : tile<{n}xptr<i32>> -> tile<{n}xi32>, token
      %named1 = reshape %named : tile<{n}xi32> -> tile<{n}x1xi32>
      %named2 = broadcast %named1 : tile<{n}x1xi32> -> tile<{n}x{d}xi32>
      %width = constant <i32: {d}> : tile<{n}x{d}xi32>
      %begins = muli %named2, %width : tile<{n}x{d}xi32>
      %column = iota : tile<{d}xi32>
      %column1 = reshape %column : tile<{d}xi32> -> tile<1x{d}xi32>
      %column2 = broadcast %column1 : tile<1x{d}xi32> -> tile<{n}x{d}xi32>
      %inside = addi %begins, %column2 : tile<{n}x{d}xi32>
      %limit = constant <i32: {rows}> : tile<{n}x{d}xi32>
      %is_row = cmpi less_than %named2, %limit, unsigned
        : tile<{n}x{d}xi32> -> tile<{n}x{d}xi1>
      %pad = constant <f16: 0.0> : tile<{n}x{d}xf16>"""
_ROW = """
      %b{name}1 = reshape %{base} : tile<ptr<f16>> -> tile<1x1xptr<f16>>
      %b{name}2 = broadcast %b{name}1 : tile<1x1xptr<f16>> -> tile<{n}x{d}xptr<f16>>
      %p{name} = offset %b{name}2, %inside
        : tile<{n}x{d}xptr<f16>>, tile<{n}x{d}xi32> -> tile<{n}x{d}xptr<f16>>
      %{name}, %t{name} = load_ptr_tko weak %p{name}, %is_row, %pad token=%fresh
        : tile<{n}x{d}xptr<f16>>, tile<{n}x{d}xi1>, tile<{n}x{d}xf16>
        -> tile<{n}x{d}xf16>, token"""


@dataclass(frozen=True)
class Latent:
    """One such kernel.

    Attributes:
        how: `next`, `pages` or `rows`: which rows an iteration takes.
        heads: Queries.
        width: Elements of a row.
        tile: Rows of an iteration.
        rows: Rows of the cache.
    """

    how: str
    heads: int = 16
    width: int = 64
    tile: int = 32
    rows: int = 128

    def text(self) -> str:
        """The kernel."""
        n, d, h, rows = self.tile, self.width, self.heads, self.rows
        cache = f"tensor_view<{rows}x{d}xf16, strides=[{d}, 1]>"
        pages = f"partition_view<tile=({n}x{d}), {cache}>"
        sizes: dict[str, Any] = {"n": n, "d": d, "h": h, "rows": rows, "pages": pages}
        if self.how == "rows":
            load = (_ENTRIES + _ROW).format(name="keys", base="c", **sizes)
            again = _ROW.format(name="values", base="v", **sizes)
        else:
            at = "page" if self.how == "pages" else "k"
            entry = _ENTRY if self.how == "pages" else ""
            load = entry + _PAGE.format(name="keys", view="cv", at=at, **sizes)
            again = _PAGE.format(name="values", view="vv", at=at, **sizes)
        queries = f"tensor_view<{h}x{d}xf16, strides=[{d}, 1]>"
        result = f"tensor_view<{d}x{h}xf32, strides=[{h}, 1]>"
        words = {"cache": cache, "queries": queries, "result": result}
        return _HEAD.format(load=load, again=again, **words, **sizes)

    def launch(self, count: int) -> tuple[list[Any], NDArray[Any]]:
        """Arguments for so many iterations, and what must be in the last array."""
        draw = np.random.default_rng(count + 1)

        def numbers(*shape: int) -> NDArray[Any]:
            return draw.integers(-1, 2, shape).astype(np.float16)

        query, keys = numbers(self.heads, self.width), numbers(self.rows, self.width)
        values = numbers(self.rows, self.width)
        whole = self.rows // self.tile
        table = draw.integers(0, whole, whole).astype(np.int32)
        taken = np.arange(count * self.tile)
        if self.how == "pages":
            taken = table[:count, None] * self.tile + np.arange(self.tile)
        elif self.how == "rows":  # some entries name no row
            table = draw.integers(-2, self.rows, self.rows).astype(np.int32)
            taken = table[: count * self.tile]
        taken = taken.reshape(-1)
        taken = taken[taken >= 0]
        scores = keys[taken].astype(np.float32) @ query.T.astype(np.float32)
        result = values[taken].T.astype(np.float32) @ scores
        out = np.zeros((self.width, self.heads), np.float32)
        arrays = [query, keys, values, table, out]
        return [*map(aligned, arrays), np.int32(count)], result


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """The same at a multiple of 256 bytes."""
    raw = np.zeros(array.nbytes + 256, np.uint8)
    start = -raw.ctypes.data % 256
    made = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made
