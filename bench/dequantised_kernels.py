# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by weights of few bits that the loop dequantises, as Tile IR.

C = A ((W - zero) scale), where a zero point and a scale stand for each column of each
group of K: of what one or several iterations of the loop multiply, or of all of K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from kernel_args import Array
from product_kernels import DTYPES
from real_kernels import aligned

PACKED = "i4"
"""Two to a byte of an array of i8: row 2k in the low half, row 2k + 1 in the high."""
_LEAST = {"i8": -128, PACKED: -8, "f8E4M3FN": -8}


@dataclass(frozen=True)
class Dequantised:
    """A product by weights that are converted in the loop.

    Attributes:
        stored: What the weights are: i8, f8E4M3FN or `PACKED`.
        operand: Element type of A, and of what the weights become.
        tile: Extents M, N, K of an iteration.
        has_zero: Whether there are zero points.
        has_scale: Whether there are scales.
        group: Iterations of the loop that share zero points and scales; 0 for all of
            them, which then stand before the loop.
    """

    stored: str
    operand: str = "f16"
    tile: tuple[int, int, int] = (128, 128, 64)
    has_zero: bool = True
    has_scale: bool = True
    group: int = 1

    @property
    def name(self) -> str:
        """As tables have it: `f16 by (i8 - zero) scale 128x128x64`."""
        weights = f"({self.stored} - zero)" if self.has_zero else self.stored
        scale = " scale" * self.has_scale + " per column" * (not self.group)
        return f"{self.operand} by {weights}{scale} {'x'.join(map(str, self.tile))}"

    @property
    def byte_type(self) -> str:
        """Element type of the array of weights."""
        return "i8" if self.stored == PACKED else self.stored

    def text(self) -> str:
        """The kernel: pointers of A, W, scales, zero points and C; M, N, K, groups."""
        m, n, k = self.tile
        e, rows = self.operand, self._rows(k)
        kinds = {"a": e, "w": self.byte_type, "s": e, "z": e, "c": "f32"}
        tiles = {"a": (m, k), "w": (rows, n), "s": (1, n), "z": (1, n), "c": (m, n)}
        sizes = {"a": "mk", "w": "wn", "s": "gn", "z": "gn", "c": "mn"}
        views = "".join(
            _view(name, kinds[name], tiles[name], sizes[name]) for name in kinds
        )
        bases = "".join(
            f"\n    %q{x} = assume div_by<16>, %p{x} : tile<ptr<{kind}>>"
            for x, kind in kinds.items()
        )
        known = "".join(
            f"\n    %u{d} = assume div_by<16>, %x{d} : tile<i32>"
            f"\n    %s{d} = assume bounded<0, ?>, %u{d} : tile<i32>"
            for d in "mnk"
        )
        acc = f"tile<{m}x{n}xf32>"
        load_a = _load("a", "%i, %t", e, tiles["a"])
        return f"""cuda_tile.module @m {{
  entry @k({", ".join(f"%p{x}: tile<ptr<{kind}>>" for x, kind in kinds.items())},
      %xm: tile<i32>, %xn: tile<i32>, %xk: tile<i32>, %xg: tile<i32>) {{{bases}{known}
    %sg = assume bounded<0, ?>, %xg : tile<i32>
    %none = constant <i32: 0> : tile<i32>
    %depth = constant <i32: {k}> : tile<i32>
    %iterations = divi %sk, %depth signed : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %per_row = constant <i32: {k // rows}> : tile<i32>
    %sw = divi %sk, %per_row signed : tile<i32>
    %i, %j, %unused = get_tile_block_id : tile<i32>{views}
    %zeros = constant <f32: 0.0> : {acc}{"" if self.group else self._factors("%none")}
    %sum = for %t in (%none to %iterations, step %one) : tile<i32>
        iter_values(%acc = %zeros) -> ({acc}) {{{load_a}{self._weights()}
      %d = mmaf %a, %b, %acc : tile<{m}x{k}x{e}>, tile<{k}x{n}x{e}>, {acc}
      continue %d : {acc}
    }}
    %done = store_view_tko weak %sum, %vc[%i, %j]
      : {acc}, {_part("f32", (m, n))}, tile<i32> -> token
    return
  }}
}}
"""

    def _rows(self, depth: int) -> int:
        """Rows of the array of weights that hold so many along K."""
        return depth // 2 if self.stored == PACKED else depth

    def _weights(self) -> str:
        """Loads and dequantises the weights of an iteration as `%b`."""
        _, n, k = self.tile
        e, wide = self.operand, f"tile<{k}x{n}x{self.operand}>"
        text = _load("w", "%t, %j", self.byte_type, (self._rows(k), n))
        if self.stored == PACKED:
            text += _unpacked(k // 2, n)
        name = "%w0" if self.stored == PACKED else "%w"
        kind = "ftof" if self.stored.startswith("f") else "itof"
        sign = " signed" * (kind == "itof")
        text += f"\n      %b0 = {kind} {name}{sign} : tile<{k}x{n}x{self.byte_type}>"
        text += f" -> {wide}"
        if self.group > 1:
            text += f"""
      %group = constant <i32: {self.group}> : tile<i32>
      %g = divi %t, %group signed : tile<i32>"""
        if self.group:
            text += self._factors("%g" if self.group > 1 else "%t")
        last = "%b0"
        for x, op in self._used:
            text += f"""
      %{x}b = broadcast %{x} : tile<1x{n}x{e}> -> {wide}
      %b{x} = {op} {last}, %{x}b : {wide}"""
            last = f"%b{x}"
        return text.replace(f"{last} = ", "%b = ")

    @property
    def _used(self) -> list[tuple[str, str]]:
        """The arrays that weights are dequantised with, and what is done with each."""
        wanted = {("z", "subf"): self.has_zero, ("s", "mulf"): self.has_scale}
        return [pair for pair, is_there in wanted.items() if is_there]

    def _factors(self, group: str) -> str:
        """Loads zero points and scales of a group."""
        shape = (1, self.tile[1])
        return "".join(
            _load(x, f"{group}, %j", self.operand, shape) for x, _ in self._used
        )

    def problem(
        self, tiles: tuple[int, int], iterations: int, seed: int = 0
    ) -> tuple[tuple[int, int], list[Any], Array]:
        """Grid, arguments, and what C must be: small numbers, whose sums are exact."""
        rng = np.random.default_rng(seed)
        (m, n, k), kind = self.tile, DTYPES[self.operand]
        m, n, depth = m * tiles[0], n * tiles[1], k * iterations
        least = _LEAST[self.stored]
        a, c = aligned((m, depth), kind), aligned((m, n), np.float32)
        in_group = self.group or iterations
        groups = -(-iterations // in_group)
        scales, zeros = (aligned((groups, n), kind) for _ in range(2))
        weights = aligned((self._rows(depth), n), DTYPES[self.byte_type])
        a[...] = rng.integers(-1, 2, a.shape)
        codes = rng.integers(least, -least, (depth, n))
        zeros[...] = rng.integers(-4, 5, zeros.shape)
        scales[...] = 2.0 ** rng.integers(-2, 3, scales.shape)
        weights[...] = (
            (codes[0::2] & 15 | codes[1::2] << 4).astype(np.int8)
            if self.stored == PACKED
            else codes
        )
        exact = codes.astype(np.float64).reshape(iterations, k, n)
        of_iteration = np.arange(iterations) // in_group
        exact -= zeros[of_iteration, None].astype(np.float64) * self.has_zero
        if self.has_scale:
            exact *= scales[of_iteration, None].astype(np.float64)
        product = a.astype(np.float64) @ exact.reshape(depth, n)
        sizes = map(np.int32, (m, n, depth, groups))
        args = [a, weights, scales, zeros, c, *sizes]
        return tiles, args, product.astype(np.float32)


def _part(element: str, tile: tuple[int, int]) -> str:
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    shape = f"{tile[0]}x{tile[1]}"
    return f"partition_view<tile=({shape}), padding_value = zero, {tensor}>"


def _view(name: str, element: str, tile: tuple[int, int], sizes: str) -> str:
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    return f"""
    %t{name} = make_tensor_view %q{name}, shape = [%s{sizes[0]}, %s{sizes[1]}],
      strides = [%s{sizes[1]}, 1] : tile<i32> -> {tensor}
    %v{name} = make_partition_view %t{name} : {_part(element, tile)}"""


def _load(name: str, at: str, element: str, tile: tuple[int, int]) -> str:
    return f"""
      %{name}, %k{name} = load_view_tko weak %v{name}[{at}]
        : {_part(element, tile)}, tile<i32> -> tile<{tile[0]}x{tile[1]}x{element}>,
        token"""


def _unpacked(rows: int, columns: int) -> str:
    """`%w0` of i8 from `%w` with two to a byte: shifts with sign, rows in turn."""
    small, half = f"tile<{rows}x{columns}xi8>", f"tile<{rows}x1x{columns}xi8>"
    both = f"tile<{rows}x2x{columns}xi8>"
    return f"""
      %four = constant <i8: 4> : {small}
      %up = shli %w, %four : {small}
      %low = shri %up, %four signed : {small}
      %high = shri %w, %four signed : {small}
      %low1 = reshape %low : {small} -> {half}
      %high1 = reshape %high : {small} -> {half}
      %both = cat %low1, %high1 dim = 1 : {half}, {half} -> {both}
      %w0 = reshape %both : {both} -> tile<{2 * rows}x{columns}xi8>"""
