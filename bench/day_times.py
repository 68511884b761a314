# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches whose times are taken on a GPU: full sizes, and small ones to be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from attention_kernels import Attention
from day_triton import AttentionBeside, Maker, ProductBeside, StreamBeside
from kernel_args import Array, Launch
from product_kernels import Product
from real_kernels import aligned
from stream_kernels import STREAMS, Stream
from streams import has_form

from cuda_tile import builder as b

COUNTED = 8
"""Iterations of the loop in the launch that is counted for the prediction."""


@dataclass(frozen=True)
class Timed:
    """A launch.

    Attributes:
        name: As the table has it.
        text: The kernel.
        full: The launch, arrays without values.
        counted: A small launch, which stands for it.
        as_grid: Tile blocks of the full one.
        longer: How many times as many iterations it has.
        flops: Operations.
        bytes: Least bytes from and to memory.
        beside: The same in torch, see `day_runner.by_torch`, and its sizes.
        triton: The same in Triton; None where it has no form there.
    """

    name: str
    text: str
    full: Callable[[], Launch]
    counted: Callable[[], Launch]
    as_grid: int
    longer: float
    flops: float
    bytes: float
    beside: tuple[str, tuple[int, ...]]
    triton: Maker | None = None


def product(size: int, tile: tuple[int, int, int] = (128, 128, 64)) -> Timed:
    """A product of f16, all extents equal."""
    made = Product("f16", "f16", tile)
    m, n, k = tile
    grid = (size // m, size // n)

    def full() -> Launch:
        return grid, [aligned((size, size), np.float16) for _ in range(3)]

    return Timed(
        f"product f16 {size}",
        made.text(),
        full,
        lambda: made.launch((1, 1), COUNTED),
        grid[0] * grid[1],
        size / k / COUNTED,
        2.0 * size**3,
        6.0 * size**2,
        ("matmul", (size,)),
        ProductBeside(tile),
    )


def attention(depth: int, positions: int = 4096, heads: int = 32) -> Timed:
    """Attention of f16 without a mask."""
    made = Attention("full", depth, keys=64 if depth < 256 else 32)
    shape = (heads, positions, depth)

    def full() -> Launch:
        arrays = [aligned(shape, np.float16) for _ in range(4)]
        return (-(-positions // made.rows), heads), [*arrays, np.float32(depth**-0.5)]

    return Timed(
        f"attention f16 d{depth} {positions}",
        made.text(),
        full,
        lambda: made.launch(1, made.rows, COUNTED * made.keys),
        -(-positions // made.rows) * heads,
        positions / made.keys / COUNTED,
        4.0 * heads * positions**2 * depth,
        8.0 * heads * positions * depth,
        ("attention", shape),
        AttentionBeside(made),
    )


def _copy(x: Any, y: Any, count: Any) -> None:
    count = b.assume_div_by(count, 16)
    views = [
        b.make_partition_view(
            b.make_tensor_view(b.assume_div_by(pointer, 16), [count], [1]), [4096]
        )
        for pointer in (x, y)
    ]
    i = b.get_tile_block_id()[0]
    b.store_view_tko(b.load_view_tko(views[0], [i])[0], views[1], [i])


def _copy_launch() -> tuple[tuple[int, ...], list[Any], dict[int, Array]]:
    x, y = (aligned((1 << 14,), np.float32) for _ in range(2))
    return (4,), [x, y, np.int32(1 << 14)], {1: x}


COPY = Stream("copy f32 4096", ([b.Float32], [b.Float32], b.Int32), _copy, _copy_launch)
"""What any kernel limited by memory is held against."""


def stream(name: str, beside: str, elements: int = 1 << 26) -> Timed:
    """A kernel of `stream_kernels.py`, with as many rows as have so many elements.

    Args:
        name: The kernel.
        beside: The same in torch.
        elements: Of the first array.
    """
    made = next(each for each in (*STREAMS, COPY) if each.name == name)
    (few,), args, _ = made.launch()
    width = args[0].size // few
    rows = elements // width

    def full() -> Launch:
        return (rows,), [_grown(arg, args[0].shape, rows, few) for arg in args]

    least = sum(arg.nbytes for arg in full()[1] if isinstance(arg, np.ndarray))
    return Timed(
        f"{name}, {rows} rows",
        str(made.module()),
        full,
        lambda: ((few,), args),
        rows,
        1.0,
        0.0,
        float(least),
        (beside, (rows, width)),
        StreamBeside(name) if has_form(made) and made is not COPY else None,
    )


def _grown(arg: Any, shape: Sequence[int], rows: int, few: int) -> Any:
    """An argument of a launch of few rows, for many; arrays have no values."""
    if isinstance(arg, np.ndarray):
        array = cast("Array", arg)
        is_whole = array.shape == tuple(shape)
        first = array.shape[0] * rows // few if is_whole else array.shape[0]
        return aligned((first, *array.shape[1:]), array.dtype)
    is_count = getattr(arg, "dtype", None) == np.int32 and int(arg) == shape[0]
    return np.int32(int(arg) * rows // few) if is_count else arg


TIMED = (
    product(4096),
    product(8192),
    *(attention(depth) for depth in (64, 128, 256)),
    stream("copy f32 4096", "copy"),
    stream("add f32 4096", "add"),
    *(stream(f"softmax f32 {size}", "softmax") for size in ("1024", "4096", "1M")),
    *(stream(f"layernorm f16 {size}", "layer_norm") for size in ("4096", "1M")),
    *(stream(f"rmsnorm bf16 {size}", "rms_norm") for size in ("4096", "1M")),
)
