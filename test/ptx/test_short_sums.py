# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit floats keep 14 bits of each term and sum, as was measured."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from ptx_wgmma import Wgmma, fragment, to_registers

from cuda_tile.emulator import launch
from cuda_tile.emulator.isa.short_sums import short_sum

E4M3 = ml_dtypes.float8_e4m3fn
DEPTH = 32


def multiply(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """D of one `wgmma` m64n16k32, from its registers."""
    case = Wgmma(16, "e4m3", "e4m3")
    images = case.image(a, 0), case.image(b, 0)
    acc = to_registers(c)
    args = [case.memory(*images), acc, fragment(a)]
    launch(case.text(*images), grid=1, block=128, args=args)
    return acc.view(np.float32)


def registers_of(values: np.ndarray) -> np.ndarray:
    return to_registers(values.astype(np.float32)).view(np.float32)


def test_an_accumulator_keeps_13_bits_behind_its_first() -> None:
    """A and B are zero, D is read back without the lowest 10 bits (SageAttention2)."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0x3000_0000, 0x5000_0000, (64, 16)).astype(np.uint32)
    bits |= rng.integers(0, 2, bits.shape).astype(np.uint32) << np.uint32(31)
    zeros = np.zeros((64, DEPTH), E4M3), np.zeros((16, DEPTH), E4M3)
    got = multiply(*zeros, bits.view(np.float32))
    wanted = (bits & np.uint32(0xFFFFFC00)).view(np.float32)
    np.testing.assert_array_equal(got, registers_of(wanted))


@pytest.mark.parametrize("exponent", [12, 13, 14, 15])
def test_a_term_below_the_14th_bit_is_lost(exponent: int) -> None:
    """1 is the 14th bit beside 2^13; 31 of them are lost one by one beside 2^14."""
    a = np.ones((64, DEPTH), E4M3)
    b = np.ones((16, DEPTH), E4M3)
    got = multiply(a, b, np.full((64, 16), 2.0**exponent, np.float32))
    added = DEPTH if exponent <= 13 else 0
    kept = 2.0 ** (exponent - 13)  # the last bit of the sum
    np.testing.assert_array_equal(got, (2.0**exponent + added) // kept * kept)


def test_one_instruction_is_off_by_more_than_any_f32_sum() -> None:
    """Of 1 and 31 products of 2^-14 only the 1 is left, so no promotion gives them."""
    a, b = np.full((64, DEPTH), 2.0**-7), np.full((16, DEPTH), 2.0**-7)
    a[:, 0], b[:, 0] = 1, 1
    got = multiply(a.astype(E4M3), b.astype(E4M3), np.zeros((64, 16), np.float32))
    np.testing.assert_array_equal(got, 1)
    total = np.float32(0)
    for product in (a[0] * b[0]).astype(np.float16):
        total += np.float32(product)
    assert float(total) == 1 + 31 * 2.0**-14


def exactly(a: list[float], b: list[float], c: float) -> Fraction:
    """The definition, in fractions."""
    terms = [Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)]
    terms.append(Fraction(c))
    largest = max(map(abs, terms))
    if not largest:
        return Fraction(0)

    def cut(value: Fraction, unit: Fraction) -> Fraction:
        whole = abs(value) // unit * unit
        return whole if value > 0 else -whole

    total = sum((cut(term, unit_of(largest)) for term in terms), Fraction(0))
    return cut(total, unit_of(abs(total))) if total else total


def unit_of(value: Fraction) -> Fraction:
    """The 14th bit of a number."""
    first = Fraction(1)
    while first > value:
        first /= 2
    while first * 2 <= value:
        first *= 2
    return first / 2**13


@pytest.mark.parametrize("seed", range(3))
def test_random_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = (rng.standard_normal((4, DEPTH)) * 8).astype(E4M3).astype(np.float32)
    b = rng.standard_normal((DEPTH, 5)).astype(E4M3).astype(np.float32)
    c = (rng.standard_normal((4, 5)) * 100).astype(np.float32)
    got = short_sum(a, b, c)
    for row in range(4):
        for column in range(5):
            wanted = exactly(
                a[row].tolist(), b[:, column].tolist(), float(c[row, column])
            )
            assert Fraction(float(got[row, column])) == wanted


def test_infinities_and_nans_propagate() -> None:
    a = np.zeros((4, DEPTH), np.float32)
    a[0, 0], a[1, 0], a[3, 0] = np.inf, np.nan, np.inf
    b = np.ones((DEPTH, 2), np.float32)
    c = np.zeros((4, 2), np.float32)
    c[2], c[3] = -np.inf, -np.inf
    got = short_sum(a, b, c)
    np.testing.assert_array_equal(got[:, 0], [np.inf, np.nan, -np.inf, np.nan])
