# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roots that have one test are those of IEEE 754."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from rounded import Floats, fma

import cuda_tile
from cuda_tile import Compiled, Options

COUNT = 2048
KERNEL = """
cuda_tile.module @m {{ entry @k(%r: tile<ptr<f32>>, %t: tile<ptr<f32>>) {{
  %x = assume div_by<16>, %r : tile<ptr<f32>>
  %z = assume div_by<16>, %t : tile<ptr<f32>>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [{n}], strides = [1]
      : tensor_view<{n}xf32, strides=[1]>
  %c = make_tensor_view %z, shape = [{n}], strides = [1]
      : tensor_view<{n}xf32, strides=[1]>
  %pa = make_partition_view %a
      : partition_view<tile=({n}), tensor_view<{n}xf32, strides=[1]>>
  %pc = make_partition_view %c
      : partition_view<tile=({n}), tensor_view<{n}xf32, strides=[1]>>
  %u, %t0 = load_view_tko weak %pa[%zero] : partition_view<tile=({n}),
      tensor_view<{n}xf32, strides=[1]>>, tile<i32> -> tile<{n}xf32>, token
  %q = sqrt %u {rounding}: tile<{n}xf32>
  %t2 = store_view_tko weak %q, %pc[%zero] : tile<{n}xf32>,
      partition_view<tile=({n}), tensor_view<{n}xf32, strides=[1]>>,
      tile<i32> -> token
  return
}} }}
"""


def compiled(rounding: str = "", gpu: str = "sm_80", n: int = COUNT) -> Compiled:
    module = cuda_tile.load(KERNEL.format(rounding=rounding, n=n).encode())
    options = Options(gpu=gpu, num_warps=4, line_info=False)
    return cuda_tile.compile(module, cubin=False, options=options)


def roots(operands: Floats, kernel: Compiled) -> Floats:
    made = np.zeros_like(operands)
    args: list[Any] = [operands, made]
    words: dict[str, Any] = {"mode": "adversarial", "seed": 1, "compiled": kernel}
    module = cuda_tile.load(KERNEL.format(rounding="", n=COUNT).encode())
    cuda_tile.run(module, "k", grid=(1,), args=args, on="emulator", **words)
    return made


SINGLE, IN_PAIRS = compiled(), compiled(gpu="sm_100")


def test_from_all_that_the_reciprocal_root_may_be() -> None:
    """Two are wrong after one correction, and some are tried of all others."""
    wrong_at_first = np.array([0x3FFC114A, 0x406E9372], np.int32).view(np.float32)
    some = np.arange(0x3F800000, 0x40800000, 101, dtype=np.int32).view(np.float32)
    x = np.concatenate([wrong_at_first, some])
    exact = 1 / np.sqrt(x.astype(np.float64))
    missed: set[int] = set()
    for off in range(-3, 4):
        y = (exact.astype(np.float32).view(np.int32) + np.int32(off)).view(np.float32)
        is_allowed = np.abs(y - exact) <= 2**-22.9 * exact
        half, root = y * np.float32(0.5), x * y
        once = fma(fma(-root, root, x), half, root)
        twice = fma(fma(-once, once, x), half, once)
        missed |= {*np.flatnonzero(is_allowed & (once != np.sqrt(x)))}
        assert_array_equal(twice[is_allowed], np.sqrt(x)[is_allowed])
    assert {0, 1} <= missed


@pytest.mark.parametrize("kernel", [SINGLE, IN_PAIRS])
def test_magnitudes(kernel: Compiled) -> None:
    """All, a thread's all of one, so that no other is why they are taken one by one.

    A thread has four neighbours, and those that are 512 further.
    """
    rng, exponents = np.random.default_rng(8), np.arange(-149, 128)
    thread = np.arange(COUNT) % 512 // 4
    for first in (*range(0, len(exponents), 128), *[30] * 4):
        spread = thread % 20 if first == 30 else thread  # roots down to 2^-60
        size = np.exp2(np.take(exponents, first + spread, mode="wrap"))
        x = rng.uniform(1, 2, COUNT) * size
        x = x.astype(np.float32)
        assert_array_equal(roots(x, kernel), np.sqrt(x))


@pytest.mark.parametrize("kernel", [SINGLE, IN_PAIRS])
def test_what_is_special(kernel: Compiled) -> None:
    """One of a group's eight, so that each is told apart by itself."""
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1e-45, -1e-45, 3.4e38, 1e-31]
    x = np.random.default_rng(5).uniform(1, 9, COUNT).astype(np.float32)
    x[:: 8 * 32][: len(special)] = special[: len(x[:: 8 * 32])]
    x[5 :: 8 * 16][: len(special)] = special
    with np.errstate(invalid="ignore"):
        exact = np.sqrt(x)
    found = roots(x, kernel)
    assert_array_equal(found, exact)
    assert_array_equal(np.signbit(found)[x == 0], np.signbit(exact)[x == 0])


def test_where_roots_are_joint() -> None:
    for made in (SINGLE, IN_PAIRS):
        assert "rsqrt.approx" in made.ptx
    assert SINGLE.ptx.count("fma.rn.f32 ") == 16 * 4  # of each two corrections
    for near_miss in (
        compiled("rounding<zero> "),
        compiled("rounding<approx> "),
        compiled("flush_to_zero "),
        compiled(gpu="sm_75"),
        compiled(n=256),  # two of a thread
    ):
        assert "rsqrt.approx" not in near_miss.ptx
