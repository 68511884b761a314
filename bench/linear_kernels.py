# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention as Tile IR, for tests and the tables of attention.py.

Without a softmax, what a query sees of the keys before its own chunk is one matrix: the
sum of K^T V. A tile block has one head and takes the chunks in order: O = mask(Q K^T) V
+ Q S, then S = S + K^T V. The state S is carried in f32 and rounded for its product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from kernel_args import Launch, normal
from numpy.typing import NDArray
from product_kernels import DTYPES
from real_kernels import aligned

_ARRAYS = ("q", "k", "v", "o")


@dataclass(frozen=True)
class Linear:
    """Linear attention, causal, by one CTA for each head.

    Attributes:
        depth: Elements of a query and key.
        width: Elements of a value.
        chunk: Queries and keys of an iteration.
        element: Element type of the tensors.
    """

    depth: int
    width: int
    chunk: int = 64
    element: str = "f16"

    @property
    def name(self) -> str:
        """As the tables have it: `linear f16 d128 128 by 64`."""
        return f"linear {self.element} d{self.depth} {self.width} by {self.chunk}"

    def text(self) -> str:
        """The kernel, with cuTile's parameters: arrays."""
        parameters = ", ".join(p for x in _ARRAYS for p in self._parameters(x))
        lines = [line for x in _ARRAYS for line in self._view(x)]
        return "\n".join(
            [
                "cuda_tile.module @linear {",
                f"  entry @linear({parameters}) {{",
                *(f"    {line}" for line in lines),
                self._start(),
                *(f"      {line}" for line in self._iteration()),
                "    }",
                "    return",
                "  }",
                "}",
            ]
        )

    def _columns(self, x: str) -> int:
        return self.width if x in "vo" else self.depth

    def _parameters(self, x: str) -> list[str]:
        numbers = ("h", "n", "d", "sh", "sn", "sd")
        return [
            f"%{x}: tile<ptr<{self.element}>>",
            *(f"%{x}{n}: tile<i32>" for n in numbers),
        ]

    def _tensor(self, x: str) -> str:
        columns = self._columns(x)
        return f"tensor_view<?x?x{columns}x{self.element}, strides=[?,{columns},1]>"

    def _part(self, x: str) -> str:
        tile = f"tile=(1x{self.chunk}x{self._columns(x)})"
        return f"partition_view<{tile}, padding_value = zero, {self._tensor(x)}>"

    def _view(self, x: str) -> list[str]:
        columns = self._columns(x)
        lines = [f"%{x}a = assume div_by<16>, %{x} : tile<ptr<{self.element}>>"]
        for number in ("h", "n", "sh"):
            by = 8 if number == "sh" else 1
            name = f"%{x}{number}"
            lines.append(f"{name}b = assume bounded<0, ?>, {name} : tile<i32>")
            lines.append(f"{name}a = assume div_by<{by}>, {name}b : tile<i32>")
        return [
            *lines,
            f"%{x}t = make_tensor_view %{x}a, shape = [%{x}ha, %{x}na, {columns}], "
            f"strides = [%{x}sha, {columns}, 1] : tile<i32> -> {self._tensor(x)}",
            f"%{x}p = make_partition_view %{x}t : {self._part(x)}",
        ]

    def _start(self) -> str:
        n, state = self.chunk, f"tile<{self.depth}x{self.width}xf32>"
        return f"""
    %head, %unused1, %unused2 = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: {n}> : tile<i32>
    %all = divi %qna, %rows signed rounding<positive_inf> : tile<i32>
    %hidden = constant <f32: 0.0> : tile<{n}x{n}xf32>
    %none = constant <f32: 0.0> : tile<{n}x{self.width}xf32>
    %start = constant <f32: 0.0> : {state}
    %place = iota : tile<{n}xi32>
    %line1 = reshape %place : tile<{n}xi32> -> tile<{n}x1xi32>
    %line = broadcast %line1 : tile<{n}x1xi32> -> tile<{n}x{n}xi32>
    %row1 = reshape %place : tile<{n}xi32> -> tile<1x{n}xi32>
    %row = broadcast %row1 : tile<1x{n}xi32> -> tile<{n}x{n}xi32>
    %seen = cmpi greater_than_or_equal %line, %row, signed
      : tile<{n}x{n}xi32> -> tile<{n}x{n}xi1>
    %r = for %i in (%zero to %all, step %one) : tile<i32>
        iter_values(%s = %start) -> ({state}) {{"""

    def _iteration(self) -> list[str]:
        n, d, w, kind = self.chunk, self.depth, self.width, self.element
        lines: list[str] = []
        for x in ("q", "k", "v"):
            shape = f"{n}x{self._columns(x)}x{kind}"
            lines += [
                f"%{x}l, %{x}w = load_view_tko weak %{x}p[%head, %i, %zero] : "
                f"{self._part(x)}, tile<i32> -> tile<1x{shape}>, token",
                f"%{x}x = reshape %{x}l : tile<1x{shape}> -> tile<{shape}>",
            ]
        square, out = f"tile<{n}x{n}xf32>", f"tile<{n}x{w}xf32>"
        state, half = f"tile<{d}x{w}xf32>", f"tile<{d}x{w}x{kind}>"
        narrow, values = f"tile<{n}x{n}x{kind}>", f"tile<{n}x{w}x{kind}>"
        tall, transposed = f"tile<{n}x{d}x{kind}>", f"tile<{d}x{n}x{kind}>"
        return [
            *lines,
            f"%keys = permute %kx [1, 0] : {tall} -> {transposed}",
            f"%all1 = mmaf %qx, %keys, %hidden : {tall}, {transposed}, {square}",
            f"%own = select %seen, %all1, %hidden : tile<{n}x{n}xi1>, {square}",
            f"%sh = ftof %s : {state} -> {half}",
            f"%before = mmaf %qx, %sh, %none : {tall}, {half}, {out}",
            f"%ownh = ftof %own : {square} -> {narrow}",
            f"%o1 = mmaf %ownh, %vx, %before : {narrow}, {values}, {out}",
            f"%s2 = mmaf %keys, %vx, %s : {transposed}, {values}, {state}",
            f"%o2 = ftof %o1 : {out} -> {values}",
            f"%o3 = reshape %o2 : {values} -> tile<1x{n}x{w}x{kind}>",
            "%done = store_view_tko weak %o3, %op[%head, %i, %zero] : "
            f"tile<1x{n}x{w}x{kind}>, {self._part('o')}, tile<i32> -> token",
            f"continue %s2 : {state}",
        ]

    def launch(self, heads: int, positions: int) -> Launch:
        """A launch with so many heads and positions; queries and keys are small."""
        kind = DTYPES[self.element]
        arrays: list[Any] = []
        for seed, x in enumerate(_ARRAYS[:-1]):
            array = normal((heads, positions, self._columns(x)), kind, seed)
            if x != "v":
                array *= np.asarray(self.depth**-0.25, kind)
            arrays.append(array)
        return (heads,), [*arrays, aligned((heads, positions, self.width), kind)]

    def reference(self, arguments: list[Any]) -> NDArray[np.float64]:
        """What a launch computes, in f64."""
        q, k, v = (np.asarray(x, np.float64) for x in arguments[:3])
        return np.tril(q @ k.swapaxes(1, 2)) @ v
