# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products of f32 go two at a time where the machine has pairs."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cuda_tile
from cuda_tile import Compiled, Options

KERNEL = """
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {{
  %n = iota : tile<{n}xi32>
  %r = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %r : tile<1xptr<f32>> -> tile<{n}xptr<f32>>
  %p = offset %b, %n : tile<{n}xptr<f32>>, tile<{n}xi32> -> tile<{n}xptr<f32>>
  %a, %t = load_ptr_tko weak %p : tile<{n}xptr<f32>> -> tile<{n}xf32>, token
  %c = {text} : tile<{n}xf32>
  %s = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %d = broadcast %s : tile<1xptr<f32>> -> tile<{n}xptr<f32>>
  %q = offset %d, %n : tile<{n}xptr<f32>>, tile<{n}xi32> -> tile<{n}xptr<f32>>
  %u = store_ptr_tko weak %q, %c : tile<{n}xptr<f32>>, tile<{n}xf32> -> token
  return
}} }}
"""
PAIRS = re.compile(r"^\s+(\w+)[\w.]*\.f32x2\s", re.MULTILINE)


def compiled(text: str, gpu: str, n: int = 512) -> Compiled:
    module = cuda_tile.load(KERNEL.format(n=n, text=text).encode())
    return cuda_tile.compile(
        module, cubin=False, options=Options(gpu=gpu, num_warps=4, line_info=False)
    )


def pairs(text: str, gpu: str, n: int = 512) -> dict[str, int]:
    return dict(Counter(PAIRS.findall(compiled(text, gpu, n).ptx)))


@pytest.mark.parametrize("gpu", ["sm_100", "sm_103"])
def test_pairs_of_four_elements(gpu: str) -> None:
    assert pairs("addf %a, %a", gpu) == {"add": 2}
    assert pairs("subf %a, %a rounding<zero>", gpu) == {"sub": 2}
    assert pairs("mulf %a, %a rounding<nearest_even> flush_to_zero", gpu) == {"mul": 2}
    assert pairs("fma %a, %a, %a", gpu) == {"fma": 2}
    assert pairs("exp %a", gpu) == {"mul": 2, "fma": 6}
    assert pairs("divf %a, %a", gpu) == {"mul": 2, "fma": 10}, (
        "quotients and remainders"
    )


def test_no_pairs() -> None:
    """Of one element a thread, of other instructions, and where ptxas splits them."""
    assert pairs("addf %a, %a", "sm_100", n=128) == {}
    for text in ("maxf %a, %a", "sqrt %a", "exp2 %a"):
        assert pairs(text, "sm_100") == {}, text
    for gpu in ("sm_90", "sm_110", "sm_120"):
        assert pairs("addf %a, %a", gpu) == {}, gpu


SPECIAL = np.array(
    [0.0, -0.0, 1e-40, -1e-40, np.inf, -np.inf, np.nan, 3e38, -3e38, 88.0, -104.0, 1.5],
    np.float32,
)


@pytest.mark.parametrize(
    "text", ["addf %a, %a", "fma %a, %a, %a rounding<positive_inf>", "exp %a"]
)
def test_bits_are_those_of_single_elements(text: str) -> None:
    x = np.random.default_rng(0).standard_normal(512).astype(np.float32) * 30
    x[: len(SPECIAL)] = SPECIAL
    single, paired = np.zeros_like(x), np.zeros_like(x)
    for gpu, y in {"sm_90": single, "sm_100": paired}.items():
        made = compiled(text, gpu)
        args, grid = [x.copy(), y], (1, 1, 1)
        module = cuda_tile.load(KERNEL.format(n=512, text=text).encode())
        cuda_tile.run(module, "k", on="emulator", compiled=made, grid=grid, args=args)
    assert_array_equal(single, paired)
