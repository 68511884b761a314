# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products C = A B as Tile IR, for the tables of products.py: text and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from kernel_args import Launch, product

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "i8": np.int8,
    "f64": np.float64,
    "f32": np.float32,
    "i32": np.int32,
}
_ALIGN_BYTES = 16
_TEXT = """
cuda_tile.module @products {{
  entry @product(%a: tile<ptr<{a}>>, %am: tile<i32>, %ak: tile<i32>,
                 %as: tile<i32>, %a1: tile<i32>,
                 %b: tile<ptr<{a}>>, %bk: tile<i32>, %bn: tile<i32>,
                 %bs: tile<i32>, %b1: tile<i32>,
                 %c: tile<ptr<{c}>>, %cm: tile<i32>, %cn: tile<i32>,
                 %cs: tile<i32>, %c1: tile<i32>) {{
{assumed}
    %av = make_tensor_view %a2, shape = [%am3, %ak3], strides = [%as3, 1]
      : tile<i32> -> tensor_view<?x?x{a}, strides=[?,1]>
    %bv = make_tensor_view %b2, shape = [%bk3, %bn3], strides = [%bs3, 1]
      : tile<i32> -> tensor_view<?x?x{a}, strides=[?,1]>
    %cv = make_tensor_view %c2, shape = [%cm3, %cn3], strides = [%cs3, 1]
      : tile<i32> -> tensor_view<?x?x{c}, strides=[?,1]>
    %ap = make_partition_view %av : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>>
    %bp = make_partition_view %bv : partition_view<tile=({k}x{n}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>>
    %cp = make_partition_view %cv : partition_view<tile=({m}x{n}), \
tensor_view<?x?x{c}, strides=[?,1]>>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %size:2 = get_index_space_shape %ap : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>> -> tile<i32>
    %start = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %none = constant <{sum}: {zero}> : tile<{m}x{n}x{sum}>
    %sum = for %t in (%start to %size#1, step %step) : tile<i32>
        iter_values(%acc = %none) -> (tile<{m}x{n}x{sum}>) {{
      %x, %xt = load_view_tko weak %ap[%i, %t] : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>>, tile<i32> \
-> tile<{m}x{k}x{a}>, token
      %y, %yt = load_view_tko weak %bp[%t, %j] : partition_view<tile=({k}x{n}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>>, tile<i32> \
-> tile<{k}x{n}x{a}>, token
      %next = {mma} : tile<{m}x{k}x{a}>, tile<{k}x{n}x{a}>, tile<{m}x{n}x{sum}>
      continue %next : tile<{m}x{n}x{sum}>
    }}
{stored}
    %done = store_view_tko weak %out, %cp[%i, %j] : tile<{m}x{n}x{c}>, \
partition_view<tile=({m}x{n}), tensor_view<?x?x{c}, strides=[?,1]>>, tile<i32> -> token
    return
  }}
}}
"""


@dataclass(frozen=True)
class Product:
    """A product by the tile of one CTA.

    Attributes:
        operand: Element type of A and B, a key of `DTYPES`.
        result: Element type of C.
        tile: Extents M, N, K of a turn.
    """

    operand: str
    result: str
    tile: tuple[int, int, int]

    @property
    def name(self) -> str:
        """As the tables have it: `f16 128x128x64`."""
        return f"{self.operand} {'x'.join(map(str, self.tile))}"

    @property
    def sum(self) -> str:
        """Element type of the sums."""
        return {"i8": "i32", "f64": "f64"}.get(self.operand, "f32")

    def text(self) -> str:
        """The kernel, with cuTile's parameters: pointer, shape, strides."""
        m, n, k = self.tile
        is_integer = self.sum == "i32"
        mma = "mmai %x, %y, %acc signed signed" if is_integer else "mmaf %x, %y, %acc"
        cast = f"ftof %sum : tile<{m}x{n}x{self.sum}> -> tile<{m}x{n}x{self.result}>"
        text = _TEXT.format(
            **{"a": self.operand, "c": self.result, "m": m, "n": n, "k": k},
            sum=self.sum,
            zero="0" if is_integer else "0.000000e+00",
            mma=mma,
            assumed="\n".join(self._assumed()),
            stored=f"    %out = {cast}" if self.sum != self.result else "",
        )
        return text if self.sum != self.result else text.replace("%out", "%sum")

    def _assumed(self) -> list[str]:
        """What cuTile says of aligned arrays whose extents are multiples of 16."""
        lines: list[str] = []
        for matrix, extents, kind in (
            ("a", ("am", "ak"), self.operand),
            ("b", ("bk", "bn"), self.operand),
            ("c", ("cm", "cn"), self.result),
        ):
            lines.append(
                f"    %{matrix}2 = assume div_by<{_ALIGN_BYTES}>, %{matrix} "
                f": tile<ptr<{kind}>>"
            )
            elements = _ALIGN_BYTES // np.dtype(DTYPES[kind]).itemsize
            for name, by in [(e, 16) for e in extents] + [(f"{matrix}s", elements)]:
                lines.append(
                    f"    %{name}2 = assume bounded<0, ?>, %{name} : tile<i32>\n"
                    f"    %{name}3 = assume div_by<{by}>, %{name}2 : tile<i32>"
                )
        return lines

    def launch(self, tiles: tuple[int, int], turns: int) -> Launch:
        """A launch of so many tiles along M and N, with so many turns."""
        m, n, k = self.tile
        sizes = (m * tiles[0], n * tiles[1], k * turns)
        types = (DTYPES[self.operand], DTYPES[self.result])
        return product(sizes, (m, n), types, is_flat=False)
