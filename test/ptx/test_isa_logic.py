# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logic, shifts and bit fields against Python integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from ptx_harness import Case, bits_of, check, check_legal, samples
from test_isa_integer import wrap

WIDTHS = (16, 32, 64)


def shift_left(a: int, n: int, ty: str) -> int:
    return wrap(a << n, ty) if n < bits_of(ty) else 0


def shift_right(a: int, n: int, ty: str) -> int:
    return a >> min(n, bits_of(ty)) if ty[0] == "s" else a >> min(n, 64)


def _logic_cases() -> list[Case]:
    cases: list[Case] = []
    for bits in WIDTHS:
        ty = f"b{bits}"
        pair = (ty, ty)
        cases += [
            Case(f"and.{ty} {{d}}, {{a}}, {{b}};", pair, ty, lambda a, b: a & b),
            Case(f"or.{ty} {{d}}, {{a}}, {{b}};", pair, ty, lambda a, b: a | b),
            Case(f"xor.{ty} {{d}}, {{a}}, {{b}};", pair, ty, lambda a, b: a ^ b),
            Case(f"not.{ty} {{d}}, {{a}};", (ty,), ty, lambda a, t=ty: wrap(~a, t)),
            Case(f"cnot.{ty} {{d}}, {{a}};", (ty,), ty, lambda a: int(a == 0)),
        ]
    pair = ("pred", "pred")
    cases += [
        Case("and.pred {d}, {a}, {b};", pair, "pred", lambda a, b: a & b),
        Case("or.pred {d}, {a}, {b};", pair, "pred", lambda a, b: a | b),
        Case("xor.pred {d}, {a}, {b};", pair, "pred", lambda a, b: a ^ b),
        Case("not.pred {d}, {a};", ("pred",), "pred", lambda a: 1 - a),
        Case("mov.pred {d}, {a};", ("pred",), "pred", lambda a: a),
    ]
    return cases


def lop3(table: int) -> Callable[[int, int, int], int]:
    def fn(a: int, b: int, c: int) -> int:
        result = 0
        for bit in range(32):
            entry = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)
            result |= (table >> entry & 1) << bit
        return result

    return fn


def _lop3_cases() -> list[Case]:
    three = ("b32", "b32", "b32")
    cases = [
        Case(
            f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};", three, "b32", lop3(table)
        )
        for table in (0, 0x80, 0x96, 0xE8, 0x1A, 0xFE, 0xFF)
    ]
    for name, join in (("or", lambda p, q: p | q), ("and", lambda p, q: p & q)):
        cases.append(
            Case(
                f"lop3.{name}.b32 %t|{{d}}, {{a}}, {{b}}, {{a}}, 0xC0, {{c}};",
                ("b32", "b32", "pred"),
                "pred",
                lambda a, b, c, j=join: j(int(lop3(0xC0)(a, b, a) != 0), c),
                target="sm_90",
            )
        )
    return cases


def _shift_cases() -> list[Case]:
    cases: list[Case] = []
    for bits in WIDTHS:
        for kind in "bus":
            ty = f"{kind}{bits}"
            if kind == "b":
                cases.append(
                    Case(
                        f"shl.{ty} {{d}}, {{a}}, {{b}};",
                        (ty, "u32"),
                        ty,
                        lambda a, n, t=ty: shift_left(a, n, t),
                    )
                )
            cases.append(
                Case(
                    f"shr.{ty} {{d}}, {{a}}, {{b}};",
                    (ty, "u32"),
                    ty,
                    lambda a, n, t=ty: shift_right(a, n, t),
                )
            )
    return cases + [
        Case(
            f"shf.{direction}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};",
            ("b32", "b32", "u32"),
            "b32",
            funnel(direction, mode),
        )
        for direction in "lr"
        for mode in ("clamp", "wrap")
    ]


def funnel(direction: str, mode: str) -> Callable[[int, int, int], int]:
    def fn(low: int, high: int, count: int) -> int:
        n = min(count, 32) if mode == "clamp" else count & 31
        if direction == "l":
            return wrap((high << n) | (low >> (32 - n)), "u32")
        return wrap((high << (32 - n)) | (low >> n), "u32")

    return fn


def reverse(a: int, bits: int) -> int:
    return int(f"{a:0{bits}b}"[::-1], 2)


def find(a: int, ty: str, *, amount: bool) -> int:
    bits = bits_of(ty)
    if ty[0] == "s" and a < 0:
        a = ~a
    if a == 0:
        return 0xFFFFFFFF
    place = a.bit_length() - 1
    return bits - 1 - place if amount else place


def extract(a: int, start: int, count: int, ty: str) -> int:
    """The ISA's own loop for bfe."""
    msb = bits_of(ty) - 1
    start, count = start & 255, count & 255
    source = a & ((1 << (msb + 1)) - 1)
    sign = 0
    if ty[0] == "s" and count != 0:
        sign = source >> min(start + count - 1, msb) & 1
    result = sign * ((1 << (msb + 1)) - 1)
    for i in range(msb + 1):
        if i < count and start + i <= msb:
            bit = source >> (start + i) & 1
            result = result & ~(1 << i) | bit << i
    return wrap(result, ty)


def insert(a: int, b: int, start: int, count: int, bits: int) -> int:
    start, count = start & 255, count & 255
    result = b
    for i in range(count):
        if start + i < bits:
            result = result & ~(1 << (start + i)) | (a >> i & 1) << (start + i)
    return result


def mask(start: int, count: int, mode: str) -> int:
    if mode == "wrap":
        start, count = start & 31, count & 31
    return wrap(((1 << min(count, 32)) - 1) << min(start, 32), "u32")


def extend(a: int, count: int, mode: str, ty: str) -> int:
    count = count & 31 if mode == "wrap" else min(count, 32)
    if count == 0:
        return 0
    value = a & ((1 << count) - 1)
    if ty == "s32" and value >> (count - 1):
        value -= 1 << count
    return value


def nth_set(value: int, base: int, offset: int) -> int:
    """The ISA's own loop for fns."""
    if base > 31:
        return 0xFFFFFFFF
    if offset == 0:
        return base if value >> base & 1 else 0xFFFFFFFF
    step = 1 if offset > 0 else -1
    count, place = abs(offset), base
    while 0 <= place < 32:
        count -= value >> place & 1
        if count == 0:
            return place
        place += step
    return 0xFFFFFFFF


def _field_cases() -> list[Case]:
    cases: list[Case] = []
    for bits in (32, 64):
        ty = f"b{bits}"
        cases += [
            Case(f"popc.{ty} {{d}}, {{a}};", (ty,), "u32", lambda a: a.bit_count()),
            Case(
                f"clz.{ty} {{d}}, {{a}};",
                (ty,),
                "u32",
                lambda a, n=bits: n - a.bit_length(),
            ),
            Case(
                f"brev.{ty} {{d}}, {{a}};", (ty,), ty, lambda a, n=bits: reverse(a, n)
            ),
            Case(
                f"bfi.{ty} {{d}}, {{a}}, {{b}}, {{c}}, {{e}};",
                (ty, ty, "u32", "u32"),
                ty,
                lambda a, b, s, c, n=bits: insert(a, b, s, c, n),
            ),
        ]
        for kind in "us":
            ty = f"{kind}{bits}"
            cases.append(
                Case(
                    f"bfe.{ty} {{d}}, {{a}}, {{b}}, {{c}};",
                    (ty, "u32", "u32"),
                    ty,
                    lambda a, s, c, t=ty: extract(a, s, c, t),
                )
            )
            for flag, amount in (("", False), (".shiftamt", True)):
                cases.append(
                    Case(
                        f"bfind{flag}.{ty} {{d}}, {{a}};",
                        (ty,),
                        "u32",
                        lambda a, t=ty, m=amount: find(a, t, amount=m),
                    )
                )
    for mode in ("clamp", "wrap"):
        cases.append(
            Case(
                f"bmsk.{mode}.b32 {{d}}, {{a}}, {{b}};",
                ("u32", "u32"),
                "b32",
                lambda s, c, m=mode: mask(s, c, m),
            )
        )
        for ty in ("u32", "s32"):
            cases.append(
                Case(
                    f"szext.{mode}.{ty} {{d}}, {{a}}, {{b}};",
                    (ty, "u32"),
                    ty,
                    lambda a, c, m=mode, t=ty: extend(a, c, m, t),
                )
            )
    return cases


def permute(a: int, b: int, control: int) -> int:
    octets = [(b << 32 | a) >> (8 * i) & 255 for i in range(8)]
    result = 0
    for place in range(4):
        pick = control >> (4 * place) & 15
        octet = octets[pick & 7]
        if pick & 8:
            octet = 255 * (octet >> 7)
        result |= octet << (8 * place)
    return result


# The selected bytes for each control value, as the ISA's table prints them.
PRMT_MODES = {
    "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
    "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
    "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)),
}


def permute_mode(mode: str) -> Callable[[int, int, int], int]:
    def fn(a: int, b: int, control: int) -> int:
        picks = PRMT_MODES[mode][control & 3]
        return permute(a, b, picks[0] << 12 | picks[1] << 8 | picks[2] << 4 | picks[3])

    return fn


def _prmt_cases() -> list[Case]:
    three = ("b32", "b32", "u32")
    cases = [Case("prmt.b32 {d}, {a}, {b}, {c};", three, "b32", permute)]
    cases += [
        Case(
            f"prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};",
            three,
            "b32",
            permute_mode(mode),
        )
        for mode in PRMT_MODES
    ]
    for control in (0x5410, 0x7632, 0x0123, 0x4444, 0x3218, 0xFDB9):
        text = f"prmt.b32 {{d}}, {{a}}, {{b}}, {control:#06x};"
        fixed = partial(permute, control=control)
        cases.append(Case(text, ("b32", "b32"), "b32", fixed))
    return cases


CASES = [
    *_logic_cases(),
    *_lop3_cases(),
    *_shift_cases(),
    *_field_cases(),
    *_prmt_cases(),
]


def small_amounts(values, seed):
    """Half of the shift amounts small, so that fields inside the register occur."""
    return values % 70 if seed % 2 else values


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
@pytest.mark.parametrize("seed", [0, 1])
def test_logic(case: Case, seed: int) -> None:
    sources = [samples(ty, 256, seed * 8 + i) for i, ty in enumerate(case.sources)]
    amounts = {"shl": 1, "shr": 1, "shf": 2, "bfe": 1, "bfi": 2, "szext": 1, "bmsk": 0}
    start = amounts.get(case.code.split(".")[0])
    if start is not None:
        sources[start:] = [small_amounts(source, seed) for source in sources[start:]]
    check(case, sources)


def test_fns_follows_the_loop_of_the_isa() -> None:
    case = Case("fns.b32 {d}, {a}, {b}, {c};", ("b32", "u32", "s32"), "b32", nth_set)
    sources = [samples(ty, 256, i) for i, ty in enumerate(case.sources)]
    check(case, [sources[0], sources[1] % 32, sources[2] % 9 - 4])
    check_legal([case])


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
