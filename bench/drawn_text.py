# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of the kernels that drawn_products.py draws: one or two products in a loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SIZE = 4096
"""Rows and columns of all matrices."""
EPILOGUES = ("none", "tanh", "bias", "softmax", "narrow", "transposed")
"""What may be done to the sums before they are stored."""
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f8E4M3FN": 8, "i8": 8, "f32": 32}
_TENSOR = "tensor_view<{size}x{size}x{kind}, strides=[{size},1]>"
_LOOP = "tile<i32>"


@dataclass(frozen=True)
class Drawn:
    """A kernel: sums of products of two matrices, or of these with a third one.

    Attributes:
        tile: Extents M, N, K of the first product.
        kind: Element type of the operands.
        stored: Element type of the matrices.
        columns: Columns of the second product's result; 0 if there is none.
        epilogue: One of `EPILOGUES`, what is done to the sums.
        is_persistent: Whether a loop goes over tile blocks.
        is_transposed: Whether the first right operand lies as N x K.
    """

    tile: tuple[int, int, int]
    kind: str
    stored: str
    columns: int = 0
    epilogue: str = "none"
    is_persistent: bool = False
    is_transposed: bool = False

    @property
    def sums(self) -> str:
        """Element type of the sums."""
        return "i32" if self.kind == "i8" else "f32"

    @property
    def result(self) -> tuple[int, int]:
        """Extents of the result's tile."""
        return self.tile[0], self.columns or self.tile[1]

    @property
    def written(self) -> str:
        """Element type of the result."""
        return "f16" if self.epilogue == "narrow" else self.sums

    def text(self) -> str:
        """The kernel."""
        inner = [*self._products(), *self._epilogue(), *self._store()]
        body = inner
        if self.is_persistent:
            body = [
                f"for %block in (%bx to %blocks, step %gx) : {_LOOP} {{",
                f"%i = divi %block, %eight signed rounding<zero> : {_LOOP}",
                f"%j = remi %block, %eight signed : {_LOOP}",
                *inner,
                "continue",
                "}",
            ]
        parameters = ", ".join(f"%{x}: tile<ptr<{self._kind(x)}>>" for x in "abcdy")
        lines = [*self._start(), *body, "return"]
        head = f"cuda_tile.module @drawn {{ entry @drawn({parameters}) {{"
        return "\n".join([head, *lines, "} }"])

    def _kind(self, x: str) -> str:
        """Element type of a matrix."""
        return {"y": self.written, "d": "f32"}.get(x, self.stored)

    def _tensor(self, x: str) -> str:
        return _TENSOR.format(size=SIZE, kind=self._kind(x))

    def _view(self, x: str) -> str:
        """The type of a partition view."""
        m, n, k = self.tile
        rows, columns = self.result
        is_transposed = {
            "b": self.is_transposed,
            "y": self.epilogue == "transposed",
        }.get(x, False)
        shapes = {"a": (m, k), "b": (k, n), "c": (n, columns), "d": (1, columns)}
        shape = shapes.get(x, (columns, rows) if is_transposed else (rows, columns))
        order = ", dim_map=[1, 0]" if x == "b" and is_transposed else ""
        return f"partition_view<tile=({shape[0]}x{shape[1]}), {self._tensor(x)}{order}>"

    def _start(self) -> Iterator[str]:
        for x in "abcdy":
            pointer = f"tile<ptr<{self._kind(x)}>>"
            yield f"%{x}a = assume div_by<16>, %{x} : {pointer}"
            yield (
                f"%{x}t = make_tensor_view %{x}a, shape = [{SIZE}, {SIZE}], "
                f"strides = [{SIZE}, 1] : {self._tensor(x)}"
            )
            yield f"%{x}p = make_partition_view %{x}t : {self._view(x)}"
        names = ("%bx", "%by") if self.is_persistent else ("%i", "%j")
        yield f"{names[0]}, {names[1]}, %bz = get_tile_block_id : {_LOOP}"
        yield f"%gx, %gy, %gz = get_num_tile_blocks : {_LOOP}"
        numbers = {"zero": 0, "one": 1, "iterations": 16, "eight": 8, "blocks": 64}
        for name, value in numbers.items():
            yield f"%{name} = constant <i32: {value}> : {_LOOP}"

    def _load(self, x: str, at: str, shape: tuple[int, int]) -> Iterator[str]:
        """An operand, converted if its matrix has another type."""
        tile = f"tile<{shape[0]}x{shape[1]}x{self.stored}>"
        is_same = self.stored == self.kind
        name = f"%{x}o" if is_same else f"%{x}l"
        yield (
            f"{name}, %{x}w = load_view_tko weak %{x}p[{at}] : {self._view(x)}, "
            f"{_LOOP} -> {tile}, token"
        )
        if not is_same:
            op = "itof %{}l signed" if self.stored == "i8" else "ftof %{}l"
            to = tile.replace(self.stored, self.kind)
            yield f"%{x}o = {op.format(x)} : {tile} -> {to}"

    def _products(self) -> Iterator[str]:
        m, n, k = self.tile
        rows, columns = self.result
        sums = f"tile<{rows}x{columns}x{self.sums}>"
        zero = "0" if self.sums == "i32" else "0.0"
        yield f"%none = constant <{self.sums}: {zero}> : {sums}"
        if self.columns:
            yield from self._load("a", "%i, %zero", (m, k))
            yield f"%empty = constant <f32: 0.0> : tile<{m}x{n}xf32>"
        yield (
            f"%sum = for %t in (%zero to %iterations, step %one) : {_LOOP} "
            f"iter_values(%acc = %none) -> ({sums}) {{"
        )
        yield from self._chained() if self.columns else self._single()
        yield f"continue %next : {sums}"
        yield "}"

    def _single(self) -> Iterator[str]:
        m, n, k = self.tile
        yield from self._load("a", "%i, %t", (m, k))
        yield from self._load("b", "%t, %j", (k, n))
        yield self._product("%next", ("%ao", "%bo", "%acc"), self.tile)

    def _chained(self) -> Iterator[str]:
        m, n, k = self.tile
        scores = f"tile<{m}x{n}xf32>"
        yield from self._load("b", "%zero, %t", (k, n))
        yield from self._load("c", "%t, %j", (n, self.columns))
        yield self._product("%score", ("%ao", "%bo", "%empty"), self.tile)
        yield f"%power = exp2 %score : {scores}"
        yield f"%weights = ftof %power : {scores} -> tile<{m}x{n}x{self.kind}>"
        extents = (m, self.columns, n)
        yield self._product("%next", ("%weights", "%co", "%acc"), extents)

    def _product(
        self, to: str, names: tuple[str, str, str], extents: tuple[int, int, int]
    ) -> str:
        m, n, k = extents
        left, right, sums = names
        op, signs = ("mmai", " signed signed") if self.kind == "i8" else ("mmaf", "")
        return (
            f"{to} = {op} {left}, {right}, {sums}{signs} : tile<{m}x{k}x{self.kind}>, "
            f"tile<{k}x{n}x{self.kind}>, tile<{m}x{n}x{self.sums}>"
        )

    def _epilogue(self) -> Iterator[str]:
        """What becomes of `%sum`: `%out`."""
        rows, columns = self.result
        tile = f"tile<{rows}x{columns}xf32>"
        if self.epilogue == "tanh":
            yield f"%out = tanh %sum : {tile}"
        elif self.epilogue == "bias":
            row = f"tile<1x{columns}xf32>"
            yield (
                f"%bias, %dw = load_view_tko weak %dp[%zero, %j] : {self._view('d')}, "
                f"{_LOOP} -> {row}, token"
            )
            yield f"%biases = broadcast %bias : {row} -> {tile}"
            yield f"%out = addf %sum, %biases : {tile}"
        elif self.epilogue == "softmax":
            yield f"%top = reduce %sum dim=1 identities=[0xFF800000 : f32] : {tile}"
            yield f"-> tile<{rows}xf32> (%p: tile<f32>, %q: tile<f32>) {{"
            yield "%r = maxf %p, %q : tile<f32> yield %r : tile<f32> }"
            yield f"%top1 = reshape %top : tile<{rows}xf32> -> tile<{rows}x1xf32>"
            yield f"%tops = broadcast %top1 : tile<{rows}x1xf32> -> {tile}"
            yield f"%below = subf %sum, %tops : {tile}"
            yield f"%out = exp2 %below : {tile}"
        elif self.epilogue == "narrow":
            yield f"%out = ftof %sum : {tile} -> tile<{rows}x{columns}xf16>"
        elif self.epilogue == "transposed":
            transposed = f"tile<{columns}x{rows}xf32>"
            yield f"%out = permute %sum [1, 0] : {tile} -> {transposed}"

    def _store(self) -> Iterator[str]:
        rows, columns = self.result
        name = "%sum" if self.epilogue == "none" else "%out"
        at = "%j, %i" if self.epilogue == "transposed" else "%i, %j"
        shape = (columns, rows) if self.epilogue == "transposed" else (rows, columns)
        yield (
            f"%done = store_view_tko weak {name}, %yp[{at}] : "
            f"tile<{shape[0]}x{shape[1]}x{self.written}>, {self._view('y')}, {_LOOP} "
            "-> token"
        )
