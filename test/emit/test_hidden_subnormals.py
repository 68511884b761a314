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
MAXIMUM = """%r = reshape %u : tile<128xf32> -> tile<2x64xf32>
  %m = reduce %r dim={dim} identities=[0xFF800000 : f32]
      : tile<2x64xf32> -> tile<{rest}xf32> (%i: tile<f32>, %j: tile<f32>) {{
    %most = maxf %i, %j : tile<f32>
    yield %most : tile<f32>
  }}
  %column = reshape %m : tile<{rest}xf32> -> tile<{kept}xf32>
  %all = broadcast %column : tile<{kept}xf32> -> tile<2x64xf32>
  %below = subf %r, %all : tile<2x64xf32>
  %p = exp %below : tile<2x64xf32>
  """
SUM = """%t = reduce %p dim={dim} identities=[0.0 : f32]
      : tile<2x64xf32> -> tile<{rest}xf32> (%i: tile<f32>, %j: tile<f32>) {{
    %total = {add} : tile<f32>
    yield %total : tile<f32>
  }}
  %totals = reshape %t : tile<{rest}xf32> -> tile<{kept}xf32>
  %sum = broadcast %totals : tile<{kept}xf32> -> tile<2x64xf32>
  """
FLAT = "%q = reshape {} : tile<2x64x{}> -> tile<128x{}>"
SHARE = "%share = divf %p, %sum : tile<2x64xf32>\n  "
HALF = "%half = ftof %share : tile<2x64xf32> -> tile<2x64xf16>\n  "
ROW, COLUMN = (
    {"dim": 1, "rest": 2, "kept": "2x1"},
    {"dim": 0, "rest": 64, "kept": "1x64"},
)
ADD = "addf %i, %j"
ROW_MAXIMUM, ROW_SUM = MAXIMUM.format(**ROW), SUM.format(add=ADD, **ROW)
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
    (ROW_MAXIMUM + ROW_SUM + FLAT.format("%sum", "f32", "f32"), "f32"),
    (ROW_MAXIMUM + ROW_SUM + SHARE + HALF + FLAT.format("%half", "f16", "f16"), "f16"),
    (
        "%three = constant <f32: 3.0> : tile<128xf32>\n  "
        + EXP
        + f"%s = divf %p, %three {F32}\n  %q = addf %s, %one {F32}",
        "f32",
    ),
]
SEEN = {
    "a share of f32": (
        ROW_MAXIMUM + ROW_SUM + SHARE + FLAT.format("%share", "f32", "f32"),
        "f32",
    ),
    "a sum across rows": (
        ROW_MAXIMUM + SUM.format(add=ADD, **COLUMN) + FLAT.format("%sum", "f32", "f32"),
        "f32",
    ),
    "a product of powers": (
        ROW_MAXIMUM
        + SUM.format(add="mulf %i, %j", **ROW)
        + FLAT.format("%sum", "f32", "f32"),
        "f32",
    ),
    "a sum rounded up": (
        ROW_MAXIMUM
        + SUM.format(add=ADD + " rounding<positive_inf>", **ROW)
        + FLAT.format("%sum", "f32", "f32"),
        "f32",
    ),
    "below another maximum": (
        ROW_MAXIMUM.replace("subf %r", "subf %other").replace(
            "%m =",
            f"%v = addf %u, %one {F32}\n  %other = reshape %v "
            ": tile<128xf32> -> tile<2x64xf32>\n  %m =",
        )
        + ROW_SUM
        + FLAT.format("%sum", "f32", "f32"),
        "f32",
    ),
    "no maximum": (
        f"%w = exp %u {F32}\n  %p = reshape %w : tile<128xf32> -> tile<2x64xf32>\n  "
        + ROW_SUM
        + FLAT.format("%sum", "f32", "f32"),
        "f32",
    ),
    "a share of less than one": (
        "%three = constant <f32: 0.9> : tile<128xf32>\n  "
        + EXP
        + f"%s = divf %p, %three {F32}\n  %q = addf %s, %one {F32}",
        "f32",
    ),
    "a divisor": (EXP + f"%s = divf %one, %p {F32}\n  %q = addf %s, %one {F32}", "f32"),
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
