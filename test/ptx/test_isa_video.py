# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Video instructions against Python's integers, part by part.

PTX ISA: "Scalar Video Instructions", "SIMD Video Instructions".
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from ptx_harness import Case, check, check_legal, samples

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "absdiff": lambda x, y: abs(x - y),
    "min": min,
    "max": max,
    "avrg": lambda x, y: (x + y + (x + y >= 0)) >> 1,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
TYPES = ("u32", "s32")
FIELDS = {"": (0, 32), "h0": (0, 16), "h1": (16, 16)} | {
    f"b{i}": (8 * i, 8) for i in range(4)
}
SECOND = {"add": lambda x, y: x + y, "min": min, "max": max}


def number(word: int, first: int, bits: int, ty: str) -> int:
    value = word >> first & (1 << bits) - 1
    return value - (1 << bits) if ty == "s32" and value >> bits - 1 else value


def clamp(value: int, bits: int, ty: str) -> int:
    low, high = (0, (1 << bits) - 1)
    if ty == "s32":
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return max(low, min(high, value))


def run(cases: list[Case], count: int = 60) -> None:
    for seed, one in enumerate(cases):
        sources = [samples("u32", count, 7 * seed + i) for i in range(3)]
        sources[1][:8] = sources[0][:8]
        check(one, sources)
    check_legal(cases)


def case(code: str, expected: Callable[[int, int, int], int]) -> Case:
    return Case(code, ("u32",) * 3, "u32", expected)


# One value ----------------------------------------------------------------------------


def scalar(
    head: str,
    types: tuple[str, str, str],
    fn: Callable[[int, int], int],
    draw: random.Random,
    *,
    sat: bool = False,
) -> Case:
    """One form with random parts and a random secondary operation."""
    to, left, right = types
    a, b = (draw.choice(list(FIELDS)) for _ in range(2))
    second = draw.choice(("", *SECOND))
    d = draw.choice(list(FIELDS)) if not second else ""
    first, width = FIELDS[d]

    def expected(x: int, y: int, z: int) -> int:
        total = fn(number(x, *FIELDS[a], left), number(y, *FIELDS[b], right))
        total = clamp(total, width, to) if sat else total
        if second:
            return SECOND[second](total, number(z, 0, 32, to)) & 0xFFFFFFFF
        mask = ((1 << width) - 1) << first
        return (total << first & mask) | (z & ~mask & 0xFFFFFFFF)

    parts = [f".{part}" if part else "" for part in (d, a, b)]
    third = ", {c}" if second or d else ""
    head += f".{second}" if second else ""
    return case(
        f"{head} {{d}}{parts[0]}, {{a}}{parts[1]}, {{b}}{parts[2]}{third};", expected
    )


@pytest.mark.parametrize("name", ["add", "sub", "absdiff", "min", "max"])
def test_scalars(name: str) -> None:
    draw = random.Random(name)
    cases: list[Case] = []
    for _ in range(24):
        types = draw.choice(TYPES), draw.choice(TYPES), draw.choice(TYPES)
        sat = draw.random() < 0.5
        head = ".".join((f"v{name}", *types)) + sat * ".sat"
        cases.append(scalar(head, types, OPERATIONS[name], draw, sat=sat))
    run(cases)


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
@pytest.mark.parametrize("name", ["vshl", "vshr"])
def test_shifts(name: str, mode: str) -> None:
    def shift(x: int, amount: int) -> int:
        amount = amount & 31 if mode == "wrap" else min(amount, 32)
        return x << amount if name == "vshl" else x >> amount

    draw = random.Random(name + mode)
    cases: list[Case] = []
    for _ in range(16):
        types = draw.choice(TYPES), draw.choice(TYPES), "u32"
        sat = draw.random() < 0.5
        head = ".".join((name, *types)) + sat * ".sat" + f".{mode}"
        cases.append(scalar(head, types, shift, draw, sat=sat))
    run(cases)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str) -> None:
    draw = random.Random(name)
    cases: list[Case] = []
    for _ in range(8):
        left, right = draw.choice(TYPES), draw.choice(TYPES)
        head = f"vset.{left}.{right}.{name}"
        compare = COMPARISONS[name]
        types = "u32", left, right
        cases.append(scalar(head, types, lambda x, y, f=compare: int(f(x, y)), draw))
    run(cases)


# Two or four values -------------------------------------------------------------------


def simd(
    head: str,
    n: int,
    types: tuple[str, str, str],
    fn: Callable[[int, int], int],
    draw: random.Random,
    *,
    sat: bool = False,
    adds: bool = False,
) -> Case:
    """One form with a random mask and random selectors, written high part first."""
    bits, letter = 32 // n, "h" if n == 2 else "b"
    chosen = [[draw.randrange(2 * n) for _ in range(n)] for _ in range(2)]
    defaults = [list(range(n)), list(range(n, 2 * n))]
    texts: list[str] = []
    for number_of in range(2):
        if draw.random() < 0.4:
            chosen[number_of] = defaults[number_of]
            texts.append("")
        else:
            digits = "".join(str(p) for p in reversed(chosen[number_of]))
            texts.append(f".{letter}{digits}")
    mask = [place for place in range(n) if draw.random() < 0.7] or [0]
    mask_text = "" if len(mask) == n else f".{letter}" + "".join(map(str, mask[::-1]))

    def expected(x: int, y: int, z: int) -> int:
        whole = x | y << 32
        total = z if adds else 0
        for place in range(n):
            left, right = (
                number(whole, bits * places[place], bits, ty)
                for places, ty in zip(chosen, types[1:], strict=True)
            )
            result = fn(left, right)
            result = clamp(result, bits, types[0]) if sat else result
            if adds:
                total += result if place in mask else 0
            else:
                kept = result if place in mask else z >> bits * place
                total |= (kept & (1 << bits) - 1) << bits * place
        return total & 0xFFFFFFFF

    head += ".add" if adds else ""
    return case(
        f"{head} {{d}}{mask_text}, {{a}}{texts[0]}, {{b}}{texts[1]}, {{c}};", expected
    )


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("name", OPERATIONS)
def test_vectors(name: str, n: int) -> None:
    draw = random.Random(name)
    cases: list[Case] = []
    for _ in range(16):
        types = draw.choice(TYPES), draw.choice(TYPES), draw.choice(TYPES)
        more = draw.choice(("", "sat", "add"))
        head = ".".join((f"v{name}{n}", *types)) + (".sat" if more == "sat" else "")
        fn, flags = OPERATIONS[name], {"sat": more == "sat", "adds": more == "add"}
        cases.append(simd(head, n, types, fn, draw, **flags))
    run(cases)


@pytest.mark.parametrize("n", [2, 4])
def test_vector_comparisons(n: int) -> None:
    draw = random.Random(n)
    cases: list[Case] = []
    for name, compare in COMPARISONS.items():
        for adds in (False, True):
            types = "u32", draw.choice(TYPES), draw.choice(TYPES)
            head = f"vset{n}.{types[1]}.{types[2]}.{name}"
            fn = lambda x, y, f=compare: int(f(x, y))  # noqa: E731
            cases.append(simd(head, n, types, fn, draw, adds=adds))
    run(cases)


def test_intrinsics_of_nvcc() -> None:
    """What nvcc makes of __vabsdiffu4, __vsadu4: bytes far apart, and their sum."""
    apart = case(
        "vabsdiff4.u32.u32.u32 {d}, {a}, {b}, {c};",
        lambda x, y, z: int.from_bytes(
            bytes(abs(p - q) for p, q in zip(x.to_bytes(4), y.to_bytes(4), strict=True))
        ),
    )
    total = replace(
        apart,
        code="vabsdiff4.u32.u32.u32.add {d}, {a}, {b}, {c};",
        expected=lambda x, y, z: (
            sum(
                (abs(p - q) for p, q in zip(x.to_bytes(4), y.to_bytes(4), strict=True)),
                z,
            )
            & 0xFFFFFFFF
        ),
    )
    pairs = np.arange(1 << 16, dtype=np.uint32)
    check(apart, [pairs & 255, pairs >> 8, pairs])
    run([apart, total])
