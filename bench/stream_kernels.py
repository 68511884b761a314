# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels limited by memory, built with the builder, for the table of streams.py.

Each `Stream` has the kernel, a launch, the NumPy result and the bytes that no program
can do without. Matrices are row-major; extents are multiples of 16, which the kernels
assume as cuTile does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import ml_dtypes
import numpy as np
from kernel_args import Array, normal
from real_kernels import aligned

from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import OptimizationHintsAttr

TYPES: dict[str, tuple[Any, Any]] = {
    "f32": (b.Float32, np.float32),
    "f16": (b.Float16, np.float16),
    "bf16": (b.BFloat16, ml_dtypes.bfloat16),
    "i32": (b.Int32, np.int32),
}
Sizes = tuple[int, int]
EPSILON = 1e-5
LOWEST = float("-inf")


@dataclass(frozen=True)
class Stream:
    """One kernel with a launch.

    Attributes:
        name: As the table has it.
        parameters: Element classes of pointers, in lists, and of scalars, in order.
        body: Builds the kernel of its parameters.
        launch: Gives grid, arguments and the wanted results by argument number.
        reads: Arguments that are read once at least; those written are in the results.
        ctas: CTAs of the cluster that the kernel asks for by `num_cta_in_cga`.
        tolerance: Relative to the largest result; 0 for exact results.
    """

    name: str
    parameters: tuple[Any, ...]
    body: Callable[..., None]
    launch: Callable[[], tuple[tuple[int, ...], list[Any], dict[int, Array]]]
    reads: tuple[int, ...] = (0,)
    ctas: int = 1
    tolerance: float = 2e-6
    goal: dict[str, str] = field(default_factory=dict[str, str])

    def module(self) -> ir.Module:
        """The verified module with one entry, `stream`."""
        generator = b.TileIrGenerator()
        with generator.tile_ir_start():
            types = [
                b.make_pointer_type(cast(Any, each)[0])
                if isinstance(each, list)
                else each
                for each in self.parameters
            ]
            hints = None
            if self.ctas > 1:
                text = f"#cuda_tile.optimization_hints<default = {{num_cta_in_cga = \
{self.ctas}}}>"
                hints = OptimizationHintsAttr(ir.Attribute.parse(text))
            with generator.create_entry("stream", types, hints) as values:
                self.body(*values)
            assert generator.module is not None
            generator.module.operation.verify()
        return generator.module


# Pieces of kernels -------------------------------------------------------------------


def _assumed(pointer: Any) -> Any:
    return b.assume_div_by(pointer, 16)


def _extent(number: Any) -> Any:
    return b.assume_div_by(b.assume_bounded(number, 0, None), 16)


def _count(number: Any) -> Any:
    return b.assume_bounded(number, 0, None)


def _rows_of(
    pointer: Any, rows: Any, columns: Any, tile: tuple[int, int], padding: str | None
) -> Any:
    """A matrix as a view of tiles."""
    view = b.make_tensor_view(_assumed(pointer), [rows, columns], [columns, 1])
    return b.make_partition_view(view, list(tile), padding_value=padding)


def _line_of(pointer: Any, columns: Any, tile: int, padding: str | None = None) -> Any:
    view = b.make_tensor_view(_assumed(pointer), [columns], [1])
    return b.make_partition_view(view, [tile], padding_value=padding)


def _wide(tile: Any) -> Any:
    return tile if str(tile.element_type) == "f32" else b.ftof(tile, b.Float32)


def _spread(value: Any, shape: list[int]) -> Any:
    """One value per row, or a line, repeated to fill a tile."""
    lead = [*value.shape, 1] if value.shape == shape[:1] else [1, *value.shape]
    return b.broadcast(b.reshape(value, lead), shape)


def _plus(x: Any, y: Any) -> Any:
    return x + y


def _higher(x: Any, y: Any) -> Any:
    return b.maxf(x, y)


def _sum(tile: Any, dim: int = 1) -> Any:
    return b.reduce(tile, dim, 0.0, _plus)


def _max(tile: Any, dim: int = 1) -> Any:
    return b.reduce(tile, dim, LOWEST, _higher)


def _id(axis: int = 0) -> Any:
    return b.get_tile_block_id()[axis]


def _matrix(kind: str, rows: int, columns: int, seed: int = 0) -> Array:
    return normal((rows, columns), TYPES[kind][1], seed)


# Rows whole in a tile ----------------------------------------------------------------


def softmax(kind: str, size: int, x: Any, y: Any, rows: Any, columns: Any) -> None:
    """exp(x - max(x)) over its sum, of each row."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "neg_inf")
    target = _rows_of(y, rows, columns, (1, size), None)
    row = _id()
    tile = _wide(b.load_view_tko(source, [row, 0])[0])
    weights = b.exp(tile - _spread(_max(tile), [1, size]))
    out = weights / _spread(_sum(weights), [1, size])
    b.store_view_tko(
        b.ftof(out, TYPES[kind][0]) if kind != "f32" else out, target, [row, 0]
    )


def _softmax_result(x: Array) -> Array:
    wide = x.astype(np.float64)
    weights = np.exp(wide - wide.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def softmax_launch(kind: str, rows: int, columns: int) -> Any:
    """Rows of normal numbers and their softmax."""
    x, y = _matrix(kind, rows, columns), aligned((rows, columns), TYPES[kind][1])
    args = [x, y, np.int32(rows), np.int32(columns)]
    return (rows,), args, {1: _softmax_result(x)}


def softmax_chunks(size: int, x: Any, y: Any, rows: Any, columns: Any) -> None:
    """The online form: one pass for the maximum and the sum, one for the result."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "neg_inf")
    target = _rows_of(y, rows, columns, (1, size), None)
    row, shape = _id(), [1, size]
    count = b.get_index_space_shape(source)[1]
    start = b.constant(-1e30, b.Float32, shape)
    none = b.constant(0.0, b.Float32, shape)

    def first(i: Any, most: Any, total: Any) -> tuple[Any, Any]:
        tile = b.load_view_tko(source, [row, i])[0]
        higher = b.maxf(most, tile)
        return higher, total * b.exp(most - higher) + b.exp(tile - higher)

    most, total = b.for_loop(0, count, 1, [start, none], first)
    best = _max(most)
    whole = _sum(total * b.exp(most - _spread(best, shape)))

    def second(i: Any) -> None:
        tile = b.load_view_tko(source, [row, i])[0]
        out = b.exp(tile - _spread(best, shape)) / _spread(whole, shape)
        b.store_view_tko(out, target, [row, i])

    b.for_loop(0, count, 1, [], second)


def layernorm(
    size: int, x: Any, w: Any, c: Any, y: Any, rows: Any, columns: Any, eps: Any
) -> None:
    """Each row centred, scaled to variance 1, times w, plus c."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "zero")
    target = _rows_of(y, rows, columns, (1, size), None)
    row, shape = _id(), [1, size]
    tile = _wide(b.load_view_tko(source, [row, 0])[0])
    weight = _wide(b.load_view_tko(_line_of(w, columns, size, "zero"), [0])[0])
    bias = _wide(b.load_view_tko(_line_of(c, columns, size, "zero"), [0])[0])
    n = b.broadcast(b.reshape(b.itof(columns, b.Float32), [1]), [1])
    mean = _sum(tile) / n
    inside = b.iota(size) < b.broadcast(b.reshape(columns, [1]), [size])
    centred = b.select(
        _spread(inside, shape),
        tile - _spread(mean, shape),
        b.constant(0.0, b.Float32, shape),
    )
    variance = _sum(centred * centred) / n
    factor = b.rsqrt(variance + b.broadcast(b.reshape(eps, [1]), [1]))
    out = centred * _spread(factor, shape) * _spread(weight, shape)
    b.store_view_tko(b.ftof(out + _spread(bias, shape), b.Float16), target, [row, 0])


def layernorm_launch(rows: int, columns: int) -> Any:
    """Rows of normal numbers, weights, and the result."""
    x, y = _matrix("f16", rows, columns), aligned((rows, columns), np.float16)
    w, c = normal((columns,), np.float16, 1), normal((columns,), np.float16, 2)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(1, keepdims=True)
    hat = centred / np.sqrt((centred**2).mean(1, keepdims=True) + EPSILON)
    args = [x, w, c, y, np.int32(rows), np.int32(columns), np.float32(EPSILON)]
    return (rows,), args, {3: hat * w.astype(np.float64) + c.astype(np.float64)}


def rmsnorm(
    size: int, x: Any, w: Any, y: Any, rows: Any, columns: Any, eps: Any
) -> None:
    """Each row scaled to a mean square of 1, times w."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "zero")
    target = _rows_of(y, rows, columns, (1, size), None)
    row, shape = _id(), [1, size]
    tile = _wide(b.load_view_tko(source, [row, 0])[0])
    weight = _wide(b.load_view_tko(_line_of(w, columns, size, "zero"), [0])[0])
    n = b.broadcast(b.reshape(b.itof(columns, b.Float32), [1]), [1])
    factor = b.rsqrt(_sum(tile * tile) / n + b.broadcast(b.reshape(eps, [1]), [1]))
    out = tile * _spread(factor, shape) * _spread(weight, shape)
    b.store_view_tko(b.ftof(out, b.BFloat16), target, [row, 0])


def rmsnorm_launch(rows: int, columns: int) -> Any:
    """Rows of normal numbers, weights, and the result."""
    kind = TYPES["bf16"][1]
    x, y = _matrix("bf16", rows, columns), aligned((rows, columns), kind)
    w = normal((columns,), kind, 1)
    wide = x.astype(np.float64)
    hat = wide / np.sqrt((wide**2).mean(1, keepdims=True) + EPSILON)
    args = [x, w, y, np.int32(rows), np.int32(columns), np.float32(EPSILON)]
    return (rows,), args, {2: hat * w.astype(np.float64)}


def cross_entropy(
    size: int, x: Any, label: Any, y: Any, rows: Any, columns: Any
) -> None:
    """log(sum(exp(x))) - x[label] of each row."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "neg_inf")
    row, shape = _id(), [1, size]
    tile = b.load_view_tko(source, [row, 0])[0]
    most = _max(tile)
    total = _sum(b.exp(tile - _spread(most, shape)))
    chosen = b.load_ptr_tko(label + row)[0]
    picked = b.load_ptr_tko(x + (row * columns + chosen))[0]
    loss = b.log(total) + most - b.reshape(picked, [1])
    b.store_ptr_tko(b.reshape(y + row, [1]), loss)


def cross_entropy_launch(rows: int, columns: int) -> Any:
    """Rows of normal numbers, labels, and the losses."""
    x, y = _matrix("f32", rows, columns), aligned((rows,), np.float32)
    label = aligned((rows,), np.int32)
    label[...] = np.random.default_rng(3).integers(0, columns, rows)
    wide = x.astype(np.float64)
    loss = np.log(np.exp(wide).sum(1)) - wide[np.arange(rows), label]
    args = [x, label, y, np.int32(rows), np.int32(columns)]
    return (rows,), args, {2: loss}


def argmax(size: int, x: Any, y: Any, rows: Any, columns: Any) -> None:
    """Where each row is highest; a NaN is, and of equals the first."""
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "neg_inf")
    row = _id()
    tile = b.load_view_tko(source, [row, 0])[0]
    places = b.reshape(b.iota(size), [1, size])

    def better(x0: Any, y0: Any, x1: Any, y1: Any) -> list[Any]:
        unordered = partial(b.cmpf, ordering=b.ComparisonOrdering.UNORDERED)
        x_nan, y_nan = (unordered("not_equal", v, v) for v in (x0, y0))
        higher = b.bitor(x0 > y0, b.bitand(b.cmpf("equal", x0, x0), y_nan))
        same = b.bitor(x0 == y0, b.bitand(x_nan, y_nan))
        wins = b.bitor(higher, b.bitand(same, x1 < y1))
        return [b.select(wins, x0, y0), b.select(wins, x1, y1)]

    _, place = b.reduce([tile, places], 1, [LOWEST, 2**31 - 1], better)
    b.store_ptr_tko(b.reshape(y + row, [1]), place)


def argmax_launch(rows: int, columns: int) -> Any:
    """Rows of normal numbers, and where they are highest."""
    x, y = _matrix("f32", rows, columns), aligned((rows,), np.int32)
    args = [x, y, np.int32(rows), np.int32(columns)]
    return (rows,), args, {1: x.argmax(1)}


def _cumsum(size: int, x: Any, y: Any, rows: Any, columns: Any) -> None:
    rows, columns = _count(rows), _extent(columns)
    source = _rows_of(x, rows, columns, (1, size), "zero")
    target = _rows_of(y, rows, columns, (1, size), None)
    row = _id()
    tile = b.load_view_tko(source, [row, 0])[0]
    b.store_view_tko(b.scan(tile, 1, 0.0, _plus), target, [row, 0])


def _cumsum_launch(rows: int, columns: int) -> Any:
    x, y = _matrix("f32", rows, columns), aligned((rows, columns), np.float32)
    args = [x, y, np.int32(rows), np.int32(columns)]
    return (rows,), args, {1: x.astype(np.float64).cumsum(1)}


# Movements ---------------------------------------------------------------------------


def _transpose(tile: Sizes, x: Any, y: Any, rows: Any, columns: Any) -> None:
    rows, columns = _extent(rows), _extent(columns)
    source = _rows_of(x, rows, columns, tile, "zero")
    target = _rows_of(y, columns, rows, (tile[1], tile[0]), None)
    i, j = _id(0), _id(1)
    found = b.load_view_tko(source, [i, j])[0]
    b.store_view_tko(b.permute(found, [1, 0]), target, [j, i])


def _transpose_launch(kind: str, tile: tuple[int, int]) -> Any:
    rows, columns = tile[0] * 4, tile[1] * 3
    x, y = _matrix(kind, rows, columns), aligned((columns, rows), TYPES[kind][1])
    return (4, 3), [x, y, np.int32(rows), np.int32(columns)], {1: x.T.copy()}


def _add(size: int, x: Any, y: Any, z: Any, n: Any) -> None:
    n = _extent(n)
    i = _id()
    first = b.load_view_tko(_line_of(x, n, size, "zero"), [i])[0]
    second = b.load_view_tko(_line_of(y, n, size, "zero"), [i])[0]
    b.store_view_tko(first + second, _line_of(z, n, size), [i])


def _add_launch(kind: str, size: int) -> Any:
    n = 4 * size
    x, y = normal((n,), TYPES[kind][1]), normal((n,), TYPES[kind][1], 1)
    z = aligned((n,), TYPES[kind][1])
    return (4,), [x, y, z, np.int32(n)], {2: x + y}


def _gather(tile: tuple[int, int], x: Any, index: Any, y: Any, n: Any) -> None:
    """Rows of a table of f16 by index."""
    n = _extent(n)
    count, width = tile
    i = _id()
    table = b.make_tensor_view(_assumed(x), [1 << 16, width], [width, 1])
    view = b.make_gather_scatter_view(table, [count, width], 0)
    chosen = b.load_view_tko(_line_of(index, n, count, "zero"), [i])[0]
    found = b.load_view_tko(view, [chosen, 0])[0]
    target = _rows_of(y, n, width, tile, None)
    b.store_view_tko(found, target, [i, 0])


def _gather_launch(tile: tuple[int, int]) -> Any:
    n, width = tile[0] * 4, tile[1]
    x, y = _matrix("f16", 1 << 16, width), aligned((n, width), np.float16)
    index = aligned((n,), np.int32)
    index[...] = np.random.default_rng(1).choice(1 << 16, n, replace=False)
    return (4,), [x, index, y, np.int32(n)], {2: x[index]}


def _histogram(size: int, bins: int, x: Any, counts: Any, n: Any) -> None:
    """Counts values; `bins` of them if that is not 0, else nobody knows how many."""
    n = _extent(n)
    values = b.load_view_tko(_line_of(x, n, size, "zero"), [_id()])[0]
    if bins:
        values = b.assume_bounded(values, 0, bins - 1)
    ones = b.constant(1, b.Int32, [size])
    b.atomic_rmw_tko(counts + values, "add", ones)


def _histogram_launch(size: int, bins: int) -> Any:
    x, counts = aligned((4 * size,), np.int32), aligned((bins,), np.int32)
    x[...] = np.random.default_rng(1).integers(0, bins, 4 * size)
    wanted = np.bincount(x, minlength=bins)
    return (4,), [x, counts, np.int32(4 * size)], {1: wanted}


# The list ----------------------------------------------------------------------------


def _row_kernel(name: str, body: Any, kinds: str, launch: Any, **more: Any) -> Stream:
    """A kernel with arrays of `kinds`, then rows and columns."""
    arrays = [[TYPES[kind][0]] for kind in kinds.split()]
    scalars: list[Any] = [b.Int32, b.Int32]
    if more.pop("eps", False):
        scalars.append(b.Float32)
    return Stream(name, (*arrays, *scalars), body, launch, **more)


ROWS = {"BAR": "2", "regs": "<=56", "sectors": "1.00", "KB/SM": ">=32"}
LONG = {"DRAM": "<=1.05"}
NAMES = {1 << 15: "32k", 1 << 17: "128k", 1 << 20: "1M"}
HALF = 2.0**-10
BRAIN = 2.0**-7


def line_goal(size: int) -> dict[str, str]:
    """Of rows whose kernels have at most one exchange between warps."""
    if size > 1 << 12:
        return LONG
    return {"BAR": "0" if size == 1 << 7 else "1", "sectors": "1.00"}


STREAMS: tuple[Stream, ...] = (
    *(
        _row_kernel(
            f"softmax f32 {size}",
            partial(softmax, "f32", size),
            "f32 f32",
            partial(softmax_launch, "f32", 4, size),
            goal=ROWS,
        )
        for size in (1024, 4096)
    ),
    _row_kernel(
        "softmax f32 32k",
        partial(softmax, "f32", 1 << 15),
        "f32 f32",
        partial(softmax_launch, "f32", 2, 1 << 15),
        goal=LONG,
    ),
    _row_kernel(
        "softmax f32 128k",
        partial(softmax, "f32", 1 << 17),
        "f32 f32",
        partial(softmax_launch, "f32", 1, 1 << 17),
        goal=LONG,
    ),
    _row_kernel(
        "softmax f32 1M",
        partial(softmax, "f32", 1 << 20),
        "f32 f32",
        partial(softmax_launch, "f32", 1, 1 << 20),
        goal=LONG,
    ),
    _row_kernel(
        "softmax f32 128k loop",
        partial(softmax_chunks, 4096),
        "f32 f32",
        partial(softmax_launch, "f32", 1, 1 << 17),
    ),
    _row_kernel(
        "softmax f32 1M loop",
        partial(softmax_chunks, 1 << 15),
        "f32 f32",
        partial(softmax_launch, "f32", 1, 1 << 20),
        goal=LONG,
        ctas=16,
    ),
    _row_kernel(
        "layernorm f16 4096",
        partial(layernorm, 4096),
        "f16 f16 f16 f16",
        partial(layernorm_launch, 4, 4096),
        reads=(0, 1, 2),
        eps=True,
        tolerance=HALF,
        goal=ROWS,
    ),
    _row_kernel(
        "rmsnorm bf16 4096",
        partial(rmsnorm, 4096),
        "bf16 bf16 bf16",
        partial(rmsnorm_launch, 4, 4096),
        reads=(0, 1),
        eps=True,
        tolerance=BRAIN,
        goal=ROWS | {"BAR": "1"},
    ),
    *(
        _row_kernel(
            f"layernorm f16 {NAMES[size]}",
            partial(layernorm, size),
            "f16 f16 f16 f16",
            partial(layernorm_launch, 1, size),
            reads=(0, 1, 2),
            eps=True,
            tolerance=HALF,
            goal=LONG,
        )
        for size in (1 << 17, 1 << 20)
    ),
    *(
        _row_kernel(
            f"rmsnorm bf16 {NAMES[size]}",
            partial(rmsnorm, size),
            "bf16 bf16 bf16",
            partial(rmsnorm_launch, 1, size),
            reads=(0, 1),
            eps=True,
            tolerance=BRAIN,
            goal=LONG,
        )
        for size in (1 << 17, 1 << 20)
    ),
    *(
        _row_kernel(
            f"cross-entropy f32 {NAMES.get(size, size)}",
            partial(cross_entropy, size),
            "f32 i32 f32",
            partial(cross_entropy_launch, 4 if size == 4096 else 1, size),
            reads=(0, 1),
            goal=ROWS if size == 4096 else LONG,
        )
        for size in (4096, 1 << 17, 1 << 20)
    ),
    *(
        _row_kernel(
            f"argmax f32 {NAMES.get(size, size)}",
            partial(argmax, size),
            "f32 i32",
            partial(argmax_launch, 4 if size < 1 << 17 else 1, size),
            tolerance=0,
            goal=line_goal(size),
        )
        for size in (128, 4096, 1 << 15, 1 << 17, 1 << 20)
    ),
    *(
        _row_kernel(
            f"cumsum f32 {NAMES.get(size, size)}",
            partial(_cumsum, size),
            "f32 f32",
            partial(_cumsum_launch, 4 if size < 1 << 17 else 1, size),
            tolerance=1e-5,
            goal=line_goal(size),
        )
        for size in (128, 4096, 1 << 15, 1 << 17, 1 << 20)
    ),
    *(
        _row_kernel(
            f"transpose {kind} 64x64",
            partial(_transpose, (64, 64)),
            f"{kind} {kind}",
            partial(_transpose_launch, kind, (64, 64)),
            tolerance=0,
            goal={"BAR": "1", "sectors": "1.00", "confl": "0"},
        )
        for kind in ("f32", "f16")
    ),
    *(
        Stream(
            f"add {kind} {size}",
            (*([TYPES[kind][0]],) * 3, b.Int32),
            partial(_add, size),
            partial(_add_launch, kind, size),
            reads=(0, 1),
            tolerance=0,
            goal={"sectors": "1.00", "width": "16", "KB/SM": ">=32"},
        )
        for kind, size in (("f32", 1024), ("f32", 4096), ("f16", 4096))
    ),
    Stream(
        "gather f16 64x128",
        ([b.Float16], [b.Int32], [b.Float16], b.Int32),
        partial(_gather, (64, 128)),
        partial(_gather_launch, (64, 128)),
        reads=(1,),
        tolerance=0,
        goal={"sectors": "1.00", "width": "16"},
    ),
    *(
        Stream(
            f"histogram i32 {bins}{' known' if known else ''}",
            ([b.Int32], [b.Int32], b.Int32),
            partial(_histogram, 1024, known and bins),
            partial(_histogram_launch, 1024, bins),
            tolerance=0,
            goal={"atoms": "<0.1"} if known else {},
        )
        for bins, known in ((16, 0), (16, 1), (64, 1), (1024, 0))
    ),
)
