# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products in f16 and bf16 are those that f32 narrows, to the last bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cuda_tile
from cuda_tile._mlir.passmanager import PassManager

N = 16384
KERNEL = """
cuda_tile.module @m {{ entry @k(%r: tile<ptr<{ty}>>, %s: tile<ptr<{ty}>>,
                                %t: tile<ptr<{ty}>>) {{
  %i = iota : tile<{n}xi32>
  %p = reshape %r : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>
  %pb = broadcast %p : tile<1xptr<{ty}>> -> tile<{n}xptr<{ty}>>
  %q = reshape %s : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>
  %qb = broadcast %q : tile<1xptr<{ty}>> -> tile<{n}xptr<{ty}>>
  %o = reshape %t : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>
  %ob = broadcast %o : tile<1xptr<{ty}>> -> tile<{n}xptr<{ty}>>
  %pi = offset %pb, %i : tile<{n}xptr<{ty}>>, tile<{n}xi32> -> tile<{n}xptr<{ty}>>
  %qi = offset %qb, %i : tile<{n}xptr<{ty}>>, tile<{n}xi32> -> tile<{n}xptr<{ty}>>
  %oi = offset %ob, %i : tile<{n}xptr<{ty}>>, tile<{n}xi32> -> tile<{n}xptr<{ty}>>
  %x, %t0 = load_ptr_tko weak %pi : tile<{n}xptr<{ty}>> -> tile<{n}x{ty}>, token
  %y, %t1 = load_ptr_tko weak %qi : tile<{n}xptr<{ty}>> -> tile<{n}x{ty}>, token
  %a = ftof %x : tile<{n}x{ty}> -> tile<{n}xf32>
  %b = ftof %y : tile<{n}x{ty}> -> tile<{n}xf32>
  %c = {op} %a, %b : tile<{n}xf32>
  %d = ftof %c : tile<{n}xf32> -> tile<{n}x{ty}>
  %t2 = store_ptr_tko weak %oi, %d : tile<{n}xptr<{ty}>>, tile<{n}x{ty}> -> token
  return
}} }}
"""
TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("op", ["addf", "subf", "mulf"])
@pytest.mark.parametrize("ty", ["f16", "bf16"])
def test_all_codes(ty: str, op: str) -> None:
    """Random codes, and with those that are near in size."""
    text = KERNEL.format(ty=ty, op=op, n=N).encode()
    before, after = cuda_tile.load(text), cuda_tile.load(text)
    with after.context:
        PassManager.parse("any(fold-constants)").run(after.operation)
    assert ("tile<16384xf32>" in str(after)) == ((ty, op) == ("bf16", "mulf"))
    rng = np.random.default_rng(3)
    for spread in (1 << 16, 1 << 12):
        x = rng.integers(0, 1 << 16, N).astype(np.uint16)
        y = (x ^ rng.integers(0, spread, N)).astype(np.uint16)
        found: list[Any] = []
        for module in (before, after):
            out = np.zeros(N, TYPES[ty])
            args: list[Any] = [x.view(TYPES[ty]), y.view(TYPES[ty]), out]
            cuda_tile.run(module, "k", grid=(1,), args=args)
            found.append(out)
        is_number = ~np.isnan(found[0].astype(np.float32))
        bits = [each.view(np.uint16)[is_number] for each in found]
        assert_array_equal(*bits)
        assert np.isnan(found[1].astype(np.float32)[~is_number]).all()
