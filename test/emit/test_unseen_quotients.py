# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dividends are tested for tiny ones only where there may be some and one sees them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import cuda_tile
from cuda_tile import Compiled, Options

KERNEL = """
cuda_tile.module @m {{ entry @k(%r: tile<ptr<{source}>>, %s: tile<ptr<f32>>,
                                %t: tile<ptr<{target}>>) {{
  %x = assume div_by<16>, %r : tile<ptr<{source}>>
  %z = assume div_by<16>, %t : tile<ptr<{target}>>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [32, 64], strides = [64, 1]
      : tensor_view<32x64x{source}, strides=[64,1]>
  %b = make_tensor_view %s, shape = [32, 1], strides = [1, 1]
      : tensor_view<32x1xf32, strides=[1,1]>
  %c = make_tensor_view %z, shape = [32, 64], strides = [64, 1]
      : tensor_view<32x64x{target}, strides=[64,1]>
  %pa = make_partition_view %a : partition_view<tile=(32x64),
      tensor_view<32x64x{source}, strides=[64,1]>>
  %pb = make_partition_view %b : partition_view<tile=(32x1),
      tensor_view<32x1xf32, strides=[1,1]>>
  %pc = make_partition_view %c : partition_view<tile=(32x64),
      tensor_view<32x64x{target}, strides=[64,1]>>
  %u, %t0 = load_view_tko weak %pa[%zero, %zero] : partition_view<tile=(32x64),
      tensor_view<32x64x{source}, strides=[64,1]>>, tile<i32>
      -> tile<32x64x{source}>, token
  %v, %t1 = load_view_tko weak %pb[%zero, %zero] : partition_view<tile=(32x1),
      tensor_view<32x1xf32, strides=[1,1]>>, tile<i32> -> tile<32x1xf32>, token
  %w = broadcast %v : tile<32x1xf32> -> tile<32x64xf32>
  {dividend}
  %q = divf %d, %w : tile<32x64xf32>
  {result}
  %t2 = store_view_tko weak %o, %pc[%zero, %zero] : tile<32x64x{target}>,
      partition_view<tile=(32x64), tensor_view<32x64x{target}, strides=[64,1]>>,
      tile<i32> -> token
  return
}} }}
"""
F32 = ": tile<32x64xf32>"
SIZE, SQUARE = f"%d = absf %u {F32}", f"%d = mulf %u, %u {F32}"
SAME, SUM = f"%o = absf %q {F32}", f"%o = addf %q, %q {F32}"
WIDE = "%d = ftof %u : tile<32x64x{}> -> tile<32x64xf32>"
COUNT = "%d = itof %u signed : tile<32x64xi32> -> tile<32x64xf32>"
NARROW = "%o = ftof %q : tile<32x64xf32> -> tile<32x64x{}>"
LATER = f"%e = addf %q, %q {F32}\n  " + NARROW.format("f16").replace("%q", "%e")
TYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i32": np.int32,
}


def text(source: str, dividend: str, result: str, target: str) -> str:
    words = {"source": source, "target": target}
    return KERNEL.format(**words, dividend=dividend, result=result)


def compiled(*words: str) -> Compiled:
    options = Options(gpu="sm_80", num_warps=4, line_info=False)
    module = cuda_tile.load(text(*words).encode())
    return cuda_tile.compile(module, cubin=False, options=options)


UNTESTED = [
    ("f32", SIZE, NARROW.format("f16"), "f16"),
    ("f32", SQUARE, NARROW.format("f16"), "f16"),
    ("f16", WIDE.format("f16"), SUM, "f32"),
    ("i32", COUNT, SUM, "f32"),
]
SEEN = [
    ("f32", SIZE, NARROW.format("bf16"), "bf16"),
    ("f32", SIZE, LATER, "f16"),
    ("f32", SIZE, SAME, "f32"),
    ("f32", f"%d = negf %u {F32}", NARROW.format("f16"), "f16"),
    ("bf16", WIDE.format("bf16"), SUM, "f32"),
]


def test_where_tiny_dividends_are_looked_for() -> None:
    for words in UNTESTED:
        made = compiled(*words)
        assert "min.u32" not in made.ptx
        assert "rcp.approx" in made.ptx
    for words in SEEN:
        assert "min.u32" in compiled(*words).ptx


def test_powers_of_what_is_not_positive_are_not_large() -> None:
    below = f"%m = absf %u {F32}\n  %n = negf %m {F32}\n  %d = exp %n {F32}"
    assert "max.f32" not in compiled("f32", below, SUM, "f32").ptx
    for near_miss in (below.replace("exp %n", "exp %m"), f"%d = exp %u {F32}"):
        assert "max.f32" in compiled("f32", near_miss, SUM, "f32").ptx


@pytest.mark.parametrize("words", [*UNTESTED, SEEN[0]])
def test_quotients(words: tuple[str, str, str, str]) -> None:
    """Of dividends of each magnitude, by divisors from 2^-32 to 2^31."""
    source, _, _, target = words
    rng = np.random.default_rng(3)
    low, high = {"f16": (-24, 16), "i32": (0, 30)}.get(source, (-149, 120))
    x = rng.uniform(-2, 2, (32, 64)) * np.exp2(rng.integers(low, high, (32, 1)))
    x[:, ::8], x[:, 3::8] = 0.0, -(2.0**low)
    operands = x.astype(TYPES[source])
    exponents = np.arange(32) * 31 % 64 - 32
    divisors = (rng.uniform(1, 2, 32) * 2.0**exponents).astype(np.float32)[:, None]
    with np.errstate(all="ignore"):
        wide = operands.astype(np.float32)
        dividends = {SIZE: np.abs(wide), SQUARE: wide * wide}.get(words[1], wide)
        exact = dividends / divisors
        exact = exact + exact if target == "f32" else exact.astype(TYPES[target])
    made = np.zeros((32, 64), TYPES[target])
    args: list[Any] = [operands, divisors, made]
    options: dict[str, Any] = {"mode": "adversarial", "seed": 1}
    module = cuda_tile.load(text(*words).encode())
    options["compiled"] = compiled(*words)
    cuda_tile.run(module, "k", grid=(1,), args=args, on="emulator", **options)
    assert_array_equal(made.astype(np.float32), exact.astype(np.float32))
    assert_array_equal(np.signbit(made), np.signbit(exact))
