# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients that have one test are those of IEEE 754, by remainders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

import cuda_tile
from cuda_tile import Compiled, Options

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
ROWS, COLUMNS = 32, 64
KERNEL = """
cuda_tile.module @m {{ entry @k(%r: tile<ptr<f32>>, %s: tile<ptr<f32>>,
                                %t: tile<ptr<f32>>) {{
  %x = assume div_by<16>, %r : tile<ptr<f32>>
  %y = assume div_by<16>, %s : tile<ptr<f32>>
  %z = assume div_by<16>, %t : tile<ptr<f32>>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [32, 64], strides = [64, 1]
      : tensor_view<32x64xf32, strides=[64,1]>
  %b = make_tensor_view %y, shape = [32, {n}], strides = [{n}, 1]
      : tensor_view<32x{n}xf32, strides=[{n},1]>
  %c = make_tensor_view %z, shape = [32, 64], strides = [64, 1]
      : tensor_view<32x64xf32, strides=[64,1]>
  %pa = make_partition_view %a
      : partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>
  %pb = make_partition_view %b
      : partition_view<tile=(32x{n}), tensor_view<32x{n}xf32, strides=[{n},1]>>
  %pc = make_partition_view %c
      : partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>
  %u, %t0 = load_view_tko weak %pa[%zero, %zero] : partition_view<tile=(32x64),
      tensor_view<32x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
  %v, %t1 = load_view_tko weak %pb[%zero, %zero] : partition_view<tile=(32x{n}),
      tensor_view<32x{n}xf32, strides=[{n},1]>>, tile<i32> -> tile<32x{n}xf32>, token
  {divisor}
  %q = divf %u, %w {rounding}: tile<32x64xf32>
  %t2 = store_view_tko weak %q, %pc[%zero, %zero] : tile<32x64xf32>,
      partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>,
      tile<i32> -> token
  return
}} }}
"""
SHARED = "%w = broadcast %v : tile<32x1xf32> -> tile<32x64xf32>"
EACH = "%w = addf %v, %v : tile<32x64xf32>"
CONSTANT = "%w = constant <f32: {}> : tile<32x64xf32>"
ONE = "%one = constant <f32: {}> : tile<32x64xf32>\n  %size = absf %v : tile<32x64xf32>"
LARGE = ONE.format(1.0) + "\n  %w = addf %one, %size : tile<32x64xf32>"
"""Of one divisor for each dividend, no less than one."""


def compiled(
    n: int = 1,
    divisor: str = SHARED,
    rounding: str = "",
    dividend: str = "%u",
    gpu: str = "sm_80",
    rows: int = ROWS,
) -> Compiled:
    text = KERNEL.format(n=n, divisor=divisor, rounding=rounding)
    text = text.replace("divf %u", f"divf {dividend}")
    text = text.replace("32x", f"{rows}x").replace("[32,", f"[{rows},")
    options = Options(gpu=gpu, num_warps=4, line_info=False)
    return cuda_tile.compile(
        cuda_tile.load(text.encode()), cubin=False, options=options
    )


def divided(
    dividends: Floats, divisors: Floats, kernel: Compiled | None = None
) -> Floats:
    """The kernel's quotients; by default one divisor for each row of dividends."""
    made = np.zeros_like(dividends)
    args: list[Any] = [dividends, divisors, made]
    words: dict[str, Any] = {"mode": "adversarial", "seed": 1}
    words["compiled"] = kernel or KERNEL_80
    text = KERNEL.format(n=divisors.shape[1], divisor=SHARED, rounding="")
    if kernel is not None:
        text = KERNEL.format(n=COLUMNS, divisor=LARGE, rounding="")
    module = cuda_tile.load(text.encode())
    cuda_tile.run(module, "k", grid=(1,), args=args, on="emulator", **words)
    return made


KERNEL_80 = compiled()
BY_LARGE = compiled(COLUMNS, LARGE)
LEAST = 1e-12
SMALL = LARGE.replace("f32: 1.0", f"f32: {LEAST:.1e}")
BY_SMALL = compiled(COLUMNS, SMALL)
BY_ANY = compiled(COLUMNS, EACH, gpu="sm_100")
IN_PAIRS = compiled(COLUMNS, LARGE, gpu="sm_100")
RECIPROCALS = compiled(COLUMNS, LARGE, dividend="%one")


def is_joint(made: Compiled) -> bool:
    return "rcp.approx" in made.ptx


def _near_a_middle(divisors: Integers) -> tuple[Integers, Integers]:
    """Dividends and divisors of quotients that are next to a middle between two f32.

    Of 24 bits each. The quotient of A and an odd B has the unit 2^-23, or 2^-24 where A
    is less, and is r / (2 B) units from a middle where A 2^24 or A 2^25 is an odd
    multiple of B and r more.
    """
    found: list[tuple[Integers, Integers]] = []
    for bits in (24, 25):
        for rest in (1, -1, 3, -3):
            x = np.full(divisors.shape, rest) % divisors
            for _ in range(bits):
                x = np.where(x & 1, (x + divisors) >> 1, x >> 1)
            for dividends in (x, x + divisors):
                is_here = (dividends >= divisors) == (bits == 24)
                is_here &= (dividends >= 2**23) & (dividends < 2**24)
                is_here &= ((dividends << bits) - rest) // divisors & 1 == 1
                found.append((dividends[is_here], divisors[is_here]))
    a, b = (np.concatenate(each) for each in zip(*found, strict=True))
    return a, b


def test_quotients_next_to_a_middle() -> None:
    """The sequence in NumPy, and some of them in a kernel."""
    ends = (
        np.arange(2**23 + 1, 2**23 + 2**13, 2),
        np.arange(2**24 - 2**13 + 1, 2**24, 2),
    )
    some = np.arange(2**23 + 1, 2**24, 2 * 97)
    a, b = _near_a_middle(np.unique(np.concatenate([*ends, some])))
    x, d = a.astype(np.float32), b.astype(np.float32) / np.float32(2**20)
    y = np.reciprocal(d)
    q = np.multiply(x, y, dtype=np.float32)
    assert len(x) > 50_000
    assert_array_equal(_fma(-_fma(d, q, -x), y, q), x / d)
    for divisor in (2**24 - 1, 2**24 - 3, 2**23 + 1, *some[:: len(some) // 8]):
        rows = np.resize(x[b == divisor], (ROWS, COLUMNS))
        divisors = np.full((ROWS, 1), divisor, np.float32)
        assert_array_equal(divided(rows, divisors), rows / divisors)


@pytest.mark.parametrize("exponent", [-149, -127, -95, -94, -1, 0, 93, 94, 120, 127])
def test_magnitudes_of_dividends(exponent: int) -> None:
    """From the least to the largest, with divisors of all magnitudes."""
    rng = np.random.default_rng(exponent + 200)
    power = np.exp2(np.arange(-140, 116, 8, dtype=np.float32))
    divisors = (rng.uniform(1, 2, ROWS).astype(np.float32) * power)[:, None]
    dividends = rng.uniform(-2, 2, (ROWS, COLUMNS)) * 2.0**exponent
    dividends[:, :8] = rng.uniform(-2, 2, (ROWS, 8))
    dividends[:, 8:12] = 0.0, -0.0, 0.0, -0.0
    x = dividends.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        exact = x / divisors
    found = divided(x, divisors)
    assert_array_equal(found.view(np.int32), exact.view(np.int32))


def test_what_is_no_number_and_what_has_a_sign() -> None:
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38, 1.0], np.float32
    )
    divisors = np.resize(np.concatenate([special, -special]), ROWS)[:, None]
    x = np.tile(np.resize(special, COLUMNS), (ROWS, 1))
    x[ROWS // 2 :, 2:] = 1.0  # of these rows no dividend is special but zeros
    with np.errstate(all="ignore"):
        exact = x / divisors
    found = divided(x, divisors)
    assert_array_equal(found, exact)
    numbers = ~np.isnan(exact)
    assert_array_equal(np.signbit(found)[numbers], np.signbit(exact)[numbers])


def test_the_reciprocal_is_rounded_correctly() -> None:
    """From all that `rcp.approx` may give; the square counts where all bits are one."""
    ones = np.arange(2**23, 2**24, 7)
    ends = np.arange(64)
    whole = np.unique(np.concatenate([ones, 2**23 + ends, 2**24 - 1 - ends]))
    b = whole.astype(np.float32) / np.float32(2**23)
    exact = np.float32(1) / b
    without: set[int] = set()
    for off in (-1, 0, 1):
        y = (exact.view(np.int32) + np.int32(off)).view(np.float32)
        e = _fma(-b, y, np.ones_like(b))
        assert_array_equal(_fma(y, _fma(e, e, e, up=True), y), exact)
        without |= set(whole[_fma(y, e, y) != exact])
    assert 2**24 - 1 in without


def _fma(x: Floats, y: Floats, z: Floats, *, up: bool = False) -> Floats:
    """In f64, where the product is exact, rounded to odd; then a second time."""
    product, other = x.astype(np.float64) * y, z.astype(np.float64)
    total = product + other
    part = total - product
    lost = (product - (total - part)) + (other - part)
    bits = total.view(np.int64)
    step = np.where((lost > 0) == (total > 0), 1, -1)
    bits = np.where((lost != 0) & (bits & 1 == 0), bits + step, bits)
    exact = bits.view(np.float64)
    near = exact.astype(np.float32)
    return np.where(up & (near < exact), np.nextafter(near, np.float32(np.inf)), near)


@pytest.mark.parametrize("kernel", [BY_LARGE, IN_PAIRS])
def test_divisors_of_one_and_more(kernel: Compiled) -> None:
    """Next to a middle, of all magnitudes, and by what has only ones."""
    rng = np.random.default_rng(3)
    some = np.concatenate([2**24 - 1 - 2 * np.arange(4), rng.integers(2**23, 2**24, 9)])
    a, b = _near_a_middle(np.unique(some | 1))
    dividends, divisors = a.astype(np.float32), b.astype(np.float32) / 2**23
    shape = 2, ROWS * COLUMNS
    x, v = np.resize(dividends, shape), np.resize(divisors - 1, shape)
    v[1] = rng.uniform(0, 1, shape[1]) * np.exp2(rng.integers(-30, 60, shape[1]))
    x[1] = rng.uniform(-2, 2, shape[1]) * np.exp2(rng.integers(-140, 127, shape[1]))
    x[1, ::3] = 2.0 ** rng.integers(-20, 20, len(x[1, ::3]))
    for u, w in zip(x, v.astype(np.float32), strict=True):
        rows, large = u.reshape(ROWS, COLUMNS), w.reshape(ROWS, COLUMNS)
        with np.errstate(under="ignore"):
            exact = rows / (np.float32(1) + np.abs(large))
        assert_array_equal(divided(rows, large, kernel), exact)


@pytest.mark.parametrize("kernel", [BY_SMALL, BY_ANY])
def test_small_and_any_divisors(kernel: Compiled) -> None:
    """Dividends and divisors of each pair of magnitudes, a thread's all of one pair.

    A thread has four rows that are eight apart. Where a condition were missing,
    remainders would be rounded, or infinite.
    """
    rng = np.random.default_rng(7)
    lows = -149, -126, -110, -100, -60, 0, 60, 120
    others = -140, -100, -66, -65, -60, -39, 0, 125
    for low in lows:
        x = rng.uniform(-2, 2, (ROWS, COLUMNS)) * 2.0**low
        v = rng.uniform(-1, 1, (ROWS // 8, 8, COLUMNS)) * np.exp2(others)[:, None]
        x, v = x.astype(np.float32), v.astype(np.float32).reshape(x.shape)
        is_any = kernel is BY_ANY
        with np.errstate(all="ignore"):
            exact = x / (v + v if is_any else np.float32(LEAST) + np.abs(v))
        made = divided(x, v, kernel)
        assert_array_equal(made.view(np.int32), exact.view(np.int32))


@pytest.mark.parametrize("kernel", [BY_LARGE, IN_PAIRS, RECIPROCALS])
def test_large_divisors_and_what_is_special(kernel: Compiled) -> None:
    """One of a group's eight, so that each condition is tested alone."""
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 2.0**-63, 3.4e38, 1.0]
    rng = np.random.default_rng(4)
    x = rng.uniform(1, 2, (ROWS, COLUMNS)).astype(np.float32)
    v = rng.uniform(0, 9, (ROWS, COLUMNS)).astype(np.float32)
    for row in range(ROWS):
        where, what = 8 * (row % 8) + row % 7, special[row % len(special)]
        if row % 2:
            x[row, where] = what
        else:
            v[row, where] = what
    x[0, 9], v[0, 9] = 3.4e38, 1.7e38  # the reciprocal is subnormal
    v[1] = 2.0 ** np.arange(64, 128)
    ones = 2.0 - 2.0**-23 - 1.0  # the divisor has only ones
    x[2], v[2] = 2.0 ** np.arange(-32, 32), ones
    if kernel is RECIPROCALS:
        x[:] = 1.0
    with np.errstate(all="ignore"):
        exact = x / (np.float32(1) + np.abs(v))
    found = divided(x, v, kernel)
    assert_array_equal(found, exact)
    numbers = ~np.isnan(exact)
    assert_array_equal(np.signbit(found)[numbers], np.signbit(exact)[numbers])


def test_where_quotients_are_joint() -> None:
    assert is_joint(KERNEL_80)
    assert is_joint(compiled(divisor=CONSTANT.format("3.0")))
    assert is_joint(BY_LARGE)
    assert is_joint(BY_SMALL)
    assert is_joint(BY_ANY)
    added = "addf %one, %size"
    for near_miss in (
        compiled(64, EACH),
        compiled(64, LARGE.replace(added, "addf %one, %v")),
        compiled(64, LARGE.replace(added, "subf %one, %size")),
        compiled(64, LARGE.replace("f32: 1.0", "f32: 9.0e-13")),
        compiled(64, LARGE.replace(added, "addf %one, %size rounding<zero>")),
        compiled(64, LARGE, rows=4),  # two of a thread
        compiled(64, LARGE, gpu="sm_75"),
        compiled(divisor=CONSTANT.format("4.0")),
        compiled(rounding="rounding<zero> "),
        compiled(rounding="rounding<full> "),
        compiled(rounding="rounding<nearest_even> flush_to_zero "),
    ):
        assert not is_joint(near_miss)
