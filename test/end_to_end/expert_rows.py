# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that a table names, times the matrix of an expert: as fused mixtures have it.

A tile block takes some entries of a table of tokens, which name rows of a flat array,
and the expert of its rows, one of a stack of matrices that lie as N x K and are loaded
in the order (0, 2, 1). Entries beyond the tokens name no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_TEXT = """
cuda_tile.module @experts {{
  entry @rows(%x: tile<ptr<bf16>>, %w: tile<ptr<bf16>>, %y: tile<ptr<bf16>>,
              %names: tile<ptr<i32>>, %owners: tile<ptr<i32>>, %tokens: tile<i32>,
              %count: tile<i32>, %n0: tile<i32>, %k0: tile<i32>) {{
    %wa = assume div_by<{base}>, %w : tile<ptr<bf16>>
    %xa = assume div_by<{base}>, %x : tile<ptr<bf16>>
    %nb = assume bounded<0, ?>, %n0 : tile<i32>
    %n = assume div_by<{extent}>, %nb : tile<i32>
    %kb = assume bounded<0, ?>, %k0 : tile<i32>
    %depth = assume div_by<{extent}>, %kb : tile<i32>
    %size = muli %n, %depth : tile<i32>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tile_m = constant <i32: {m}> : tile<i32>
    %tile_k = constant <i32: {k}> : tile<i32>
    %tile_n = constant <i32: {n}> : tile<i32>
    %po = offset %owners, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %expert, %to = load_ptr_tko weak %po : tile<ptr<i32>> -> tile<i32>, token
    %first = muli %i, %tile_m : tile<i32>
    %f1 = reshape %first : tile<i32> -> tile<1xi32>
    %f2 = broadcast %f1 : tile<1xi32> -> tile<{m}xi32>
    %lane = iota : tile<{m}xi32>
    %place = addi %f2, %lane : tile<{m}xi32>
    %pn1 = reshape %names : tile<ptr<i32>> -> tile<1xptr<i32>>
    %pn2 = broadcast %pn1 : tile<1xptr<i32>> -> tile<{m}xptr<i32>>
    %pn = offset %pn2, %place : tile<{m}xptr<i32>>, tile<{m}xi32> -> tile<{m}xptr<i32>>
    %name, %tn = load_ptr_tko weak %pn : tile<{m}xptr<i32>> -> tile<{m}xi32>, token
    %name1 = reshape %name : tile<{m}xi32> -> tile<{m}x1xi32>
    %tokens1 = reshape %tokens : tile<i32> -> tile<1x1xi32>
    %tokens2 = broadcast %tokens1 : tile<1x1xi32> -> tile<{m}x1xi32>
    %is_row = cmpi less_than %name1, %tokens2, signed
      : tile<{m}x1xi32> -> tile<{m}x1xi1>
    %d1 = reshape %depth : tile<i32> -> tile<1x1xi32>
    %d2 = broadcast %d1 : tile<1x1xi32> -> tile<{m}x1xi32>
    %begin = muli %name1, %d2 : tile<{m}x1xi32>
    %begin2 = broadcast %begin : tile<{m}x1xi32> -> tile<{m}x{k}xi32>
    %is_row2 = broadcast %is_row : tile<{m}x1xi1> -> tile<{m}x{k}xi1>
    %d3 = broadcast %d1 : tile<1x1xi32> -> tile<{m}x{k}xi32>
    %px1 = reshape %xa : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %px2 = broadcast %px1 : tile<1x1xptr<bf16>> -> tile<{m}x{k}xptr<bf16>>
    %pad = constant <bf16: 0.0> : tile<{m}x{k}xbf16>
    %wv = make_tensor_view %wa, shape = [%count, %n, %depth],
      strides = [%size, %depth, 1]
      : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %wp = make_partition_view %wv : {part}
    %iterations = divi %depth, %tile_k signed rounding<positive_inf> : tile<i32>
    %none = constant <f32: 0.0> : tile<{m}x{n}xf32>
    %sum = for %t in (%zero to %iterations, step %one) : tile<i32>
        iter_values(%acc = %none) -> (tile<{m}x{n}xf32>) {{
      %c0 = muli %t, %tile_k : tile<i32>
      %c1 = reshape %c0 : tile<i32> -> tile<1x1xi32>
      %c2 = broadcast %c1 : tile<1x1xi32> -> tile<1x{k}xi32>
      %c3 = iota : tile<{k}xi32>
      %c4 = reshape %c3 : tile<{k}xi32> -> tile<1x{k}xi32>
      %c5 = addi %c2, %c4 : tile<1x{k}xi32>
      %c6 = broadcast %c5 : tile<1x{k}xi32> -> tile<{m}x{k}xi32>
      %is_column = cmpi less_than %c6, %d3, signed
        : tile<{m}x{k}xi32> -> tile<{m}x{k}xi1>
      %is_there = andi %is_row2, %is_column : tile<{m}x{k}xi1>
      %at = addi %begin2, %c6 : tile<{m}x{k}xi32>
      %px = offset %px2, %at
        : tile<{m}x{k}xptr<bf16>>, tile<{m}x{k}xi32> -> tile<{m}x{k}xptr<bf16>>
      %a, %ta = load_ptr_tko weak %px, %is_there, %pad
        : tile<{m}x{k}xptr<bf16>>, tile<{m}x{k}xi1>, tile<{m}x{k}xbf16>
        -> tile<{m}x{k}xbf16>, token
      %b0, %tb = load_view_tko weak %wp[%expert, %t, %j]
        : {part}, tile<i32> -> tile<1x{k}x{n}xbf16>, token
      %b = reshape %b0 : tile<1x{k}x{n}xbf16> -> tile<{k}x{n}xbf16>
      %next = mmaf %a, %b, %acc
        : tile<{m}x{k}xbf16>, tile<{k}x{n}xbf16>, tile<{m}x{n}xf32>
      continue %next : tile<{m}x{n}xf32>
    }}
    %out = ftof %sum : tile<{m}x{n}xf32> -> tile<{m}x{n}xbf16>
    %s0 = muli %j, %tile_n : tile<i32>
    %s1 = reshape %s0 : tile<i32> -> tile<1x1xi32>
    %s2 = broadcast %s1 : tile<1x1xi32> -> tile<1x{n}xi32>
    %s3 = iota : tile<{n}xi32>
    %s4 = reshape %s3 : tile<{n}xi32> -> tile<1x{n}xi32>
    %s5 = addi %s2, %s4 : tile<1x{n}xi32>
    %s6 = broadcast %s5 : tile<1x{n}xi32> -> tile<{m}x{n}xi32>
    %e1 = reshape %n : tile<i32> -> tile<1x1xi32>
    %e2 = broadcast %e1 : tile<1x1xi32> -> tile<{m}x1xi32>
    %e3 = muli %name1, %e2 : tile<{m}x1xi32>
    %e4 = broadcast %e3 : tile<{m}x1xi32> -> tile<{m}x{n}xi32>
    %e5 = addi %e4, %s6 : tile<{m}x{n}xi32>
    %e6 = broadcast %e1 : tile<1x1xi32> -> tile<{m}x{n}xi32>
    %is_in = cmpi less_than %s6, %e6, signed : tile<{m}x{n}xi32> -> tile<{m}x{n}xi1>
    %is_row3 = broadcast %is_row : tile<{m}x1xi1> -> tile<{m}x{n}xi1>
    %is_stored = andi %is_in, %is_row3 : tile<{m}x{n}xi1>
    %py1 = reshape %y : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %py2 = broadcast %py1 : tile<1x1xptr<bf16>> -> tile<{m}x{n}xptr<bf16>>
    %py = offset %py2, %e5
      : tile<{m}x{n}xptr<bf16>>, tile<{m}x{n}xi32> -> tile<{m}x{n}xptr<bf16>>
    %ts = store_ptr_tko weak %py, %out, %is_stored
      : tile<{m}x{n}xptr<bf16>>, tile<{m}x{n}xbf16>, tile<{m}x{n}xi1> -> token
    return
  }}
}}
"""


@dataclass(frozen=True)
class ExpertRows:
    """Rows times the matrices of experts, by the tile of one CTA.

    Attributes:
        tile: Extents M, N, K of an iteration.
        is_aligned: Whether bases and extents are multiples of 16.
    """

    tile: tuple[int, int, int]
    is_aligned: bool = True

    def text(self) -> str:
        """The kernel."""
        m, n, k = self.tile
        base, extent = (16, 16) if self.is_aligned else (1, 1)
        part = (
            f"partition_view<tile=(1x{k}x{n}), padding_value = zero, "
            "tensor_view<?x?x?xbf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>"
        )
        return _TEXT.format(m=m, n=n, k=k, base=base, extent=extent, part=part)

    def launch(
        self, n: int, k: int
    ) -> tuple[tuple[int, int], list[Any], NDArray[np.float32]]:
        """A launch of four blocks of rows on three experts.

        Args:
            n: Columns of the result.
            k: Elements of a row.

        Returns:
            The grid, the arguments, of which the third is written, and its values.
        """
        m, tile_n, _ = self.tile
        rng, tokens = np.random.default_rng(0), 3 * m
        x, w = (
            rng.integers(-2, 3, shape).astype(ml_dtypes.bfloat16)
            for shape in ((tokens, k), (3, n, k))
        )
        names = np.concatenate([rng.permutation(tokens), np.full(m, tokens)])
        names[m - 1], names[3 * m] = tokens, names[m - 1]  # one row is padding
        owners = np.array([2, 0, 1, 1])
        y = np.zeros((tokens, n), np.float32)
        for place, name in enumerate(names):
            if name < tokens:
                y[name] = x[name].astype("f4") @ w[owners[place // m]].astype("f4").T
        out = np.zeros((tokens, n), ml_dtypes.bfloat16)
        tables = [names.astype(np.int32), owners.astype(np.int32)]
        args = [x.ravel(), w.ravel(), out.ravel(), *tables, tokens, 3, n, k]
        return (len(owners), -(-n // tile_n)), args, y
