# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of level W with one product of warpgroups, and what NumPy makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from ring_kernels import spelled

from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import swizzled
from cuda_tile.layout.wgmma import tile_wgmma, wgmma_atom

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
BITS = {"tf32": 32, "f16": 16, "bf16": 16, "i8": 8, "f8E4M3FN": 8, "f8E5M2": 8}


@dataclass(frozen=True)
class Product:
    """`d = c + iterations * a @ b` of one tile block.

    Attributes:
        m, n, k: Extents.
        operand, accumulator: Element types.
        columns: N of an instruction.
        groups: Warpgroups along M and along N.
        majors: Whether A and B are contiguous along K ("k") or across it ("m").
        from_registers: Whether A comes from registers.
        swizzle: Span of both buffers; None for the preferred ones.
        iterations: How often the product is added; None once, without a loop.
        zero: Whether c is a zero constant instead of the third array.
        signs: Signedness of integers.
        is_repeated: Whether the whole product stands in a loop of two iterations.
    """

    m: int = 64
    n: int = 64
    k: int = 64
    operand: str = "f16"
    accumulator: str = "f32"
    columns: int = 64
    groups: tuple[int, int] = (1, 1)
    majors: str = "kk"
    from_registers: bool = False
    swizzle: int | None = None
    iterations: int | None = None
    zero: bool = False
    signs: tuple[str, str] = ("signed", "signed")
    is_repeated: bool = False

    @property
    def atom(self) -> str:
        """The instruction's name."""
        return f"m64n{self.columns}k{256 // BITS[self.operand]}"

    def buffer(self, role: str) -> SharedLayout:
        """Layout of an operand's buffer."""
        shape = (self.m, self.k) if role == "a" else (self.k, self.n)
        along_k = self.majors["ab".index(role)] == "k"
        inner = (1 if along_k else 0) if role == "a" else (0 if along_k else 1)
        bits = BITS[self.operand]
        if self.swizzle is None:
            part = 64 if role == "a" else self.columns
            return panel_buffer(shape, bits, inner, None if along_k else part)
        if self.swizzle == 0:
            return _core_matrices(shape, bits, inner)
        return swizzled(shape, bits, (inner, 1 - inner), self.swizzle)

    def text(self) -> str:
        """The kernel: row-major arrays a, b, c, d, and the number of iterations."""
        n_warps = 4 * self.groups[0] * self.groups[1]
        atom = wgmma_atom(self.atom)
        assert atom is not None
        acc = tile_wgmma((self.m, self.n), self.groups, "c", atom)
        a = coalesced((self.m, self.k), (1, 0), 8, n_warps)
        if self.from_registers:
            a = tile_wgmma((self.m, self.k), self.groups, "a", atom)
        b = coalesced((self.k, self.n), (1, 0), 8, n_warps)
        operand, result = self.operand, self.accumulator
        tiles = {
            "a": _tile(a, operand),
            "b": _tile(b, operand),
            "c": _tile(acc, result),
        }
        arrays = {"a": (self.m, self.k, operand), "b": (self.k, self.n, operand)}
        arrays |= {x: (self.m, self.n, result) for x in "cd"}
        views = "\n".join(_view(x, *arrays[x]) for x in arrays)
        loads = "\n".join(
            f"%{x}, %t{x} = load_view_tko weak %v{x}[%z, %z] : {_part(*arrays[x])}, "
            f"tile<i32> -> {tiles[x]}, token"
            for x in "abc"
        )
        buffers = {x: _buffer(self.buffer(x), operand) for x in "ab"}
        stores = "\n".join(
            f"%s{x} = tileas.alloc_shared : {buffers[x]}\n"
            f"tileas.store_shared %{x}, %s{x} : {tiles[x]}, {buffers[x]}"
            for x in ("b" if self.from_registers else "ab")
        )
        start = "%c"
        if self.zero:
            value = "0" if result == "i32" else "0.0"
            loads += f"\n%nought = constant <{result}: {value}> : {tiles['c']}"
            start = "%nought"
        signs = "".join(
            f"{name} = #cuda_tile<signedness {sign}>, "
            for name, sign in zip(
                ("signedness_lhs", "signedness_rhs"), self.signs, strict=True
            )
        ).rstrip(", ")
        signs = f" {{{signs}}}" if result == "i32" else ""
        left, left_type = (
            ("%a", tiles["a"]) if self.from_registers else ("%sa", buffers["a"])
        )
        pending = f"!tileas.pending<{tiles['c']}>"

        def product(of: str) -> str:
            return (
                f'tileas.wgmma {left}, %sb, {of} atom = "{self.atom}"{signs} : '
                f"{left_type}, {buffers['b']}, {pending}"
            )

        body = f"%q = {product('%p')}"
        if self.iterations is not None:
            body = (
                f"%q = for %i in (%z to %iterations, step %one) : tile<i32> "
                f"iter_values(%x = %p) -> ({pending}) {{\n"
                f"%y = {product('%x')}\ncontinue %y : {pending}\n}}"
            )
        parameters = ", ".join(f"%p{x}: tile<ptr<{arrays[x][2]}>>" for x in arrays)
        return f"""cuda_tile.module @m {{
entry @k({parameters}, %iterations: tile<i32>) attributes {{tileas.target = "sm_90",
    tileas.plan = {{num_warps = {n_warps} : i64}}}} {{
%z = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<i32>
{views}
{loads}
{stores}
tileas.barrier async
{"for %o in (%z to %two, step %one) : tile<i32> {" if self.is_repeated else ""}
%p = tileas.settled {start} : {tiles["c"]}
{body}
%d = tileas.await %q groups = 0 : {pending}
%td = store_view_tko weak %d, %vd[%z, %z] : {tiles["c"]}, {_part(*arrays["d"])},
  tile<i32> -> token
{"}" if self.is_repeated else ""}
return
}} }}"""

    def args(self, seed: int = 0) -> list[Any]:
        """Small whole numbers, so that every sum is exact."""
        random = np.random.default_rng(seed)

        def draw(shape: tuple[int, int], element: str, low: int) -> np.ndarray:
            numbers = random.integers(low, 5, shape)
            return numbers.astype(DTYPES[element])

        lows = [0 if sign == "unsigned" else -4 for sign in self.signs]
        a = draw((self.m, self.k), self.operand, lows[0])
        b = draw((self.k, self.n), self.operand, lows[1])
        c = draw((self.m, self.n), self.accumulator, -9)
        return [a, b, c, np.zeros_like(c), np.int32(self.iterations or 0)]

    def expected(self, args: list[Any]) -> np.ndarray:
        """What d must be."""
        a, b, c = (x.astype(np.float64) for x in args[:3])
        iterations = 1 if self.iterations is None else self.iterations
        total = iterations * (a @ b) + (0 if self.zero else c)
        return total.astype(args[2].dtype)


def _core_matrices(shape: tuple[int, int], bits: int, inner: int) -> SharedLayout:
    """8 rows of 16 bytes side by side, for descriptors without a swizzle."""
    unit, outer = 128 // bits, 1 - inner

    def steps(dim: int, first: int, limit: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        while first < limit:
            found.append((first, 0) if dim == 0 else (0, first))
            first *= 2
        return found

    return SharedLayout(
        shape,
        (
            *steps(inner, 1, unit),
            *steps(outer, 1, 8),
            *steps(outer, 8, shape[outer]),
            *steps(inner, unit, shape[inner]),
        ),
    )


def _tile(layout: LinearLayout, element: str) -> str:
    shape = "".join(f"{extent}x" for extent in layout.shape)
    return f"tile<{shape}{element}, {spelled(layout)}>"


def _buffer(layout: SharedLayout, element: str) -> str:
    shape = "".join(f"{extent}x" for extent in layout.shape)
    return f"!tileas.buffer<{shape}{element}, {spelled(layout)}>"


def _tensor(rows: int, columns: int, element: str) -> str:
    return f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"


def _part(rows: int, columns: int, element: str) -> str:
    whole = _tensor(rows, columns, element)
    return f"partition_view<tile=({rows}x{columns}), {whole}>"


def _view(name: str, rows: int, columns: int, element: str) -> str:
    return (
        f"%a{name}p = assume div_by<16>, %p{name} : tile<ptr<{element}>>\n"
        f"%w{name} = make_tensor_view %a{name}p, shape = [{rows}, {columns}], "
        f"strides = [{columns}, 1] : {_tensor(rows, columns, element)}\n"
        f"%v{name} = make_partition_view %w{name} : {_part(rows, columns, element)}"
    )
