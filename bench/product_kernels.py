# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products C = A B as Tile IR, for the tables of products.py: text and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from kernel_args import Array, Launch, normal, product
from real_kernels import aligned

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
                 %b: tile<ptr<{b}>>, %bk: tile<i32>, %bn: tile<i32>,
                 %bs: tile<i32>, %b1: tile<i32>,
                 %c: tile<ptr<{c}>>, %cm: tile<i32>, %cn: tile<i32>,
                 %cs: tile<i32>, %c1: tile<i32>) {{
{assumed}
    %av = make_tensor_view %a2, shape = [%am3, %ak3], strides = [%as3, 1]
      : tile<i32> -> tensor_view<?x?x{a}, strides=[?,1]>
    %bv = make_tensor_view %b2, shape = [%bk3, %bn3], strides = [%bs3, 1]
      : tile<i32> -> tensor_view<?x?x{b}, strides=[?,1]>
    %cv = make_tensor_view %c2, shape = [%cm3, %cn3], strides = [%cs3, 1]
      : tile<i32> -> tensor_view<?x?x{c}, strides=[?,1]>
    %ap = make_partition_view %av : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>{lift}>
    %bp = make_partition_view %bv : partition_view<tile=({k}x{n}), \
padding_value = zero, tensor_view<?x?x{b}, strides=[?,1]>{dim_map}>
    %cp = make_partition_view %cv : partition_view<tile=({m}x{n}), \
tensor_view<?x?x{c}, strides=[?,1]>>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %size:2 = get_index_space_shape %ap : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>{lift}> -> tile<i32>
    %start = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %none = constant <{sum}: {zero}> : tile<{m}x{n}x{sum}>
    %sum = for %t in (%start to %size#1, step %step) : tile<i32>
        iter_values(%acc = %none) -> (tile<{m}x{n}x{sum}>) {{
      %{x}, %xt = load_view_tko weak %ap[%i, %t] : partition_view<tile=({m}x{k}), \
padding_value = zero, tensor_view<?x?x{a}, strides=[?,1]>{lift}>, tile<i32> \
-> tile<{m}x{k}x{a}>, token
      %{y}, %yt = load_view_tko weak %bp[%t, %j] : partition_view<tile=({k}x{n}), \
padding_value = zero, tensor_view<?x?x{b}, strides=[?,1]>{dim_map}>, tile<i32> \
-> tile<{k}x{n}x{b}>, token{casts}
      %next = {mma} : tile<{m}x{k}x{o}>, tile<{k}x{n}x{o}>, tile<{m}x{n}x{sum}>
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
        tile: Extents M, N, K of an iteration.
        is_transposed: Whether B lies in memory as N x K.
        is_lifted: Whether A lies in memory as K x M.
        is_aligned: Whether bases, extents and strides are multiples of anything.
        stored: Element types of A and B in memory, if they are converted in the loop.
        is_fast: Whether sums may be less exact (`fast_acc`).
    """

    operand: str
    result: str
    tile: tuple[int, int, int]
    is_transposed: bool = False
    stored: tuple[str, str] = ("", "")
    is_fast: bool = False
    is_lifted: bool = False
    is_aligned: bool = True

    @property
    def name(self) -> str:
        """As the tables have it: `f16 128x128x64`, `f8E4M3FN fast 128x128x128 B^T`."""
        kinds = "x".join(dict.fromkeys(s or self.operand for s in self.stored))
        kinds = f"{kinds} as {self.operand}" if any(self.stored) else self.operand
        words = [kinds, *["fast"] * self.is_fast, "x".join(map(str, self.tile))]
        words += [*["A^T"] * self.is_lifted, *["B^T"] * self.is_transposed]
        return " ".join([*words, *["unaligned"] * (not self.is_aligned)])

    @property
    def arrays(self) -> tuple[str, str]:
        """Element types of A and B in memory."""
        a, b = (stored or self.operand for stored in self.stored)
        return a, b

    @property
    def sum(self) -> str:
        """Element type of the sums."""
        return {"i8": "i32", "f64": "f64"}.get(self.operand, "f32")

    def text(self) -> str:
        """The kernel, with cuTile's parameters: pointer, shape, strides."""
        m, n, k = self.tile
        is_integer = self.sum == "i32"
        mma = "mmaf %x, %y, %acc" + " fast_acc" * self.is_fast
        if is_integer:
            mma = "mmai %x, %y, %acc signed signed"
        cast = f"ftof %sum : tile<{m}x{n}x{self.sum}> -> tile<{m}x{n}x{self.result}>"
        text = _TEXT.format(
            **{"a": self.arrays[0], "b": self.arrays[1], "c": self.result},
            **{"o": self.operand, "m": m, "n": n, "k": k},
            dim_map=", dim_map=[1, 0]" if self.is_transposed else "",
            lift=", dim_map=[1, 0]" if self.is_lifted else "",
            casts=self._casts(),
            x="x" if self.arrays[0] == self.operand else "x0",
            y="y" if self.arrays[1] == self.operand else "y0",
            sum=self.sum,
            zero="0" if is_integer else "0.000000e+00",
            mma=mma,
            assumed="\n".join(self._assumed()),
            stored=f"    %out = {cast}" if self.sum != self.result else "",
        )
        return text if self.sum != self.result else text.replace("%out", "%sum")

    def _casts(self) -> str:
        """Conversions between the loads and the product."""
        m, n, k = self.tile
        lines: list[str] = []
        for name, kind, shape in (
            ("x", self.arrays[0], f"{m}x{k}"),
            ("y", self.arrays[1], f"{k}x{n}"),
        ):
            op = "itof" if kind.startswith("i") else "ftof"
            sign = " signed" if op == "itof" else ""
            types = f"tile<{shape}x{kind}> -> tile<{shape}x{self.operand}>"
            if kind != self.operand:
                lines.append(f"\n      %{name} = {op} %{name}0{sign} : {types}")
        return "".join(lines)

    def _assumed(self) -> list[str]:
        """What cuTile says of arrays, aligned with extents that are multiples of 16."""
        base, extent = (_ALIGN_BYTES, 16) if self.is_aligned else (1, 1)
        lines: list[str] = []
        for matrix, extents, kind in (
            ("a", ("am", "ak"), self.arrays[0]),
            ("b", ("bk", "bn"), self.arrays[1]),
            ("c", ("cm", "cn"), self.result),
        ):
            lines.append(
                f"    %{matrix}2 = assume div_by<{base}>, %{matrix} : tile<ptr<{kind}>>"
            )
            stride = max(1, base // np.dtype(DTYPES[kind]).itemsize)
            for name, by in [(e, extent) for e in extents] + [(f"{matrix}s", stride)]:
                lines.append(
                    f"    %{name}2 = assume bounded<0, ?>, %{name} : tile<i32>\n"
                    f"    %{name}3 = assume div_by<{by}>, %{name}2 : tile<i32>"
                )
        return lines

    def launch(self, tiles: tuple[int, int], iterations: int) -> Launch:
        """A launch of so many tiles along M and N, with so many iterations."""
        m, n, k = self.tile
        sizes = (m * tiles[0], n * tiles[1], k * iterations)
        types = (DTYPES[self.operand], DTYPES[self.result])
        grid, (a, b, c) = product(sizes, (m, n), types, is_flat=False)
        a, b = (
            normal(array.shape, DTYPES[kind], seed)
            for seed, (array, kind) in enumerate(zip((a, b), self.arrays, strict=True))
        )
        a = _transposed(a) if self.is_lifted else a
        return grid, [a, _transposed(b) if self.is_transposed else b, c]


def _transposed(array: Array) -> Array:
    """The transposed matrix, aligned."""
    made = aligned(array.shape[::-1], array.dtype)
    made[...] = array.T
    return made
