# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batched products whose tiles are single matrices run as products of matrices do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile

M, N, K = 128, 64, 64
BATCHES, DEPTH = 2, 192
ENGINES = {"sm_80": "mma.sync", "sm_90": "wgmma.mma", "sm_100": "tcgen05.mma"}


def _view(name: str, sizes: str, tile: str, element: str) -> tuple[str, str]:
    """Ops that make `%wNAME`, a view of tiles of an array in batches, and its type."""
    rows, columns = sizes
    tensor = f"tensor_view<?x?x?x{element}, strides=[?,?,1]>"
    view = f"partition_view<tile=(1x{tile}), padding_value = zero, {tensor}>"
    return (
        f"""
    %p{name} = assume div_by<16>, %q{name} : tile<ptr<{element}>>
    %s{name}0 = muli %{rows}, %{columns} : tile<i32>
    %s{name}1 = assume div_by<16>, %s{name}0 : tile<i32>
    %s{name} = assume bounded<0, ?>, %s{name}1 : tile<i32>
    %v{name} = make_tensor_view %p{name}, shape = [%g, %{rows}, %{columns}],
      strides = [%s{name}, %{columns}, 1] : tile<i32> -> {tensor}
    %w{name} = make_partition_view %v{name} : {view}""",
        view,
    )


def kernel() -> str:
    """C = A @ B of matrices in batches, one of them for each tile block."""
    acc, a, b = f"1x{M}x{N}xf32", f"1x{M}x{K}xf16", f"1x{K}x{N}xf16"
    (make_a, of_a), (make_b, of_b), (make_c, of_c) = (
        _view("a", "mk", f"{M}x{K}", "f16"),
        _view("b", "kn", f"{K}x{N}", "f16"),
        _view("c", "mn", f"{M}x{N}", "f32"),
    )
    sizes = "".join(
        f"""
    %{x}1 = assume div_by<16>, %q{x} : tile<i32>
    %{x} = assume bounded<0, ?>, %{x}1 : tile<i32>"""
        for x in "mnk"
    )
    return f"""cuda_tile.module @m {{
  entry @k(%qa: tile<ptr<f16>>, %qb: tile<ptr<f16>>, %qc: tile<ptr<f32>>,
      %qg: tile<i32>, %qm: tile<i32>, %qn: tile<i32>, %qk: tile<i32>) {{{sizes}
    %g = assume bounded<0, ?>, %qg : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %depth = constant <i32: {K}> : tile<i32>
    %turns = divi %k, %depth signed rounding<positive_inf> : tile<i32>
    %begin = constant <f32: 3.0> : tile<{acc}>
    %bx, %by, %bz = get_tile_block_id : tile<i32>{make_a}{make_b}{make_c}
    %f = for %i in (%z to %turns, step %one) : tile<i32>
        iter_values(%acc = %begin) -> (tile<{acc}>) {{
      %a, %ta = load_view_tko weak %wa[%bz, %bx, %i] : {of_a}, tile<i32>
        -> tile<{a}>, token
      %b, %tb = load_view_tko weak %wb[%bz, %i, %by] : {of_b}, tile<i32>
        -> tile<{b}>, token
      %p = mmaf %a, %b, %acc : tile<{a}>, tile<{b}>, tile<{acc}>
      continue %p : tile<{acc}>
    }}
    %s = store_view_tko weak %f, %wc[%bz, %bx, %by] : tile<{acc}>, {of_c}, tile<i32>
      -> token
    return
  }}
}}"""


def run(module: Any, **how: Any) -> None:
    """Runs the kernel; its sums of small whole numbers are exact."""
    rng = np.random.default_rng(0)
    m, n = M + 16, N + 16
    a, b = (
        rng.integers(-4, 5, (BATCHES, *shape)).astype(np.float16)
        for shape in ((m, DEPTH), (DEPTH, n))
    )
    c = np.full((BATCHES, m, n), np.nan, np.float32)
    grid = -(-m // M), -(-n // N), BATCHES
    cuda_tile.run(module, grid=grid, args=[a, b, c, BATCHES, m, n, DEPTH], **how)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32) + 3)


@pytest.mark.parametrize("level", ["unit_batches", "place", "stage", "barriers"])
@pytest.mark.parametrize("gpu", ENGINES)
def test_the_interpreter_agrees(gpu: str, level: str) -> None:
    run(cuda_tile.lower(cuda_tile.load(kernel().encode()), gpu, until=level))


@pytest.mark.parametrize("gpu", ENGINES)
def test_the_engine_of_matrices_multiplies(gpu: str) -> None:
    module = cuda_tile.load(kernel().encode())
    compiled = cuda_tile.compile(module, gpu)
    assert ENGINES[gpu] in compiled.ptx
    assert ("cp.async.bulk.tensor.3d" in compiled.ptx) == (gpu != "sm_80")
    run(module, compiled=compiled, on="emulator", gpu=gpu, mode="adversarial")
