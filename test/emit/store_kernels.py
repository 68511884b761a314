# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that copy tiles from one tensor to another, stored by the copy engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i64": np.int64,
}


@dataclass(frozen=True)
class Store:
    """Each tile block copies its tile; the tensor is contiguous along `inner`.

    Attributes:
        tile: Extents of a tile.
        extents: Of the tensor in the tile's dimensions.
        element: Element type.
        inner: The dimension of the tile along which the tensor is contiguous.
    """

    tile: tuple[int, ...]
    extents: tuple[int, ...]
    element: str = "f16"
    inner: int = -1

    @property
    def dim_map(self) -> tuple[int, ...]:
        """Dimension of the tensor of each dimension of the tile."""
        rank = len(self.tile)
        inner = self.inner % rank
        others = [d for d in range(rank) if d != inner]
        order = [*others, inner]
        return tuple(order.index(d) for d in range(rank))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in the tensor's dimensions."""
        back = sorted(range(len(self.tile)), key=lambda d: self.dim_map[d])
        return tuple(self.extents[d] for d in back)

    @property
    def grid(self) -> tuple[int, ...]:
        """Tile blocks along each of the first three dimensions of the tile."""
        pairs = zip(self.extents, self.tile, strict=True)
        return tuple(-(-extent // tile) for extent, tile in pairs)

    @property
    def text(self) -> str:
        """The kernel; extents and strides are parameters."""
        rank, element = len(self.tile), self.element
        names = [f"%n{d}" for d in range(rank)]
        tile = "x".join(map(str, self.tile))
        tensor = f"tensor_view<{'?x' * rank}{element}, strides=[{'?,' * (rank - 1)}1]>"
        dim_map = ", ".join(map(str, self.dim_map))
        view = f"partition_view<tile=({tile}), {tensor}, dim_map=[{dim_map}]>"
        load = view.replace("), tensor", "), padding_value = zero, tensor")
        lines: list[str] = []
        strides: list[str] = ["1"]
        for d in reversed(range(1, rank)):
            before = strides[0]
            name = f"%s{d}"
            made = (
                f"{name} = assume bounded<0, ?>, {names[d]}d : tile<i32>"
                if before == "1"
                else f"{name}m = muli {before}, {names[d]}d : tile<i32>\n"
                f"{name} = assume bounded<0, ?>, {name}m : tile<i32>"
            )
            lines.append(made)
            strides.insert(0, name)
        size = np.dtype(DTYPES[element]).itemsize
        divisor = 16 // size
        assumed = [
            f"{name}b = assume bounded<0, ?>, {name} : tile<i32>\n"
            f"{name}d = assume div_by<{divisor if d == rank - 1 else 1}>, {name}b "
            ": tile<i32>"
            for d, name in enumerate(names)
        ]
        index = ", ".join(["%x", "%y", "%z"][:rank])
        kind = f"tile<{tile}x{element}>"
        return f"""cuda_tile.module @m {{
entry @k({", ".join(f"{name}: tile<i32>" for name in names)},
    %p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>) {{
{chr(10).join([*assumed, *lines])}
%a = assume div_by<16>, %p : tile<ptr<{element}>>
%b = assume div_by<16>, %q : tile<ptr<{element}>>
%u = make_tensor_view %a, shape = [{", ".join(n + "d" for n in names)}],
  strides = [{", ".join(strides)}] : tile<i32> -> {tensor}
%v = make_tensor_view %b, shape = [{", ".join(n + "d" for n in names)}],
  strides = [{", ".join(strides)}] : tile<i32> -> {tensor}
%uu = make_partition_view %u : {load}
%vv = make_partition_view %v : {view}
%x, %y, %z = get_tile_block_id : tile<i32>
%t, %k = load_view_tko weak %uu[{index}] : {load}, tile<i32> -> {kind}, token
%s = store_view_tko weak %t, %vv[{index}] {{tileas.plan = {{engine = "tma"}}}}
  : {kind}, {view}, tile<i32> -> token
return
}} }}"""

    def arguments(self) -> list[Any]:
        """Extents, a source of elements that differ, and the target."""
        random = np.random.default_rng(sum(self.extents))
        found = random.integers(-100, 100, self.shape).astype(DTYPES[self.element])
        return [*(np.int32(n) for n in self.shape), found, np.zeros_like(found)]


@dataclass(frozen=True)
class StoredProduct:
    """`d = a @ b` of f16 by one tile block, d in 16 or 32 bits, stored by the engine.

    Attributes:
        m, n, k: Extents.
        result: Element type of d.
        is_transposed: Whether d is contiguous along its rows' dimension, M.
    """

    m: int = 64
    n: int = 128
    k: int = 32
    result: str = "f16"
    is_transposed: bool = False

    @property
    def text(self) -> str:
        """The kernel."""
        m, n, k = self.m, self.n, self.k
        views = [_whole("a", m, k, "f16"), _whole("b", k, n, "f16")]
        target = (n, m) if self.is_transposed else (m, n)
        views.append(_whole("d", *target, self.result, f"{m}x{n}", self.is_transposed))
        loads = "\n".join(
            f"%{x}, %t{x} = load_view_tko weak %v{x}[%z, %z] : {_view(rows, columns)}, "
            f"tile<i32> -> tile<{rows}x{columns}xf16>, token"
            for x, rows, columns in (("a", m, k), ("b", k, n))
        )
        kind = f"tile<{m}x{n}x{self.result}>"
        sums = f"tile<{m}x{n}xf32>"
        view = _view(*target, self.result, f"{m}x{n}", self.is_transposed)
        made = "%d = addf %acc, %zero : " + kind
        if self.result != "f32":
            made = f"%d = ftof %acc : {sums} -> {kind}"
        return f"""cuda_tile.module @m {{
entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pd: tile<ptr<{self.result}>>) {{
%z = constant <i32: 0> : tile<i32>
{chr(10).join(views)}
{loads}
%zero = constant <f32: 0.0> : {sums}
%acc = mmaf %a, %b, %zero : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, {sums}
{made}
%s = store_view_tko weak %d, %vd[%z, %z] {{tileas.plan = {{engine = "tma"}}}}
  : {kind}, {view}, tile<i32> -> token
return
}} }}"""

    def arguments(self) -> list[Any]:
        """Small whole numbers, whose sums are exact."""
        random = np.random.default_rng(0)
        a = random.integers(-2, 3, (self.m, self.k)).astype(np.float16)
        b = random.integers(-2, 3, (self.k, self.n)).astype(np.float16)
        target = (self.n, self.m) if self.is_transposed else (self.m, self.n)
        return [a, b, np.zeros(target, DTYPES[self.result])]

    def expected(self, args: list[Any]) -> Any:
        """What d must be."""
        a, b = (x.astype(np.float64) for x in args[:2])
        found = (a @ b).astype(args[2].dtype)
        return found.T if self.is_transposed else found


def _view(
    rows: int,
    columns: int,
    element: str = "f16",
    tile: str | None = None,
    is_transposed: bool = False,
) -> str:
    whole = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
    transposed = ", dim_map=[1, 0]" if is_transposed else ""
    return f"partition_view<tile=({tile or f'{rows}x{columns}'}), {whole}{transposed}>"


def _whole(
    name: str,
    rows: int,
    columns: int,
    element: str,
    tile: str | None = None,
    is_transposed: bool = False,
) -> str:
    whole = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
    return (
        f"%q{name} = assume div_by<16>, %p{name} : tile<ptr<{element}>>\n"
        f"%w{name} = make_tensor_view %q{name}, shape = [{rows}, {columns}], "
        f"strides = [{columns}, 1] : {whole}\n"
        f"%v{name} = make_partition_view %w{name} : "
        f"{_view(rows, columns, element, tile, is_transposed)}"
    )
