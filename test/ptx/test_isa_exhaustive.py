# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions with one operand of 8 or 16 bits, on every value of it.

Expectations are integer arithmetic: a half is a whole multiple of 2**-24, and a
bfloat16 a Python integer times a power of two. test_isa_coverage.py asks ptxas whether
these forms are legal.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, floor, trunc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_exact import FORMATS, INF, NAN, Value, decode, encode, infinity, nan
from ptx_harness import Case, bits_of, dtype_of, run_case, unchecked

pytestmark = pytest.mark.sampled(4)

Array = NDArray[Any]
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
MODES = ("rn", "rz", "rm", "rp")
ROUNDERS = {"rni": round, "rzi": trunc, "rmi": floor, "rpi": ceil}
HALVES = ("f16", "bf16")


def case(code: str, source: str, result: str) -> Case:
    return Case(code, (source,), result, unchecked, "sm_90")


def every(ty: str) -> Array:
    """All values of a type of 8 or 16 bits."""
    bits = bits_of(ty)
    return np.arange(1 << bits, dtype=f"uint{bits}").view(dtype_of(ty))


def compare(one: Case, wanted: list[int] | Array) -> None:
    """Compares all results by their bits."""
    found = run_case(one, [every(one.sources[0])], block=256)
    size = found.dtype.itemsize
    mask = (1 << 8 * size) - 1
    bits = np.array([int(value) & mask for value in wanted], f"uint{8 * size}")
    bad = np.flatnonzero(found.view(bits.dtype) != bits)
    assert not len(bad), (
        f"{one.code} of {int(bad[0]):#x}: expected {int(bits[bad[0]]):#x}, got "
        f"{int(found.view(bits.dtype)[bad[0]]):#x} ({len(bad)} of {len(bits)})"
    )


def limits(ty: str) -> tuple[int, int]:
    bits = bits_of(ty)
    if ty[0] == "u":
        return 0, (1 << bits) - 1
    return -(1 << bits - 1), (1 << bits - 1) - 1


INTEGER_RULES = {
    "abs.s16": lambda x: abs(x),
    "neg.s16": lambda x: -x,
    "not.b16": lambda x: ~x,
    "cnot.b16": lambda x: int(x == 0),
}


@pytest.mark.parametrize("name", INTEGER_RULES)
def test_integer(name: str) -> None:
    ty = name.partition(".")[2]
    one = case(f"{name} {{d}}, {{a}};", ty, ty)
    compare(one, [INTEGER_RULES[name](int(x)) for x in every(ty)])


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("source", INTEGERS[:4])
def test_integer_to_integer(source: str, to: str) -> None:
    values = [int(x) for x in every(source)]
    compare(case(f"cvt.{to}.{source} {{d}}, {{a}};", source, to), values)
    low, high = limits(to)
    if low > limits(source)[0] or limits(source)[1] > high:
        one = case(f"cvt.sat.{to}.{source} {{d}}, {{a}};", source, to)
        compare(one, [min(max(x, low), high) for x in values])


TO_FLOAT = [
    (source, to, mode)
    for source in INTEGERS[:4]
    for to in ("f16", "bf16", "f32")
    for mode in MODES
    if to != "bf16" or bits_of(source) == 16
]


@pytest.mark.parametrize(("source", "to", "mode"), TO_FLOAT)
def test_integer_to_float(source: str, to: str, mode: str) -> None:
    n = every(source).astype(np.int64)
    size = np.abs(n)
    shift = np.maximum(np.frexp(size)[1] - FORMATS[to].precision, 0)
    whole, rest, half = size >> shift, size & ((1 << shift) - 1), (1 << shift) >> 1
    if mode == "rn":
        up = (rest > half) | ((rest == half) & (half > 0) & (whole % 2 == 1))
    elif mode == "rz":
        up = np.zeros(len(n), np.bool_)
    else:
        up = (rest > 0) & ((n < 0) == (mode == "rm"))
    exact = np.sign(n) * (whole + up << shift)  # a value of the format, or too large
    if to == "bf16":
        wanted = exact.astype(np.float32).view(np.uint32) >> 16
    else:
        with np.errstate(over="ignore"):  # 65536 is infinity as a half
            wanted = exact.astype(f"float{bits_of(to)}").view(f"uint{bits_of(to)}")
    compare(case(f"cvt.{mode}.{to}.{source} {{d}}, {{a}};", source, to), wanted)


@cache
def decoded(ty: str) -> tuple[Value, ...]:
    return tuple(decode(code, FORMATS[ty]) for code in range(1 << 16))


@cache
def rounded(ty: str, rounder: str) -> tuple[int | None, ...]:
    """Integers next to all numbers; None for infinities and NaN."""
    fn = ROUNDERS[rounder]
    return tuple(fn(v.exact) if v.is_finite else None for v in decoded(ty))


TO_INTEGER = [
    (source, rounder, to)
    for source in HALVES
    for rounder in ROUNDERS
    for to in INTEGERS
    if source == "f16" or bits_of(to) > 8
]


@pytest.mark.parametrize(("source", "rounder", "to"), TO_INTEGER)
def test_half_to_integer(source: str, rounder: str, to: str) -> None:
    low, high = limits(to)
    wanted: list[int] = []
    for value, whole in zip(decoded(source), rounded(source, rounder), strict=True):
        if whole is not None:
            wanted.append(min(max(whole, low), high))
        elif value.size == NAN:
            wanted.append((low or 1 << 63) if bits_of(to) == 64 else 0)
        else:
            wanted.append(low if value.negative else high)
    compare(case(f"cvt.{rounder}.{to}.{source} {{d}}, {{a}};", source, to), wanted)


def bits_in(value: Value, to: str, mode: str) -> int:
    fmt = FORMATS[to]
    if value.size == NAN:
        return nan(fmt)
    if value.size == INF:
        return infinity(fmt, negative=value.negative)
    return encode(value.exact, fmt, mode, zero=int(value.negative))


BETWEEN = [
    *((source, to, "") for source in HALVES for to in ("f32", "f64")),
    *(("f16", "bf16", mode) for mode in ("", *MODES)),
    *(("bf16", "f16", mode) for mode in ("", *MODES)),
]
MIRRORED = {"rm": "rp", "rp": "rm"}


@cache
def positive_in(source: str, to: str, mode: str) -> tuple[int, ...]:
    """All values without a sign, converted."""
    return tuple(bits_in(value, to, mode) for value in decoded(source)[: 1 << 15])


@pytest.mark.parametrize(("source", "to", "mode"), BETWEEN)
def test_half_to_float(source: str, to: str, mode: str) -> None:
    dotted = f".{mode}" if mode else ""
    one = case(f"cvt{dotted}.{to}.{source} {{d}}, {{a}};", source, to)
    found = run_case(one, [every(source)], block=256)
    up = positive_in(source, to, mode or "rn")
    down = positive_in(source, to, MIRRORED.get(mode, mode or "rn"))
    sign, canonical = 1 << bits_of(to) - 1, nan(FORMATS[to])
    wanted = [*up, *(b if b == canonical else b | sign for b in down)]
    bits = np.array(wanted, f"uint{bits_of(to)}")
    same = found.view(bits.dtype) == bits
    if to == "f64":  # the ISA names no canonical NaN of doubles
        same |= np.isnan(found) & np.isnan(bits.view(np.float64))
    assert same.all()


@pytest.mark.parametrize("rounder", ROUNDERS)
@pytest.mark.parametrize("ty", HALVES)
def test_half_to_integral_half(ty: str, rounder: str) -> None:
    wanted = [
        bits_in(value, ty, "rn")
        if whole is None
        else encode(Fraction(whole), FORMATS[ty], zero=int(value.negative))
        for value, whole in zip(decoded(ty), rounded(ty, rounder), strict=True)
    ]
    compare(case(f"cvt.{rounder}.{ty}.{ty} {{d}}, {{a}};", ty, ty), wanted)


SIGNS = [
    *((ty, name) for ty in HALVES for name in ("neg", "abs")),
    *(("f16", name) for name in ("neg.ftz", "abs.ftz")),
]


@pytest.mark.parametrize(("ty", "name"), SIGNS)
def test_sign_of_half(ty: str, name: str) -> None:
    codes = np.arange(1 << 16, dtype=np.uint32)
    size = codes & 0x7FFF
    if name.endswith("ftz"):
        size = np.where(size < 0x400, 0, size)
    sign = 0 if name[:3] == "abs" else (codes & 0x8000) ^ 0x8000
    found = run_case(case(f"{name}.{ty} {{d}}, {{a}};", ty, ty), [every(ty)], block=256)
    bits = found.view(np.uint16)
    first = {"f16": 0x7C00, "bf16": 0x7F80}[ty]
    number = (codes & 0x7FFF) <= first
    assert np.array_equal(bits[number], (size | sign)[number])
    assert ((bits[~number] & 0x7FFF) > first).all()


# PTX ISA, ex2 and tanh of half precision: the largest errors.
BOUNDS = {
    "ex2.approx.f16": ("relative", 2.0**-9.9),
    "ex2.approx.ftz.bf16": ("relative", 2.0**-7),
    "tanh.approx.f16": ("absolute", 2.0**-10.987),
    "tanh.approx.bf16": ("absolute", 2.0**-8),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_approximation(name: str) -> None:
    kind, bound = BOUNDS[name]
    ty = name.rpartition(".")[2]
    one = case(f"{name} {{d}}, {{a}};", ty, ty)
    found_bits = run_case(one, [every(ty)], block=256).view(np.uint16)

    def widened(bits: Array) -> Array:
        if ty == "f16":
            with np.errstate(invalid="ignore"):  # signalling NaNs
                return bits.view(np.float16).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    x, found = widened(np.arange(1 << 16, dtype=np.uint16)), widened(found_bits)
    with np.errstate(all="ignore"):
        exact = (np.exp2 if name[:3] == "ex2" else np.tanh)(x)
        difference = np.abs(found - exact)
    assert np.array_equal(np.isnan(found), np.isnan(x))
    fmt = FORMATS[ty]
    largest = float(decode(infinity(fmt, negative=False) - 1, fmt).exact)
    smallest = 2.0 ** (2 - fmt.bias - 1)
    is_plain = (np.abs(exact) <= largest) & (np.abs(exact) >= smallest) & ~np.isnan(x)
    error = difference[is_plain]
    if kind == "relative":
        error = error / np.abs(exact[is_plain])
    assert error.max() <= bound
    assert (found[exact > largest * 1.01] == np.inf).all()
    assert np.array_equal(found[x == 0], exact[x == 0])
    tiny = np.abs(exact) < smallest
    assert (difference[tiny] <= smallest).all()
