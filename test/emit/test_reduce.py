# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions: any body, any layout, and a bound on the number of instructions."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile
from cuda_tile.analysis.lane_folds import halving_steps
from cuda_tile.options import Options

pytestmark = pytest.mark.sampled(4)

BEST = """
      %l = cmpi less_than %a, %b, signed : tile<i64> -> tile<i1>
      %e = cmpi equal %a, %b, signed : tile<i64> -> tile<i1>
      %k = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>
      %m = andi %e, %k : tile<i1>
      %w = ori %l, %m : tile<i1>"""
"""As cuTile writes it: of equal values the one that stands first."""

ANY = """
      %w = cmpi less_than %a, %b, signed : tile<i64> -> tile<i1>"""
"""Of equal values the one that was there before: which one that is, the order says."""


def reduce_text(rows: int, columns: int, dim: int, choice: str, tiles: str) -> str:
    """A reduction of `%values` and `%places` to `%value` and `%place`."""
    kept = (rows, columns)[1 - dim]
    kind = f"{kept}x" if "x" in tiles else ""
    return f"""
    %value, %place = reduce %values, %places dim={dim}
      identities=[9223372036854775807 : i64, 0 : i32]
      : tile<{tiles}xi64>, tile<{tiles}xi32> -> tile<{kind}i64>, tile<{kind}i32>
    (%a: tile<i64>, %b: tile<i64>, %i: tile<i32>, %j: tile<i32>) {{{choice}
      %x = select %w, %a, %b : tile<i1>, tile<i64>
      %y = select %w, %i, %j : tile<i1>, tile<i32>
      yield %x, %y : tile<i64>, tile<i32>
    }}"""


def kernel(rows: int, columns: int, middle: str, shape: str) -> str:
    """A kernel that loads a tile as `%t` and stores `%out` of `shape`."""
    size = "x".join(map(str, (rows, columns)))
    dims = shape.split("x")
    strides = ", ".join([dims[-1], "1"][-len(dims) :])
    zeros = ", ".join(["%z"] * len(dims))
    view = f"tensor_view<{size}xi64, strides=[{columns},1]>"
    out = f"tensor_view<{shape}xi32, strides=[{strides}]>"
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i64>>, %q: tile<ptr<i32>>) {{
    %z = constant <i32: 0> : tile<i32>
    %s = make_tensor_view %p, shape = [{rows}, {columns}], strides = [{columns}, 1]
      : {view}
    %u = make_partition_view %s : partition_view<tile=({size}), {view}>
    %t, %r = load_view_tko weak %u[%z, %z]
      : partition_view<tile=({size}), {view}>, tile<i32> -> tile<{size}xi64>, token
    {middle}
    %d = make_tensor_view %q, shape = [{", ".join(dims)}], strides = [{strides}] : {out}
    %e = make_partition_view %d : partition_view<tile=({shape}), {out}>
    %f = store_view_tko weak %out, %e[{zeros}]
      : tile<{shape}xi32>, partition_view<tile=({shape}), {out}>, tile<i32> -> token
    return
  }}
}}"""


def over_all(rows: int, columns: int) -> str:
    """The place of the least element of all, as cuTile asks for it with no axis."""
    count = rows * columns
    middle = f"""%values = reshape %t : tile<{rows}x{columns}xi64> -> tile<{count}xi64>
    %places = iota : tile<{count}xi32>
    {reduce_text(count, 1, 0, BEST, str(count))}
    %out = reshape %place : tile<i32> -> tile<1xi32>"""
    return kernel(rows, columns, middle, "1")


def along(
    rows: int, columns: int, dim: int, choice: str = BEST, *, back: bool = False
) -> str:
    """The place of the least element along a dimension, or handed back to all."""
    size, kept = f"{rows}x{columns}", (rows, columns)[1 - dim]
    line = f"1x{columns}" if dim else f"{rows}x1"
    extent = (rows, columns)[dim]
    middle = f"""%steps = iota : tile<{extent}xi32>
    %line = reshape %steps : tile<{extent}xi32> -> tile<{line}xi32>
    %places = broadcast %line : tile<{line}xi32> -> tile<{size}xi32>
    %values = assume div_by<1>, %t : tile<{size}xi64>
    {reduce_text(rows, columns, dim, choice, size)}"""
    if not back:
        copy = f"%out = reshape %place : tile<{kept}xi32> -> tile<{kept}xi32>"
        return kernel(rows, columns, f"{middle}\n    {copy}", str(kept))
    ones = f"{rows}x1" if dim else f"1x{columns}"
    middle += f"""
    %thin = reshape %place : tile<{kept}xi32> -> tile<{ones}xi32>
    %out = broadcast %thin : tile<{ones}xi32> -> tile<{size}xi32>"""
    return kernel(rows, columns, middle, size)


def numbers(rows: int, columns: int, most: int = 1 << 62) -> np.ndarray:
    """Random elements, the same each time."""
    random = np.random.default_rng(rows * 1000 + columns)
    return random.integers(-most, most, (rows, columns))


def run(
    text: str, x: np.ndarray, shape: tuple[int, ...], warps: int | None
) -> np.ndarray:
    """What the emulator in adversarial mode makes of the kernel."""
    out = np.full(shape, -1, np.int32)
    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(
        module, "sm_80", options=Options(num_warps=warps), cubin=False
    )
    cuda_tile.run(
        module,
        grid=(1,),
        args=[x, out],
        on="emulator",
        mode="adversarial",
        compiled=compiled,
    )
    return out


TILES = [(4, 64), (64, 4), (32, 32), (64, 64), (8, 256), (256, 8), (128, 1)]


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("size", TILES)
def test_argmin_over_all(size: tuple[int, int], warps: int) -> None:
    x = numbers(*size)
    assert run(over_all(*size), x, (1,), warps) == [x.argmin()]


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("warps", [1, 2, 8])
@pytest.mark.parametrize("size", TILES)
def test_argmin_along(size: tuple[int, int], warps: int, dim: int, back: bool) -> None:
    x = numbers(*size, most=20)
    expected = x.argmin(dim, keepdims=back)
    found = run(
        along(*size, dim, back=back), x, size if back else expected.shape, warps
    )
    assert (found == expected).all()


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("size", [(4, 64), (16, 16), (2, 128), (64, 8)])
def test_every_thread_gets_one_result(
    size: tuple[int, int], warps: int, dim: int
) -> None:
    """Where the order decides, it must be one order for all who hold a copy."""
    x = numbers(*size, most=2)
    found = run(along(*size, dim, ANY, back=True), x, size, warps)
    least = x.min(dim, keepdims=True)
    assert (found == found.take([0], dim)).all()
    assert (np.take_along_axis(x, found, dim) == least).all()


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("size", [*TILES, (2, 512), (512, 2)])
def test_the_first_of_equals(size: tuple[int, int], warps: int, dim: int) -> None:
    """A body that may not swap its arguments sees them in their order."""
    x = numbers(*size, most=2)
    found = run(along(*size, dim, ANY), x, (size[1 - dim],), warps)
    assert (found == x.argmin(dim)).all()


def instructions(text: str, gpu: str = "sm_90") -> tuple[int, int]:
    """Instructions of the PTX, and bytes that a thread spills."""
    compiled = cuda_tile.compile(cuda_tile.load(text.encode()), gpu)
    body = compiled.ptx.partition("{")[2]
    return body.count(";"), compiled.report.kernels[0].spill_bytes


def test_over_all_takes_lanes_and_warps_once() -> None:
    """24,697 lines and 37,900 bytes spilled when every register went over the lanes."""
    count, spilled = instructions(over_all(256, 256))
    assert count < 5000
    assert spilled < 500


def test_many_rows_go_over_the_lanes_together() -> None:
    """39,482 lines and 265,856 bytes spilled when each row had a butterfly."""
    count, spilled = instructions(along(256, 256, 1))
    assert count < 10000
    assert spilled == 0


def test_few_rows_take_a_butterfly() -> None:
    assert halving_steps(1, 5, 1, 1) == 0
    assert halving_steps(2, 2, 1, 1) == 0
    assert halving_steps(4, 2, 1, 1) == 0
    assert halving_steps(64, 5, 3, 7) == 5


def test_in_order_parts_go_over_the_lanes_together() -> None:
    """Four parts of each of two rows: 650 instructions when each had a butterfly."""
    count, _ = instructions(along(2, 128, 1, ANY))
    assert count < 300
