# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements change lanes: of 16 bits two at a time, where both go to one lane.

Here each goes elsewhere at the last steps; `tileas.mlir` counts shuffles where they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import builder as b
from cuda_tile.options import Options

ELEMENTS = {
    "f16": (b.Float16, np.float16),
    "i16": (b.Int16, np.int16),
    "f32": (b.Float32, np.float32),
}
SIZES = (8, 16, 32)


def symmetric(element: str, size: int) -> Any:
    """A kernel that adds a square tile and itself transposed: one changes lanes."""
    ty = ELEMENTS[element][0]
    with b.TileIrGenerator() as generator:
        pointer = b.make_pointer_type(ty)
        with generator.create_entry("symmetric", [pointer, pointer]) as (x, y):
            at = b.iota(size * size)
            loaded, _ = b.load_ptr_tko(x + at)
            tile = b.reshape(loaded, [size, size])
            total = tile + b.permute(tile, [1, 0])
            b.store_ptr_tko(y + at, b.reshape(total, [size * size]))
        return generator.module


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("size", SIZES)
def test_a_tile_and_itself_transposed(size: int, element: str) -> None:
    x = np.arange(size * size).astype(ELEMENTS[element][1])
    y = np.zeros_like(x)
    module, options = symmetric(element, size), Options(num_warps=1)
    cuda_tile.run(
        module,
        grid=1,
        args=[x, y],
        on="emulator",
        mode="adversarial",
        compiled=cuda_tile.compile(module, "sm_80", options=options, cubin=False),
    )
    square = x.reshape(size, size)
    assert (y.reshape(size, size) == square + square.T).all()
