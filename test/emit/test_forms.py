# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Neighbours along rows and columns share one address, and the products in it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from emit_agree import agree

import cuda_tile
from cuda_tile import Options

HEIGHT, WIDTH, PITCH = 24, 80, 96
TILE, DOWN, RIGHT = "tile<16x32x", "tile<16x1x", "tile<1x32x"
PRODUCTS = re.compile(r"m(?:ul|ad)\.\w+\.[su]\d+ \t%rd\d+, %rd?\d+, %rd?\d+[;,]")
"""Products of two registers, in addresses."""


def gathered(name: str, down: int, right: int) -> str:
    """The lines that load `x[row + down, column + right]`, zero outside."""
    return f"""
    %{name}d = constant <i32: {down}> : tile<16x1xi32>
    %{name}e = constant <i32: {right}> : tile<1x32xi32>
    %{name}r = addi %row, %{name}d : tile<16x1xi32>
    %{name}c = addi %column, %{name}e : tile<1x32xi32>
    %{name}rw = exti %{name}r signed : tile<16x1xi32> -> tile<16x1xi64>
    %{name}cw = exti %{name}c signed : tile<1x32xi32> -> tile<1x32xi64>
    %{name}ro = cmpi less_than %{name}rw, %height, unsigned : {DOWN}i64> -> {DOWN}i1>
    %{name}co = cmpi less_than %{name}cw, %width, unsigned : {RIGHT}i64> -> {RIGHT}i1>
    %{name}rb = broadcast %{name}ro : tile<16x1xi1> -> {TILE}i1>
    %{name}cb = broadcast %{name}co : tile<1x32xi1> -> {TILE}i1>
    %{name}ok = andi %{name}rb, %{name}cb : {TILE}i1>
    %{name}s = muli %{name}rw, %pitch : tile<16x1xi64>
    %{name}sb = broadcast %{name}s : tile<16x1xi64> -> {TILE}i64>
    %{name}tb = broadcast %{name}cw : tile<1x32xi64> -> {TILE}i64>
    %{name}at = addi %{name}sb, %{name}tb : {TILE}i64>
    %{name}p = offset %xs, %{name}at : {TILE}ptr<f32>>, {TILE}i64> -> {TILE}ptr<f32>>
    %{name}, %{name}t = load_ptr_tko weak %{name}p, %{name}ok, %none :
      {TILE}ptr<f32>>, {TILE}i1>, {TILE}f32> -> {TILE}f32>, token"""


def kernel(places: dict[str, tuple[int, int]]) -> str:
    """Stores the sum of neighbours of a tile whose place the arguments give."""
    loads = "".join(gathered(name, *place) for name, place in places.items())
    first, *others = places
    sums, total = "", first
    for name in others:
        sums += f"\n    %{name}sum = addf %{total}, %{name} : {TILE}f32>"
        total = f"{name}sum"
    return f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %h: tile<i32>, %w: tile<i32>,
           %s: tile<i32>, %i: tile<i32>, %j: tile<i32>) {{
    %none = constant <f32: 0.0> : {TILE}f32>
    %h0 = assume bounded<0, ?>, %h : tile<i32>
    %w0 = assume bounded<0, ?>, %w : tile<i32>
    %h1 = exti %h0 signed : tile<i32> -> tile<i64>
    %w1 = exti %w0 signed : tile<i32> -> tile<i64>
    %s1 = exti %s signed : tile<i32> -> tile<i64>
    %h2 = reshape %h1 : tile<i64> -> tile<1x1xi64>
    %w2 = reshape %w1 : tile<i64> -> tile<1x1xi64>
    %s2 = reshape %s1 : tile<i64> -> tile<1x1xi64>
    %height = broadcast %h2 : tile<1x1xi64> -> tile<16x1xi64>
    %width = broadcast %w2 : tile<1x1xi64> -> tile<1x32xi64>
    %pitch = broadcast %s2 : tile<1x1xi64> -> tile<16x1xi64>
    %i1 = reshape %i : tile<i32> -> tile<1xi32>
    %j1 = reshape %j : tile<i32> -> tile<1xi32>
    %is = broadcast %i1 : tile<1xi32> -> tile<16xi32>
    %js = broadcast %j1 : tile<1xi32> -> tile<32xi32>
    %down = iota : tile<16xi32>
    %across = iota : tile<32xi32>
    %rows = addi %is, %down : tile<16xi32>
    %columns = addi %js, %across : tile<32xi32>
    %row = reshape %rows : tile<16xi32> -> tile<16x1xi32>
    %column = reshape %columns : tile<32xi32> -> tile<1x32xi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %xs = broadcast %x1 : tile<1x1xptr<f32>> -> {TILE}ptr<f32>>{loads}{sums}
    %flat = iota : tile<512xi32>
    %to = reshape %flat : tile<512xi32> -> {TILE}i32>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %ys = broadcast %y1 : tile<1x1xptr<f32>> -> {TILE}ptr<f32>>
    %q = offset %ys, %to : {TILE}ptr<f32>>, {TILE}i32> -> {TILE}ptr<f32>>
    %done = store_ptr_tko weak %q, %{total} : {TILE}ptr<f32>>, {TILE}f32> -> token
    return
  }}
}}"""


CROSS = {"m": (0, 0), "u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}


def products(places: dict[str, tuple[int, int]]) -> int:
    options = Options(gpu="sm_90", num_warps=4, line_info=False)
    module = cuda_tile.load(kernel(places).encode())
    done = cuda_tile.compile(module, cubin=False, options=options)
    return len(PRODUCTS.findall(done.ptx))


def test_neighbours_share_one_product() -> None:
    """Of the pitch with the thread's first row."""
    assert products({"m": (0, 0)}) == 1
    assert products(CROSS) == 1


def test_what_a_mask_may_show_where_it_wraps_shares_nothing() -> None:
    """Two rows above: of the first row of all this is the last but one."""
    assert products({"m": (0, 0), "u": (-2, 0)}) > 1


@pytest.mark.parametrize("place", [(0, 0), (16, 64), (-8, -5), (2**31 - 8, 2**31 - 3)])
def test_sums_of_neighbours(place: tuple[int, int]) -> None:
    """At every end, and where rows and columns wrap around."""
    x = np.random.default_rng(0).standard_normal(HEIGHT * PITCH).astype(np.float32)
    y = np.zeros(512, np.float32)
    agree(kernel(CROSS), [x, y, HEIGHT, WIDTH, PITCH, *place])
