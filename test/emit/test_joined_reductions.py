# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of the powers of a tile along its rows, joined as far as may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import builder as b
from cuda_tile.options import Options

SHAPES = ((1, 2048), (2, 256), (8, 128), (4, 16))
POWERS = 5


def powers(rows: int, columns: int, count: int) -> Any:
    """A kernel of f32 that stores the sums of the first powers behind each other."""
    with b.TileIrGenerator() as generator:
        pointer = b.make_pointer_type(b.Float32)
        with generator.create_entry("powers", [pointer, pointer]) as (x, y):
            loaded, _ = b.load_ptr_tko(x + b.iota(rows * columns))
            value = b.reshape(loaded, [rows, columns])
            power = value
            for number in range(count):
                total = b.reduce(power, 1, 0.0, b.add)
                b.store_ptr_tko(y + (b.iota(rows) + number * rows), total)
                power = power * value
        return generator.module


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_of_powers(shape: tuple[int, int], warps: int) -> None:
    """Whole numbers of -2 to 2, whose sums are exact in any order."""
    x = np.random.default_rng(shape[1]).integers(-2, 3, shape).astype(np.float32)
    y = np.zeros((POWERS, shape[0]), np.float32)
    module = powers(*shape, POWERS)
    compiled = cuda_tile.compile(
        module, "sm_90", options=Options(num_warps=warps), cubin=False
    )
    cuda_tile.run(
        module,
        grid=1,
        args=[x.reshape(-1), y.reshape(-1)],
        on="emulator",
        mode="adversarial",
        compiled=compiled,
    )
    expected = [(x ** (n + 1)).sum(1) for n in range(POWERS)]
    assert (y == np.array(expected)).all()


def shuffles(count: int) -> int:
    """Shuffles of a kernel with so many sums of one row."""
    module = powers(1, 512, count)
    options = Options(num_warps=4)
    return cuda_tile.compile(module, "sm_90", options=options, cubin=False).ptx.count(
        "shfl.sync"
    )


def test_a_shuffle_serves_several_sums() -> None:
    """Of four rows lanes send two, then one, and one in each of three more steps."""
    assert [shuffles(count) for count in (1, 2, 4)] == [5, 5, 6]
