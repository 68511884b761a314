# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""f8E5M3FNU, which LLVM lacks: moved as bytes, converted in software, bit for bit."""

from typing import Any

import numpy as np
import pytest

import cuda_tile

N = 512
POINTERS = """
    %{0}1 = reshape %{0} : tile<ptr<{1}>> -> tile<1xptr<{1}>>
    %{0}b = broadcast %{0}1 : tile<1xptr<{1}>> -> tile<{2}xptr<{1}>>
    %{0}p = offset %{0}b, %i : tile<{2}xptr<{1}>>, tile<{2}xi32> -> tile<{2}xptr<{1}>>
"""
E5M3 = "fnv8E5M3FNU"


def pointers(name: str, element: str, n: int = N) -> str:
    """Ops that make pointers to `n` elements behind each other."""
    return POINTERS.format(name, element, n)


ROUND_TRIP = f"""
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{E5M3}>>, %f: tile<ptr<f32>>, %h: tile<ptr<f16>>,
           %n: tile<ptr<i32>>, %r: tile<ptr<{E5M3}>>) {{
    %i = iota : tile<256xi32>
    {pointers("p", E5M3, 256)} {pointers("f", "f32", 256)} {pointers("h", "f16", 256)}
    {pointers("n", "i32", 256)} {pointers("r", E5M3, 256)}
    %x, %t = load_ptr_tko weak %pp : tile<256xptr<{E5M3}>> -> tile<256x{E5M3}>, token
    %y = ftof %x : tile<256x{E5M3}> -> tile<256xf32>
    %z = ftof %x : tile<256x{E5M3}> -> tile<256xf16>
    %w = ftoi %x signed saturating : tile<256x{E5M3}> -> tile<256xi32>
    %c = constant <{E5M3}: 1.5> : tile<256x{E5M3}>
    %least = constant <i32: 16> : tile<256xi32>
    %m = cmpi less_than %i, %least, signed : tile<256xi32> -> tile<256xi1>
    %s = select %m, %c, %x : tile<256xi1>, tile<256x{E5M3}>
    %t0 = store_ptr_tko weak %fp, %y : tile<256xptr<f32>>, tile<256xf32> -> token
    %t1 = store_ptr_tko weak %hp, %z : tile<256xptr<f16>>, tile<256xf16> -> token
    %t2 = store_ptr_tko weak %np, %w : tile<256xptr<i32>>, tile<256xi32> -> token
    %t3 = store_ptr_tko weak %rp, %s : tile<256xptr<{E5M3}>>, tile<256x{E5M3}> -> token
    return
  }}
}}
"""
NARROW = f"""
cuda_tile.module @m {{
  entry @k(%f: tile<ptr<f32>>, %d: tile<ptr<f64>>, %r: tile<ptr<{E5M3}>>,
           %q: tile<ptr<{E5M3}>>) {{
    %i = iota : tile<{N}xi32>
    {pointers("f", "f32")} {pointers("d", "f64")} {pointers("r", E5M3)}
    {pointers("q", E5M3)}
    %x, %t = load_ptr_tko weak %fp : tile<{N}xptr<f32>> -> tile<{N}xf32>, token
    %y, %u = load_ptr_tko weak %dp : tile<{N}xptr<f64>> -> tile<{N}xf64>, token
    %a = ftof %x : tile<{N}xf32> -> tile<{N}x{E5M3}>
    %b = ftof %y : tile<{N}xf64> -> tile<{N}x{E5M3}>
    %t0 = store_ptr_tko weak %rp, %a : tile<{N}xptr<{E5M3}>>, tile<{N}x{E5M3}> -> token
    %t1 = store_ptr_tko weak %qp, %b : tile<{N}xptr<{E5M3}>>, tile<{N}x{E5M3}> -> token
    return
  }}
}}
"""


def value(code: np.ndarray) -> np.ndarray:
    """The definition: no sign, bias 15, 0xFF is NaN."""
    exponent, fraction = code >> 3, code & 7
    normal = np.ldexp(1 + fraction / 8, exponent - 15)
    numbers = np.where(exponent == 0, np.ldexp(fraction / 8, -14), normal)
    return np.where(code == 0xFF, np.nan, numbers)


@pytest.mark.parametrize("where", ["interp", "sm_80", "sm_90"])
def test_every_code(where):
    on: dict[str, Any] = {"on": "emulator", "gpu": where}
    if where == "interp":
        on = {"on": "interp"}
    codes = np.arange(256, dtype=np.uint8)
    singles, halves = np.zeros(256, np.float32), np.zeros(256, np.float16)
    integers, moved = np.zeros(256, np.int32), np.zeros(256, np.uint8)
    args = [codes, singles, halves, integers, moved]
    module = cuda_tile.load(ROUND_TRIP.encode())
    cuda_tile.run(module, grid=(1,), args=args, **on)
    exact = value(np.arange(256))
    np.testing.assert_array_equal(singles, exact.astype(np.float32))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(halves, exact.astype(np.float16))
    np.testing.assert_array_equal(integers, np.nan_to_num(exact).astype(np.int32))
    assert moved.tolist() == [0x7C] * 16 + codes[16:].tolist()


def numbers() -> np.ndarray:
    """Special values, neighbours of codes and of the middles between them, random."""
    exact = value(np.arange(255))
    middles = (exact[1:] + exact[:-1]) / 2
    near = [np.nextafter(middles, way) for way in (0.0, np.inf)]
    special = [0.0, -0.0, 1e-40, -1e-40, 2.0**-18, 2.0**-17, np.inf, -np.inf, np.nan]
    special += [114688.0, 118784.0, 122880.0, 3e38, -1.5, -114688.0]
    random = np.random.default_rng(0).standard_normal(2 * N) * 100
    return np.concatenate([special, middles, *near, exact, random])


@pytest.mark.parametrize("start", [0, N, 2 * N])
def test_rounds_like_the_interpreter(start):
    doubles = numbers()[start : start + N]
    assert len(doubles) == N
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    module = cuda_tile.load(NARROW.encode())
    results = []
    executors: list[dict[str, Any]] = [{"on": "interp"}]
    executors += [{"on": "emulator", "gpu": gpu} for gpu in ("sm_80", "sm_90")]
    for on in executors:
        out = [np.zeros(N, np.uint8) for _ in range(2)]
        cuda_tile.run(module, grid=(1,), args=[singles, doubles, *out], **on)
        results.append(np.stack(out))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    # Nearest: no other code is closer, and of two as close the even one is taken.
    finite = np.isfinite(doubles) & (np.abs(doubles) < 114688)
    known = value(np.arange(255))
    distance = np.abs(np.abs(doubles[finite])[:, None] - known)
    best = distance.min(1, keepdims=True)
    ties = distance == best
    wanted = np.where(
        ties.sum(1) == 2, ties.argmax(1) + ties.argmax(1) % 2, ties.argmax(1)
    )
    np.testing.assert_array_equal(results[0][1][finite], wanted)
