# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--trace` shows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from interp_harness import evaluate, kernel

from cuda_tile import interp
from cuda_tile.interp.program import Op
from cuda_tile.interp.trace import describe


def test_lines_show_shape_range_and_first_elements() -> None:
    lines: list[str] = []

    def trace(op: Op, results: tuple[Any, ...]) -> None:
        lines.append(describe(op, results).split(": ", 1)[1])

    a = np.arange(8, dtype=np.float32).reshape(2, 4) - 2
    body = """
      %m = cmpf less_than ordered %a, %a : tile<2x4xf32> -> tile<2x4xi1>
      %r = mulf %a, %a : tile<2x4xf32>
    """
    evaluate(body, {"r": ((2, 4), "f32")}, a=a, options={"trace": trace})
    assert "mulf -> tile<2x4xf32> 0..25: 4 1 0 1 ..." in lines
    assert "cmpf -> tile<2x4xi1>: 0 0 0 0 ..." in lines
    assert any(
        line.endswith("tile<8xf32> -2..5: -2 -1 0 1 ..., token after 1 access")
        for line in lines
    )
    assert lines[-1] == "store_ptr_tko -> token after 1 access"


def test_blocks_say_when_they_go_on() -> None:
    seen: list[tuple[int, int, int]] = []
    interp.run(kernel("", ""), grid=(2, 2), args=[], on_block=seen.append)
    assert seen == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]


def test_a_tile_of_nan() -> None:
    lines: list[str] = []

    def trace(op: Op, results: tuple[Any, ...]) -> None:
        lines.append(describe(op, results))

    a = np.full(4, np.nan, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = "%r = negf %a : tile<4xf32>"
        evaluate(body, {"r": ((4,), "f32")}, a=a, options={"trace": trace})
    assert any(line.endswith("negf -> tile<4xf32> all NaN: nan nan nan nan")
               for line in lines)  # fmt: skip
