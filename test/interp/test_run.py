# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver: entries, grids, arguments, orders, traces, reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import kernel, parse

from cuda_tile import interp, ods
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.interp import RULES, InterpError
from cuda_tile.interp.table import DRIVEN

IDS = """
  %x, %y, %z = get_tile_block_id : tile<i32>
  %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
  %a = muli %z, %ny : tile<i32>
  %b = addi %a, %y : tile<i32>
  %c = muli %b, %nx : tile<i32>
  %linear = addi %c, %x : tile<i32>
  %at = offset %p, %linear : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t = store_ptr_tko weak %at, %linear : tile<ptr<i32>>, tile<i32> -> token
"""


def ids(grid: tuple[int, ...], **options: Any) -> tuple[list[int], interp.InterpReport]:
    out = np.full(int(np.prod(grid)), -1, np.int32)
    module = kernel("%p: tile<ptr<i32>>", IDS)
    report = interp.run(module, grid=grid, args=[out], **options)
    return out.tolist(), report


@pytest.mark.parametrize("grid", [(5,), (3, 3), (2, 3, 4)])
@pytest.mark.parametrize("seed", [None, 1])
def test_every_block_runs_once(grid: tuple[int, ...], seed: int | None) -> None:
    seen, report = ids(grid, seed=seed)
    count = int(np.prod(grid))
    assert seen == list(range(count))
    assert report.block_count == count
    assert report.grid == (*grid, 1, 1)[:3]
    assert report.kernel == "k"
    assert report.steps == 9 * count


def test_seed_shuffles_the_blocks() -> None:
    orders: list[list[int]] = []
    for seed in (None, 1, 2, 1):
        order: list[int] = []

        def trace(op: interp.Op, results: tuple[Any, ...], into: Any = order) -> None:
            if op.name == "get_tile_block_id":
                into.append(int(results[0]))

        ids((16,), seed=seed, trace=trace)
        orders.append(order)
    assert orders[0] == list(range(16))
    assert orders[1] == orders[3] != orders[2]


@pytest.mark.parametrize("grid", [(), (0,), (1, 1, 1, 1), (1, -1)])
def test_bad_grids(grid: tuple[int, ...]) -> None:
    module = kernel("%p: tile<ptr<i32>>", "")
    with pytest.raises(UserError, match="k: expected a grid"):
        interp.run(module, grid=grid, args=[None])


def test_entries_are_chosen_by_name() -> None:
    module = parse(
        """cuda_tile.module @m {
          entry @one(%p: tile<ptr<i32>>) { return }
          entry @two(%n: tile<i32>) { return }
        }"""
    )
    assert interp.run(module, "two", grid=(1,), args=[1]).kernel == "two"
    with pytest.raises(UserError, match="one of: one, two"):
        interp.run(module, grid=(1,), args=[1])
    with pytest.raises(UserError, match="a kernel among one, two, got 'three'"):
        interp.run(module, "three", grid=(1,), args=[1])


def test_foreign_ops_are_refused_with_their_location() -> None:
    module = kernel("", "%c = arith.constant 1 : i32")
    with pytest.raises(Unsupported, match=r"^-:3:\d+: interp: no rule for 'arith.c"):
        interp.run(module, grid=(1,), args=[])


def test_arguments_are_checked() -> None:
    module = kernel("%p: tile<ptr<i32>>, %n: tile<i64>", "")
    with pytest.raises(UserError, match="k: expected 2 arguments"):
        interp.run(module, grid=(1,), args=[1])
    with pytest.raises(UserError, match="k: parameter 0: expected an array of i32"):
        interp.run(module, grid=(1,), args=[np.zeros(2, np.float32), 1])


def test_a_module_without_entries() -> None:
    with pytest.raises(UserError, match="at least one entry"):
        interp.run(parse("cuda_tile.module @m {}"), grid=(1,), args=[])


def test_errors_name_kernel_block_and_location() -> None:
    body = """
      %x, %y, %z = get_tile_block_id : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %n = subi %x, %one : tile<i32>
      %q = divi %one, %n signed : tile<i32>
    """
    with pytest.raises(InterpError) as caught:
        interp.run(kernel("", body), grid=(3,), args=[])
    error = caught.value
    assert error.block_id == (1, 0, 0)
    assert error.op_name == "divi"
    assert "k, tile block (1, 0, 0): 'cuda_tile.divi': division by zero" in str(error)
    assert error.location is not None
    assert ":" in error.location


def test_an_error_carries_what_was_printed() -> None:
    body = """
      %zero = constant <i32: 0> : tile<i32>
      %t = print_tko "so far %d", %zero : tile<i32> -> token
      %q = divi %zero, %zero signed : tile<i32>
    """
    with pytest.raises(InterpError, match="division by zero") as caught:
        interp.run(kernel("", body), grid=(1,), args=[])
    assert caught.value.stdout == "so far 0"


WAIT = """
  %zero = constant <i32: 0> : tile<i32>
  loop {
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %c = cmpi not_equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %c { break }
    continue
  }
"""


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_limit_tells_who_had_no_turn(blocks: int) -> None:
    module = kernel("%p: tile<ptr<i32>>", WAIT)
    with pytest.raises(InterpError, match="more than 50 ops ran; raise the") as caught:
        interp.run(module, grid=(blocks,), args=[np.zeros(1, np.int32)], limit=50)
    hint = "; 1 tile blocks had no turn yet: one that waits for others must read by"
    is_told = hint in str(caught.value)
    assert is_told == (blocks > 1)


def test_an_interrupt_says_where_the_kernel_stood() -> None:
    module = kernel("%p: tile<ptr<i32>>", WAIT)

    def interrupt(op: interp.Op, results: tuple[Any, ...]) -> None:
        if op.name == "cmpi":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        interp.run(
            module, grid=(2,), args=[np.zeros(1, np.int32)], trace=interrupt, seed=1
        )
    (note,) = caught.value.__notes__
    assert note.startswith("k stood in tile block (")
    assert "at 'cmpi' (" in note


def test_every_op_has_a_rule() -> None:
    assert set(RULES.missing(ods.ops())) == DRIVEN


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mode": "loose"},
            "expected mode to be one of strict, hardware, permissive, "
            "adversarial, fast, got 'loose'",
        ),
        ({"order": "up"}, "expected order to be one of tree, left"),
        ({"seed": -1}, "expected seed to be a whole number of 0 or more, got -1"),
        ({"limit": 0}, "expected limit to be a whole number of 1 or more, got 0"),
        ({"grid": (1.5,)}, "k: expected a grid of one to three sizes, got"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"grid": (1,), "args": []} | options
    with pytest.raises(UserError, match=message):
        interp.run(kernel("", ""), **arguments)


def test_what_is_no_module() -> None:
    with pytest.raises(
        UserError, match=r"as `cuda_tile.load` gives of a file, got a st"
    ):
        interp.run("vadd.tileirbc", grid=(1,), args=[])


def test_a_grid_may_be_a_number() -> None:
    assert interp.run(kernel("", ""), grid=3, args=[]).grid == (3, 1, 1)
