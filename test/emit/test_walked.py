# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of tiles that a loop walks along: one comparison for all that ask the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import builder as b

SIZE = 512
OPTIONS = cuda_tile.Options(gpu="sm_80", num_warps=4)


def _module() -> Any:
    """Sums of two arrays of n elements, less one where the program sees an element."""
    generator = b.TileIrGenerator()
    with generator.tile_ir_start():
        pointer = b.make_pointer_type(b.Float32)
        types = [pointer, pointer, pointer, b.Int32]
        with generator.create_entry("walk", types) as (x, y, z, n):
            n = b.assume_div_by(b.assume_bounded(n, 0, None), 16)
            shape = [SIZE]

            def line(array: Any, padding: str | None) -> Any:
                aligned = b.assume_div_by(array, 16)
                view = b.make_tensor_view(aligned, [n], [1])
                return b.make_partition_view(view, shape, padding_value=padding)

            first, second, out = line(x, "zero"), line(y, "zero"), line(z, None)
            limit = b.broadcast(b.reshape(n, [1]), shape)
            start = b.constant(0.0, b.Float32, shape)
            one = b.constant(1.0, b.Float32, shape)

            def iteration(i: Any, total: Any) -> Any:
                tile = b.load_view_tko(first, [i])[0] + b.load_view_tko(second, [i])[0]
                begin = b.broadcast(b.reshape(i * SIZE, [1]), shape)
                inside = begin + b.iota(SIZE) < limit
                total = total + b.select(inside, tile - one, start)
                b.store_view_tko(total, out, [i])
                return total

            b.for_loop(0, b.get_index_space_shape(first)[0], 1, [start], iteration)
        assert generator.module is not None
        generator.module.operation.verify()
    return generator.module


@pytest.fixture(scope="module")
def compiled() -> cuda_tile.Compiled:
    return cuda_tile.compile(_module(), options=OPTIONS, cubin=False)


def test_one_comparison_in_an_iteration(compiled: cuda_tile.Compiled) -> None:
    """Of two loads, the store and the program; behind it another one ends the loop."""
    body = compiled.ptx.partition("ld.global")[2].rpartition("bra")[0]
    assert body.count("setp.") <= 1


@pytest.mark.parametrize("n", [0, 16, 1024, 2512, 4096])
def test_elements_behind_the_end(compiled: cuda_tile.Compiled, n: int) -> None:
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    z = np.zeros(n, np.float32)
    args = [x, y, z, np.int32(n)]
    on: dict[str, Any] = {"on": "emulator", "gpu": "sm_80", "compiled": compiled}
    cuda_tile.run(_module(), grid=(1,), args=args, mode="adversarial", **on)
    wanted, total = np.zeros(n), np.zeros(SIZE)
    for first in range(0, n, SIZE):
        part = x[first : first + SIZE]
        total[: len(part)] += part
        wanted[first : first + SIZE] = total[: len(part)]
    np.testing.assert_array_equal(z, wanted)
