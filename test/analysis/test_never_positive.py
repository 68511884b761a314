# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which differences are known to be nowhere positive."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile.analysis.never_positive import NEVER_POSITIVE, mark_never_positive
from cuda_tile.ir.walk import entries, nested_ops

TILE, COLUMN, ROW = "tile<8x8xf32>", "tile<8x1xf32>", "tile<1x8xf32>"
OWN = "%s = subf %x, %b : tile<8x8xf32>"
SPREAD = f"%b = broadcast %n : {COLUMN} -> {TILE}"
GREATER = f"%n = maxf %m, %r : {COLUMN}"


def reduced(dim: int = 1, of: str = "%x", by: str = "maxf") -> str:
    """A reduction of a tile's rows or columns to `%f`."""
    return f"""%f = reduce {of} dim={dim} identities=[0xFF800000 : f32]
      : {TILE} -> tile<8xf32> (%p0: tile<f32>, %p1: tile<f32>) {{
      %q = {by} %p0, %p1 : tile<f32>
      yield %q : tile<f32>
    }}"""


AS_COLUMN = f"%r = reshape %f : tile<8xf32> -> {COLUMN}"
AS_ROW = f"%r = reshape %f : tile<8xf32> -> {ROW}"


def is_marked(*lines: str) -> bool:
    """Whether the exponential of `%s`, made of tiles `%x` and `%y`, has the mark."""
    body = "\n    ".join(lines)
    loads = "\n    ".join(
        f"""%{name}v = make_tensor_view %{name}p, shape = [8, 8], strides = [8, 1]
      : tensor_view<8x8xf32, strides=[8,1]>
    %{name}t = make_partition_view %{name}v
      : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %{name}, %{name}k = load_view_tko weak %{name}t[%zero, %zero]
      : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32>
      -> {TILE}, token"""
        for name in "xy"
    )
    text = f"""cuda_tile.module @m {{
  entry @k(%xp: tile<ptr<f32>>, %yp: tile<ptr<f32>>, %v: tile<f32>) {{
    %zero = constant <i32: 0> : tile<i32>
    {loads}
    %w = reshape %v : tile<f32> -> tile<1x1xf32>
    %m = broadcast %w : tile<1x1xf32> -> {COLUMN}
    {body}
    %e = exp %s : {TILE}
    return
  }}
}}"""
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    with module.context:
        mark_never_positive(entry)
    (power,) = (op for op in nested_ops(entry) if op.name == "cuda_tile.exp")
    return NEVER_POSITIVE in power.attributes


@pytest.mark.parametrize(
    "lines",
    [
        (reduced(), AS_COLUMN, f"%b = broadcast %r : {COLUMN} -> {TILE}", OWN),
        # A running maximum, joined before it is repeated, as NumPy's keepdims has it.
        (reduced(), AS_COLUMN, GREATER, SPREAD, OWN),
        (reduced(), AS_COLUMN, f"%n = maxf %r, %m : {COLUMN}", SPREAD, OWN),
        # Joined as a vector.
        (
            *(reduced(), f"%m1 = reshape %m : {COLUMN} -> tile<8xf32>"),
            "%g = maxf %m1, %f : tile<8xf32>",
            *(f"%n = reshape %g : tile<8xf32> -> {COLUMN}", SPREAD, OWN),
        ),
        # Of columns.
        (
            *(reduced(dim=0), AS_ROW, f"%b = broadcast %r : {ROW} -> {TILE}"),
            OWN,
        ),
    ],
)
def test_what_is_below_its_maximum(lines: tuple[str, ...]) -> None:
    assert is_marked(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        # The lesser of both, the least of the row, another tile's, the other order.
        (reduced(), AS_COLUMN, f"%n = minf %m, %r : {COLUMN}", SPREAD, OWN),
        (reduced(by="minf"), AS_COLUMN, GREATER, SPREAD, OWN),
        (reduced(of="%y"), AS_COLUMN, GREATER, SPREAD, OWN),
        (reduced(), AS_COLUMN, GREATER, SPREAD, f"%s = subf %b, %x : {TILE}"),
        # Maxima of columns that are repeated along rows, and the reverse.
        (reduced(dim=0), AS_COLUMN, GREATER, SPREAD, OWN),
        (reduced(), AS_ROW, f"%b = broadcast %r : {ROW} -> {TILE}", OWN),
        # What is less than a maximum is not.
        (
            *(reduced(), AS_COLUMN, f"%g = subf %r, %m : {COLUMN}"),
            *(f"%b = broadcast %g : {COLUMN} -> {TILE}", OWN),
        ),
    ],
)
def test_what_may_be_above(lines: tuple[str, ...]) -> None:
    assert not is_marked(*lines)
