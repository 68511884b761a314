# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops whose bodies are Python functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from builder_kernels import build, evaluate

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir


@pytest.mark.parametrize("n", [0, 1, 7])
def test_loop_with_two_values(n: int):
    def fibonacci(count: b.Tile) -> b.Tile:
        return b.for_loop(0, count, 1, [0, 1], lambda _, x, y: (y, x + y))[0]

    given = evaluate(
        lambda t: fibonacci(b.reshape(t, [])), np.array([n], np.int32), result=b.Int32
    )
    assert given[0] == [0, 1, 1, 2, 3, 5, 8, 13][n]


@pytest.mark.parametrize("n", [1, 6, 7, 27])
def test_loop_until_break(n: int):
    def steps_to_one(start: b.Tile) -> Any:
        def body(x: b.Tile, steps: b.Tile) -> tuple[b.Tile, b.Tile]:
            b.if_generate(x == 1, lambda: b.loop_break(steps))
            following = b.if_generate(x % 2 == 0, lambda: x / 2, lambda: 3 * x + 1)
            return following, steps + 1

        return b.loop_generate([start, 0], body)

    given = evaluate(
        lambda t: steps_to_one(b.reshape(t, [])),
        np.array([n], np.int32),
        result=b.Int32,
    )
    steps = 0
    while n != 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    assert given[0] == steps


def test_branches_with_effects_and_early_end():
    def kernel(p: b.Pointer) -> None:
        block, _, _ = b.get_tile_block_id()

        def leave() -> None:
            b.store_ptr_tko(p + block, -1)
            b.ret()

        b.if_generate(block > 1, leave)
        b.store_ptr_tko(p + block, block + 10)

    out = np.zeros(4, np.int32)
    cuda_tile.run(build(kernel, [[b.Int32]]), grid=(4,), args=[out])
    assert out.tolist() == [10, 11, -1, -1]


def test_continue_and_unsigned_indices():
    def kernel(p: b.Pointer) -> None:
        def body(i: b.Tile, total: b.Tile) -> b.Tile:
            b.if_generate(i == 255, lambda: b.loop_continue(total))
            return total + 1

        first, last = b.Int8(250), b.constant(-1, b.Int8)
        one = b.Int8(1)
        count = b.for_loop(first, last, one, [0], body, unsigned=True)
        b.store_ptr_tko(p, count)

    out = np.zeros(1, np.int32)
    cuda_tile.run(build(kernel, [[b.Int32]]), grid=(1,), args=[out])
    assert out[0] == 5


def test_bounds_that_are_numbers():
    def kernel(p: b.Pointer) -> None:
        b.store_ptr_tko(p, b.for_loop(2, 11, 3, [0], lambda i, total: total + i))

    module = build(kernel, [[b.Int32]])
    # The bounds, the step and the initial value; nothing that nobody uses.
    assert str(module).count("= constant ") == 4
    out = np.zeros(1, np.int32)
    cuda_tile.run(module, grid=(1,), args=[out])
    assert out[0] == 2 + 5 + 8


@pytest.fixture
def condition() -> Iterator[b.Tile]:
    with (
        ir.Context(),
        ir.Location.unknown(),
        ir.InsertionPoint(ir.Module.create().body),
    ):
        yield b.constant(True)


def test_branches_must_agree(condition: b.Tile):
    with pytest.raises(ValueError, match=r"returns \(!cuda_tile.tile<i32>\), got \(\)"):
        b.if_generate(condition, lambda: 1, lambda: None)
    with pytest.raises(ValueError, match="as the first does, got none"):
        b.if_generate(condition, lambda: 1)
    with pytest.raises(ValueError, match="expected a branch that returns"):
        b.if_generate(condition, lambda: 1, lambda: 1.0)


def test_input_args_and_return_types(condition: b.Tile):
    x = b.constant(2)
    result = b.if_generate(
        condition, lambda v: v + 1, lambda v: v, input_args=[x], return_types=[x.type]
    )
    assert result.type == x.type
    nothing = b.if_generate(condition, lambda: None)
    assert nothing is None
