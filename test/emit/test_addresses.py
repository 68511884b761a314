# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of neighbours are one sum and constants, also where numbers wrap."""

from __future__ import annotations

import re

import numpy as np
import pytest
from emit_agree import agree

import cuda_tile

ROWS, COLUMNS, STRIDE = 8, 64, 96


def gather(bits: int, unit: int, flag: str) -> str:
    """`y[i, j] = x[STRIDE * rows[i] + unit * j]` by pointers, indices of `bits`."""
    tile = f"tile<{ROWS}x{COLUMNS}x"
    kind = f"i{bits}"
    wide = bits > 32

    def extended(name: str, shape: str) -> str:
        """The op that makes an index of an i32."""
        if not wide:
            return f"%{name} = addi %{name}n, %zero{shape} : tile<{shape}xi32>"
        return (
            f"%{name} = exti %{name}n signed : tile<{shape}xi32> -> tile<{shape}xi64>"
        )

    return f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %rows: tile<ptr<i32>>, %y: tile<ptr<f32>>) {{
    %zero{ROWS}x1 = constant <i32: 0> : tile<{ROWS}x1xi32>
    %zero1x{COLUMNS} = constant <i32: 0> : tile<1x{COLUMNS}xi32>
    %zero{ROWS}x{COLUMNS} = constant <i32: 0> : {tile}i32>
    %i0 = iota : tile<{ROWS}xi32>
    %i1 = reshape %i0 : tile<{ROWS}xi32> -> tile<{ROWS}x1xi32>
    %r1 = reshape %rows : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %r2 = broadcast %r1 : tile<1x1xptr<i32>> -> tile<{ROWS}x1xptr<i32>>
    %r3 = offset %r2, %i1 : tile<{ROWS}x1xptr<i32>>, tile<{ROWS}x1xi32>
      -> tile<{ROWS}x1xptr<i32>>
    %rn, %tr = load_ptr_tko weak %r3 : tile<{ROWS}x1xptr<i32>>
      -> tile<{ROWS}x1xi32>, token
    {extended("r", f"{ROWS}x1")}
    %stride = constant <{kind}: {STRIDE}> : tile<{ROWS}x1x{kind}>
    %first = muli %r, %stride {flag} : tile<{ROWS}x1x{kind}>
    %j0 = iota : tile<{COLUMNS}xi32>
    %jn = reshape %j0 : tile<{COLUMNS}xi32> -> tile<1x{COLUMNS}xi32>
    {extended("j", f"1x{COLUMNS}")}
    %unit = constant <{kind}: {unit}> : tile<1x{COLUMNS}x{kind}>
    %ju = muli %j, %unit {flag} : tile<1x{COLUMNS}x{kind}>
    %a = broadcast %first : tile<{ROWS}x1x{kind}> -> {tile}{kind}>
    %b = broadcast %ju : tile<1x{COLUMNS}x{kind}> -> {tile}{kind}>
    %at = addi %a, %b {flag} : {tile}{kind}>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %x2 = broadcast %x1 : tile<1x1xptr<f32>> -> {tile}ptr<f32>>
    %x3 = offset %x2, %at : {tile}ptr<f32>>, {tile}{kind}> -> {tile}ptr<f32>>
    %v, %tv = load_ptr_tko weak %x3 : {tile}ptr<f32>> -> {tile}f32>, token
    %width = constant <i32: {COLUMNS}> : tile<{ROWS}x1xi32>
    %o0 = muli %i1, %width overflow<no_signed_wrap> : tile<{ROWS}x1xi32>
    %o1 = broadcast %o0 : tile<{ROWS}x1xi32> -> {tile}i32>
    %o2 = broadcast %jn : tile<1x{COLUMNS}xi32> -> {tile}i32>
    %o3 = addi %o1, %o2 overflow<no_signed_wrap> : {tile}i32>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %y2 = broadcast %y1 : tile<1x1xptr<f32>> -> {tile}ptr<f32>>
    %y3 = offset %y2, %o3 : {tile}ptr<f32>>, {tile}i32> -> {tile}ptr<f32>>
    %done = store_ptr_tko weak %y3, %v : {tile}ptr<f32>>, {tile}f32> -> token
    return
  }}
}}"""


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("unit", [1, 3])
@pytest.mark.parametrize("flag", ["", "overflow<no_signed_wrap>"])
def test_gathered_rows(bits: int, unit: int, flag: str) -> None:
    """Also of numbers that wrap around where nothing promises that they do not."""
    height = 12
    x = np.random.default_rng(0).standard_normal(height * STRIDE + 2 * COLUMNS)
    x = x.astype(np.float32)
    rows = np.random.default_rng(1).integers(0, height, ROWS).astype(np.int32)
    stored = rows.copy()
    if not flag and bits == 32:  # STRIDE is 3 * 2^5
        stored[::2] += np.int32(1 << 27)
    y = np.zeros((ROWS, COLUMNS), np.float32)
    got = agree(gather(bits, unit, flag), [x, stored, y], num_warps=1)
    places = rows[:, None] * STRIDE + unit * np.arange(COLUMNS)
    np.testing.assert_array_equal(got[2], x[places])


@pytest.mark.parametrize("bits", [32, 64])
def test_columns_of_a_thread_are_constants(bits: int) -> None:
    """One address per row, and one for all that is stored."""
    module = cuda_tile.load(gather(bits, 1, "overflow<no_signed_wrap>").encode())
    options = cuda_tile.Options(num_warps=1)
    ptx = cuda_tile.compile(module, "sm_90", cubin=False, options=options).ptx
    pattern = r"global(?:\.v\d)?\.[bf]32 [^;]*\[(%rd\d+)"
    loads, stores = (
        re.findall(name + r"\." + pattern, ptx.replace("\t", " "))
        for name in ("ld", "st")
    )
    assert len({*loads}) <= 1 + ROWS
    assert len(stores) >= ROWS * COLUMNS // 128
    assert len({*stores}) == 1


COPY = """cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %at: tile<ptr<i32>>, %n: tile<i32>) {
    %size = assume bounded<0, ?>, %n : tile<i32>
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %p = offset %at, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %raw, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %i = assume bounded<0, ?>, %raw : tile<i32>
    %xt = make_tensor_view %x, shape = [%size], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %xv = make_partition_view %xt
      : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %yt = make_tensor_view %y, shape = [%size], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %yv = make_partition_view %yt
      : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %v, %tv = load_view_tko weak %xv[%i] :
      partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>,
      tile<i32> -> tile<64xf32>, token
    %ts = store_view_tko weak %v, %yv[%i] : tile<64xf32>,
      partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}"""


@pytest.mark.parametrize("size", [1, 64, 100, 0])
def test_tiles_far_behind_the_tensor(size: int) -> None:
    """The elements before such a tile do not fit 32 bits, or become 0 there.

    The interpreter refuses them; the compiled kernel reads padding and stores nothing.
    """
    x = np.arange(1, 129, dtype=np.float32)
    places = [0, 1, 2, (1 << 25) - 1, 1 << 25, 1 << 26, (1 << 26) + 1, (1 << 31) - 1]
    at = np.array(places, np.int32)
    for gpu in ("sm_80", "sm_90"):
        arguments = [x, np.zeros_like(x), at, np.int32(size)]
        cuda_tile.run(
            cuda_tile.load(COPY.encode()),
            grid=(len(at),),
            args=arguments,
            on="emulator",
            gpu=gpu,
            mode="adversarial",
        )
        expected = np.where(np.arange(128) < size, x, 0)
        np.testing.assert_array_equal(arguments[1], expected)
