# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches whose times are taken on a GPU: full sizes, and small ones to be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from attention_kernels import Attention
from kernel_args import Launch
from product_kernels import Product
from real_kernels import aligned

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
        beside: The same in torch, see `day_runner.TORCH`, and its sizes.
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
    )


_ROWS = """
cuda_tile.module @rows {{
  entry @softmax(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {{
    %xa = assume div_by<16>, %x : tile<ptr<f32>>
    %ya = assume div_by<16>, %y : tile<ptr<f32>>
    %row, %j, %k = get_tile_block_id : tile<i32>
    %width = constant <i32: {width}> : tile<i32>
    %start = muli %row, %width : tile<i32>
    %start1 = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start1 : tile<1xi32> -> tile<{width}xi32>
    %lane = iota : tile<{width}xi32>
    %at = addi %starts, %lane : tile<{width}xi32>
    %x1 = reshape %xa : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xn = broadcast %x1 : tile<1xptr<f32>> -> tile<{width}xptr<f32>>
    %xp = offset %xn, %at : tile<{width}xptr<f32>>, tile<{width}xi32> \
-> tile<{width}xptr<f32>>
    %v, %t = load_ptr_tko weak %xp : tile<{width}xptr<f32>> \
-> tile<{width}xf32>, token
    %e = exp %v : tile<{width}xf32>
    %s = reduce %e dim=0 identities=[0.000000e+00 : f32] : tile<{width}xf32> \
-> tile<f32> (%p: tile<f32>, %q: tile<f32>) {{
      %r = addf %p, %q : tile<f32>
      yield %r : tile<f32>
    }}
    %s1 = reshape %s : tile<f32> -> tile<1xf32>
    %sn = broadcast %s1 : tile<1xf32> -> tile<{width}xf32>
    %o = divf %e, %sn : tile<{width}xf32>
    %y1 = reshape %ya : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yn = broadcast %y1 : tile<1xptr<f32>> -> tile<{width}xptr<f32>>
    %yp = offset %yn, %at : tile<{width}xptr<f32>>, tile<{width}xi32> \
-> tile<{width}xptr<f32>>
    %u = store_ptr_tko weak %yp, %o : tile<{width}xptr<f32>>, tile<{width}xf32> -> token
    return
  }}
}}
"""


def softmax(width: int, elements: int = 1 << 26) -> Timed:
    """Normalised exponentials of rows of f32, one tile block each."""
    rows = elements // width

    def arrays(count: int) -> Sequence[Any]:
        return [aligned((count * width,), np.float32) for _ in range(2)]

    return Timed(
        f"softmax f32 {rows} x {width}",
        _ROWS.format(width=width),
        lambda: ((rows,), list(arrays(rows))),
        lambda: ((4,), list(arrays(4))),
        rows,
        1.0,
        0.0,
        8.0 * elements,
        ("softmax", (rows, width)),
    )


TIMED = (
    product(4096),
    product(8192),
    *(attention(depth) for depth in (64, 128, 256)),
    *(softmax(width) for width in (1024, 4096, 16384)),
)
