# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to elements of 4 bits become accesses to bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported
from cuda_tile.interp.values import InterpError
from cuda_tile.options import Options
from cuda_tile.passes import narrow_elements

F4 = "f4E2M1FN"
ROWS = 64


def kernel(
    strides: str = "64,1",
    tile: str = "8x8",
    *,
    stem: str = "partition",
    extra: str = "",
    padding: str = ", padding_value = zero",
    at: str = "%j",
    row: str = "%i",
    row_type: str = "tile<i32>",
    more: str = "",
) -> str:
    """A tile of a 64 x 64 tensor that is loaded and stored elsewhere."""
    tensor = f"tensor_view<{ROWS}x64x{F4}, strides=[{strides}]>"
    kind = f"{stem}_view<tile=({tile}){padding}, {tensor}{extra}>"
    types = row_type if row_type == "tile<i32>" else f"{row_type}, tile<i32>"
    return f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %o: tile<ptr<{F4}>>, %n: tile<i32>) {{
    %i, %j, %k = get_tile_block_id : tile<i32>{more}
    %t = make_tensor_view %x, shape = [{ROWS}, 64], strides = [{strides}] : {tensor}
    %u = make_tensor_view %o, shape = [{ROWS}, 64], strides = [{strides}] : {tensor}
    %v = make_{stem}_view %t : {kind}
    %w = make_{stem}_view %u : {kind}
    %a, %t0 = load_view_tko weak %v[{row}, {at}] : {kind}, {types}
      -> tile<{tile}x{F4}>, token
    %t1 = store_view_tko weak %a, %w[{row}, {at}] : tile<{tile}x{F4}>, {kind}, {types}
      -> token
    return
  }}
}}"""


ROW = """
    %r = iota : tile<8xi32>
    %seven = constant <i32: 7> : tile<8xi32>
    %rows = muli %r, %seven : tile<8xi32>
    %two = constant <i32: 2> : tile<i32>
    %start = muli %j, %two : tile<i32>
    %known = assume div_by<2>, %n : tile<i32>"""
"""Rows to gather, and columns to begin at."""


def gather(at: str) -> str:
    """A gather of rows, from a column on."""
    return kernel(
        stem="gather_scatter",
        extra=", sparse_dim=0",
        row="%rows",
        row_type="tile<8xi32>",
        at=at,
        more=ROW,
    )


KERNELS = {
    "rows": kernel(),
    "columns": kernel("1,64"),
    "no padding": kernel(padding=""),
    "transposed": kernel(extra=", dim_map=[1, 0]"),
    "strided": kernel(
        tile="2x8",
        stem="strided",
        extra="",
        padding=", traversal_strides=[3,8], padding_value = zero",
    ),
    "gather": gather("%start"),
    "gather at a known place": gather("%known"),
    "odd rows": kernel("65,1"),
    "a tile of one column": kernel(tile="8x1"),
    "a padding that has no code": kernel(padding=", padding_value = nan"),
    "gather anywhere": gather("%j"),
    "an odd step": kernel(
        tile="8x4", stem="strided", padding=", traversal_strides=[8,5]"
    ),
}


def after(text: str, *, is_rewritten: bool) -> list[Any]:
    """The arrays after a run on the interpreter."""
    module = cuda_tile.load(text.encode())
    if is_rewritten:
        with module.context:
            narrow_elements.run(module.operation, Options())
        assert module.operation.verify()
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, ROWS * 64, np.uint8)
    arrays = [x, np.full_like(x, 0x11), np.int32(6)]
    shares_bytes = any(part in text for part in ("gather", "[65,1]", "(8x1)"))
    grid = (1,) if shares_bytes else (3, 4)
    cuda_tile.run(module, grid=grid, args=arrays, on="interp")
    return arrays[:2]


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_elements(name: str) -> None:
    before, now = (after(KERNELS[name], is_rewritten=r) for r in (False, True))
    np.testing.assert_array_equal(before, now)
    assert (before[1] != 0x11).any()


def test_refused() -> None:
    """Another strong store may be storing the other half of a byte."""
    text = kernel("65,1").replace(
        "store_view_tko weak", "store_view_tko relaxed device"
    )
    with ir.Context():
        module = cuda_tile.load(text.encode())
    with module.context, pytest.raises(Unsupported, match="a weak store") as caught:
        narrow_elements.run(module.operation, Options())
    assert "store_view_tko" in str(caught.value)
    assert "-:" in str(caught.value)


LINE_TENSOR = f"tensor_view<?x{F4}, strides=[?]>"
LINE_VIEW = f"partition_view<tile=(8), {LINE_TENSOR}>"
LINE = f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %n: tile<i32>, %s: tile<i32>) {{
    %z = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %x, shape = [%n], strides = [%s] : tile<i32> -> {LINE_TENSOR}
    %v = make_partition_view %t : {LINE_VIEW}
    %a, %t0 = load_view_tko weak %v[%z] : {LINE_VIEW}, tile<i32>
      -> tile<8x{F4}>, token
    %t1 = store_view_tko weak %a, %v[%z] token=%t0 : tile<8x{F4}>, {LINE_VIEW},
      tile<i32> -> token
    return
  }}
}}"""
"""A tile that is stored where it was, in a tensor of which nothing is known."""


@pytest.mark.parametrize(("size", "stride"), [(8, 2), (7, 1)])
def test_the_interpreter_wants_whole_bytes(size: int, stride: int) -> None:
    """What the compiler relies on: a stride of 1, and an even extent there."""
    module = cuda_tile.load(LINE.encode())
    arguments = [np.zeros(8, np.uint8), np.int32(size), np.int32(stride)]
    with pytest.raises(InterpError, match="a stride of 1 and an even size"):
        cuda_tile.run(module, grid=(1,), args=arguments, on="interp")


def test_a_dynamic_stride_is_the_unit_stride() -> None:
    """Of elements of 4 bits some stride is 1, so the only one there is is 1."""
    module = cuda_tile.load(LINE.encode())
    with module.context:
        narrow_elements.run(module.operation, Options())
    assert "tensor_view<?xi8, strides=[1]>" in str(module.operation)
    assert "atomic" not in str(module.operation)
