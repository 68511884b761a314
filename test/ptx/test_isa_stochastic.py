# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cvt.rs against a table of each format's numbers, with exact fractions.

PTX ISA: "cvt", "Random bits rbits semantics for .rs rounding". A source lies between
two numbers of the format; the upper one is chosen where the part of the way to it plus
the random bits, as a fraction, reach one.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from ptx_harness import Case, check_legal, run_case, samples
from ptx_small import SMALL, Small, edges

FORMATS = {**SMALL, "f16": Small(5, 10), "bf16": Small(8, 7)}
INFINITE = {"f16": 0x7C00, "bf16": 0x7F80}
NANS = {"f16": 0x7FFF, "bf16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F}


@cache
def magnitudes(name: str) -> list[Fraction]:
    """The finite numbers by code, and the one that would come next."""
    fmt = FORMATS[name]
    codes = range(INFINITE[name]) if name in INFINITE else fmt.numbers()
    found = [fmt.magnitude(code) for code in codes]
    return [*found, 2 * found[-1] - found[-2]]


def rounded(name: str, x: np.float32, noise: int, n: int, *, satfinite: bool) -> int:
    """The code of x, given n random bits."""
    table = magnitudes(name)
    last = len(table) - 2
    if np.isnan(x):
        return NANS.get(name, last)
    sign = int(np.signbit(x)) << FORMATS[name].bits - 1
    beyond = last if satfinite else INFINITE[name]
    size = Fraction(float(abs(x))) if np.isfinite(x) else table[-1]
    if size >= table[-1]:
        return sign | beyond
    code = bisect_right(table, size) - 1
    part = (size - table[code]) / (table[code + 1] - table[code])
    code += int(part * 2**n) + noise >> n
    return sign | (code if code <= last else beyond)


def noise_of(name: str, word: int, place: int, count: int) -> tuple[int, int]:
    """Random bits of a source, and how many: place 0 goes to the top."""
    upper, lower = word >> 16, word & 0xFFFF
    is_upper = 2 * place < count
    if name == "e2m1":
        shift = 8 if is_upper else 0
        return (upper >> shift & 0xFF) << 8 | (lower >> shift & 0xFF), 16
    half = upper if is_upper else lower
    return (half & 0x1FFF, 13) if name == "f16" else (half, 16)


def case(name: str, relu: str, satfinite: str) -> Case:
    count = 2 if name in INFINITE else 4
    letters = ", ".join(f"{{{c}}}" for c in "abce"[:count])
    if count == 4:
        letters = "{{" + letters + "}}"
    noise = "{c}" if count == 2 else "{f}"
    code = f"cvt.rs{relu}{satfinite}.{name}x{count}.f32 {{d}}, {letters}, {noise};"
    result = "b16" if name == "e2m1" else "b32"
    return Case(code, ("f32",) * count + ("b32",), result, int, "sm_103a")


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize(
    ("name", "satfinite"),
    [(name, ".satfinite") for name in FORMATS] + [("f16", ""), ("bf16", "")],
)
def test_stochastic_rounding(name: str, satfinite: str, relu: str) -> None:
    one = case(name, relu, satfinite)
    count = len(one.sources) - 1
    rng = np.random.default_rng(3)
    x = samples("f32", 400, 5)
    if name in SMALL:
        x = np.concatenate([x, edges(name), rng.normal(0, 4, 300).astype(np.float32)])
    else:
        near = np.array([65504, 65519, 65520, 65535, 65536, 3.39e38, 3.4e38, 1e-7])
        half = rng.integers(0, 2**32, 400, np.uint32).view(np.float32)
        x = np.concatenate([x, near, -near, half, rng.normal(0, 1e-5, 400)])
        x = x.astype(np.float32)
    noise = rng.integers(0, 2**32, len(x), np.uint32)
    noise[:40] = np.resize([0, 2**32 - 1, 0xFF00FF, 0xFF00FF00], 40)
    sources = [np.roll(x, 7 * place) for place in range(count)]
    found = run_case(one, [*sources, noise])
    bits = 4 if name == "e2m1" else 32 // count
    for row, word in enumerate(int(value) for value in noise):
        wanted = 0
        for place, source in enumerate(sources):
            value = source[row]
            value = np.float32(0) if relu and value < 0 else value
            random, n = noise_of(name, word, place, count)
            code = rounded(name, value, random, n, satfinite=bool(satfinite))
            wanted = wanted << bits | code
        assert int(found[row]) == wanted, [hex(word), *(s[row] for s in sources)]
    check_legal([one])


def test_random_bits_make_the_mean_exact() -> None:
    """With all random bits once, a number is rounded up as often as it is near it."""
    one = case("bf16", "", "")
    noise = np.arange(1 << 16, dtype=np.uint32)
    x = np.full(len(noise), 1 + 2**-7 * 0.3125, np.float32)
    found = run_case(one, [x, x, noise << 16], block=1024)
    high = (found >> 16).astype(np.int64) - 0x3F80
    assert high.sum() == 0.3125 * (1 << 16)
