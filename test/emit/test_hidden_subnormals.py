# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials flush what is subnormal where nobody sees it, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cuda_tile
from cuda_tile import Compiled, Options

KERNEL = """
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<{kind}>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <f32: 1.0> : tile<128xf32>
  %tiny = constant <f32: 1.0e-35> : tile<128xf32>
  %none = constant <f32: 0.0> : tile<128xf32>
  %a = make_tensor_view %x, shape = [128], strides = [1]
      : tensor_view<128xf32, strides=[1]>
  %b = make_tensor_view %y, shape = [128], strides = [1]
      : tensor_view<128x{kind}, strides=[1]>
  %pa = make_partition_view %a
      : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
  %pb = make_partition_view %b
      : partition_view<tile=(128), tensor_view<128x{kind}, strides=[1]>>
  %u, %t0 = load_view_tko weak %pa[%zero] : partition_view<tile=(128),
      tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  {lines}
  %t2 = store_view_tko weak %q, %pb[%zero] : tile<128x{kind}>,
      partition_view<tile=(128), tensor_view<128x{kind}, strides=[1]>>,
      tile<i32> -> token
  return
}} }}
"""
F32 = ": tile<128xf32>"
EXP, EXP2 = f"%p = exp %u {F32}\n  ", f"%p = exp2 %u {F32}\n  "
NARROW = "%q = ftof %p : tile<128xf32> -> tile<128x{}>"
HIDDEN = [
    (EXP + f"%q = addf %p, %one {F32}", "f32"),
    (EXP2 + f"%q = subf %one, %p {F32}", "f32"),
    (
        EXP + "%r = reshape %p : tile<128xf32> -> tile<2x64xf32>\n  "
        "%s = reshape %r : tile<2x64xf32> -> tile<128xf32>\n  "
        f"%q = addf %s, %one {F32}",
        "f32",
    ),
    (EXP2 + NARROW.format("f16"), "f16"),
]
SEEN = {
    "stored": (EXP.replace("%p", "%q"), "f32"),
    "small": (EXP + f"%q = addf %p, %tiny {F32}", "f32"),
    "zero": (EXP2 + f"%q = addf %p, %none {F32}", "f32"),
    "unknown": (EXP2 + f"%q = addf %p, %u {F32}", "f32"),
    "twice": (EXP2 + f"%q = addf %p, %p {F32}", "f32"),
    "product": (EXP2 + f"%q = mulf %p, %one {F32}", "f32"),
    "upwards": (EXP2 + f"%q = addf %p, %one rounding<positive_inf> {F32}", "f32"),
    "another use": (
        EXP2 + f"%r = addf %p, %one {F32}\n  %q = mulf %r, %p {F32}",
        "f32",
    ),
    "bf16": (EXP2 + NARROW.format("bf16"), "bf16"),
}


def compiled(lines: str, kind: str) -> tuple[Any, Compiled]:
    module = cuda_tile.load(KERNEL.format(lines=lines, kind=kind).encode())
    options = Options(gpu="sm_80", line_info=False)
    return module, cuda_tile.compile(module, cubin=False, options=options)


@pytest.mark.parametrize(("lines", "kind"), HIDDEN)
def test_hidden_ones_are_flushed(lines: str, kind: str) -> None:
    module, made = compiled(lines, kind)
    assert "ex2.approx.ftz.f32" in made.ptx
    x = np.linspace(-160, 5, 128, dtype=np.float32)
    exact, found = (np.zeros(128, "f2" if kind == "f16" else "f4") for _ in range(2))
    cuda_tile.run(module, "k", grid=(1,), args=[x, exact])
    words: dict[str, Any] = {"on": "emulator", "compiled": made}
    cuda_tile.run(module, "k", grid=(1,), args=[x, found], **words)
    assert_array_equal(found, exact)


@pytest.mark.parametrize("name", SEEN)
def test_near_misses(name: str) -> None:
    assert "ex2.approx.ftz" not in compiled(*SEEN[name])[1].ptx
