# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of small floats against their fields, with every code and every tie."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_harness import Case, check_legal, run_case, samples, unchecked
from ptx_small import SMALL, edges, nearest, values


def case(code: str, sources: tuple[str, ...], result: str, registers: str = "") -> Case:
    return Case(code, sources, result, unchecked, "sm_100a", registers)


NIBBLES = ".reg .b8 %x, %y;"
LARGEST = np.array(0x7F7F0000, np.uint32).view(np.float32)  # of bfloat16
FROM_NIBBLES = "mov.b16 {{%x, %y}}, {a};"


def to_small(name: str, relu: str, source: str = "f32") -> Case:
    """A conversion to a pair; 4-bit pairs come twice in the 16 bits."""
    operands = "{a}, {b}" if source == "f32" else "{a}"
    sources = ("f32", "f32") if source == "f32" else ("b32",)
    mnemonic = f"cvt.rn.satfinite{relu}.{name}x2.{source}"
    if name != "e2m1":
        return case(f"{mnemonic} {{d}}, {operands};", sources, "b16")
    code = f"{mnemonic} %x, {operands}; mov.b16 {{d}}, {{{{%x, %x}}}};"
    return case(code, sources, "b16", NIBBLES)


def packed(
    name: str, high: NDArray[np.float32], low: NDArray[np.float32]
) -> NDArray[Any]:
    if name == "e2m1":
        pair = nearest(name, high) << 4 | nearest(name, low)
        return pair | pair << 8
    return nearest(name, high) << 8 | nearest(name, low)


def clamped(x: NDArray[Any], relu: str) -> NDArray[Any]:
    """`.relu`: negative numbers give +0; a -0 may keep its sign."""
    return np.where(x < 0, x.dtype.type(0), x) if relu else x


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("name", SMALL)
def test_singles_round_to_the_nearest(name: str, relu: str) -> None:
    one = to_small(name, relu)
    x = np.concatenate([edges(name), samples("f32", 500, 1)])
    y = np.roll(x, 7)
    found = run_case(one, [x, y])
    wanted = packed(name, clamped(x, relu), clamped(y, relu))
    assert np.array_equal(found, wanted.astype(np.uint16))
    check_legal([one])


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_every_half_rounds_to_the_nearest(name: str, relu: str) -> None:
    one = to_small(name, relu, "f16x2")
    low = np.arange(1 << 16, dtype=np.uint32)
    pairs = low | np.flip(low) << 16
    found = run_case(one, [pairs], block=1024)
    halves = pairs.view(np.float16).astype(np.float32)
    wanted = packed(name, clamped(halves[1::2], relu), clamped(halves[0::2], relu))
    assert np.array_equal(found, wanted.astype(np.uint16))
    check_legal([one])


@pytest.mark.parametrize("relu", ["", ".relu"])
@pytest.mark.parametrize("name", SMALL)
def test_every_pair_widens_exactly(name: str, relu: str) -> None:
    mnemonic = f"cvt.rn{relu}.f16x2.{name}x2"
    if name == "e2m1":
        one = case(f"{FROM_NIBBLES} {mnemonic} {{d}}, %x;", ("b16",), "b32", NIBBLES)
        codes = np.arange(256, dtype=np.uint16)
        places = codes >> 4, codes & 15
    else:
        one = case(f"{mnemonic} {{d}}, {{a}};", ("b16",), "b32")
        count = 1 << SMALL[name].bits
        low = np.arange(count, dtype=np.uint16)
        codes = low | np.flip(low) << 8
        places = codes >> 8, codes & 255
    found = run_case(one, [codes])
    halves = [clamped(values(name)[place], relu).astype(np.float16) for place in places]
    bits = [
        np.where(np.isnan(half), 0x7FFF, half.view(np.uint16)).astype(np.uint32)
        for half in halves
    ]
    assert np.array_equal(found, bits[0] << 16 | bits[1])
    check_legal([one])


@pytest.mark.parametrize("modifiers", ["", ".satfinite", ".relu", ".satfinite.relu"])
@pytest.mark.parametrize("name", SMALL)
def test_every_pair_widens_exactly_to_bfloat16(name: str, modifiers: str) -> None:
    mnemonic = f"cvt.rn{modifiers}.bf16x2.{name}x2"
    one = case(f"{mnemonic} {{d}}, {{a}};", ("b16",), "b32")
    low = np.arange(256, dtype=np.uint16)
    codes = (low | np.flip(low) << 8).astype(np.uint16)
    places = codes >> 8, codes & 255
    if name == "e2m1":
        one = case(f"{FROM_NIBBLES} {mnemonic} {{d}}, %x;", ("b16",), "b32", NIBBLES)
        places = codes >> 4 & 15, codes & 15
    elif SMALL[name].bits < 8:
        codes &= np.uint16(0x3F3F)
        places = codes >> 8, codes & 255
    found = run_case(one, [codes])
    halves: list[NDArray[np.uint32]] = []
    for place in places:
        single = clamped(
            values(name)[place].astype(np.float32), ".relu" * (".relu" in modifiers)
        )
        if ".satfinite" in modifiers:
            single = np.where(np.isinf(single), np.sign(single) * LARGEST, single)
        upper = single.astype(np.float32).view(np.uint32) >> np.uint32(16)
        halves.append(np.where(np.isnan(single), np.uint32(0x7FFF), upper))
    assert np.array_equal(found, halves[0] << 16 | halves[1])
    check_legal([one])


# Powers of two --------------------------------------------------------------------


def exponent(x: np.float32, mode: str, *, satfinite: bool) -> int:
    """The code of the power of two next to a number that is not negative."""
    if np.isnan(x):
        return 0xFF
    powers = [2.0 ** (code - 127) for code in range(255)]
    if mode == "rz":
        below = [code for code in range(255) if powers[code] <= x]
        code = below[-1] if below else 0
    else:
        above = [code for code in range(255) if powers[code] >= x]
        code = above[0] if above else 0xFF
    code = 0xFF if np.isinf(x) else code
    return min(code, 0xFE) if satfinite else code


SCALES = np.concatenate(
    [
        np.float32(2.0) ** np.arange(-127, 128, dtype=np.float32),
        np.float32(1.5) ** np.arange(-200, 200, dtype=np.float32),
        np.array([0.0, 1e-45, 1e-39, np.inf, np.nan, 3.4e38, 1.7e38], np.float32),
    ]
).astype(np.float32)


@pytest.mark.parametrize("satfinite", ["", ".satfinite"])
@pytest.mark.parametrize("mode", ["rz", "rp"])
def test_scales_are_powers_of_two(mode: str, satfinite: str) -> None:
    one = case(
        f"cvt.{mode}{satfinite}.ue8m0x2.f32 {{d}}, {{a}}, {{b}};", ("f32", "f32"), "b16"
    )
    x, y = SCALES, np.roll(SCALES, 3)
    wanted = [
        exponent(high, mode, satfinite=bool(satfinite)) << 8
        | exponent(low, mode, satfinite=bool(satfinite))
        for high, low in zip(x, y, strict=True)
    ]
    assert run_case(one, [x, y]).tolist() == wanted
    pair = replace(
        one,
        code=f"cvt.{mode}{satfinite}.ue8m0x2.bf16x2 {{d}}, {{a}};",
        sources=("b32",),
    )
    bits = np.arange(1 << 15, dtype=np.uint32)  # every bfloat16 without a sign
    singles = (bits << 16).view(np.float32)
    codes = {
        int(b): exponent(s, mode, satfinite=bool(satfinite))
        for b, s in zip(bits[::7], singles[::7], strict=True)
    }
    found = run_case(pair, [bits[::7] | bits[::7][::-1] << 16], block=1024)
    every = list(codes.values())
    assert found.tolist() == [
        h << 8 | lo for lo, h in zip(every, every[::-1], strict=True)
    ]
    check_legal([one, pair])


def test_every_scale_widens_exactly() -> None:
    one = case("cvt.rn.bf16x2.ue8m0x2 {d}, {a};", ("b16",), "b32")
    low = np.arange(256, dtype=np.uint16)
    found = run_case(one, [low | np.flip(low) << 8])
    singles = (found[:, None] >> np.array([0, 16], np.uint32) << np.uint32(16)).view(
        np.float32
    )
    wanted = np.array([2.0 ** (int(code) - 127) for code in range(255)] + [np.nan])
    assert np.array_equal(singles[:, 0], wanted, equal_nan=True)
    assert np.array_equal(singles[:, 1], wanted[::-1], equal_nan=True)
    check_legal([one])


# tf32 and packed integers -----------------------------------------------------------


@pytest.mark.parametrize("mode", ["rn", "rz", "rna"])
def test_tf32_saturates(mode: str) -> None:
    one = case(f"cvt.{mode}.satfinite.tf32.f32 {{d}}, {{a}};", ("f32",), "b32")
    largest = 0x7F7FE000
    x = np.array(
        [
            0x7F7FFFFF,
            0x7F800000,
            0xFF800000,
            0xFF7FFFFF,
            largest,
            0x3F800000,
            0x7FC00000,
        ],
        np.uint32,
    )
    wanted = [largest, largest, largest | 1 << 31, largest | 1 << 31, largest]
    found = run_case(one, [x.view(np.float32)]).tolist()
    assert found == [*wanted, 0x3F800000, 0x7FFFFFFF]
    check_legal([one])


LIMITS = {
    "u16": (0, 65535),
    "s16": (-32768, 32767),
    "u8": (0, 255),
    "s8": (-128, 127),
    "u4": (0, 15),
    "s4": (-8, 7),
    "u2": (0, 3),
    "s2": (-2, 1),
}


@pytest.mark.parametrize("name", LIMITS)
def test_pack_saturates(name: str) -> None:
    """The loop over bits of the ISA's semantics."""
    low, high = LIMITS[name]
    size = int(name[1:])
    rest = size < 16
    one = case(
        f"cvt.pack.sat.{name}.s32{'.b32' * rest} {{d}}, {{a}}, {{b}}{', {c}' * rest};",
        ("s32", "s32", "b32")[: 2 + rest],
        "b32",
    )
    a, b, c = samples("s32", 300, 1), samples("s32", 300, 2), samples("b32", 300, 3)
    a[:40], b[40:80] = np.arange(-20, 20), np.arange(-20, 20)
    mask = (1 << size) - 1
    wanted = [
        ((min(max(x, low), high) & mask) << size | min(max(y, low), high) & mask)
        | (z << 2 * size if rest else 0)
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    ]
    found = run_case(one, [a, b, c][: 2 + rest]).tolist()
    assert found == [value & 0xFFFFFFFF for value in wanted]
    check_legal([one])
