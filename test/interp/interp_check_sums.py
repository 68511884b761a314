# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of reductions, scans and matrix products on one choice of element types."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from interp_build import Kernel, Val, apply, tile_of
from interp_check_functions import ulp
from interp_check_memory import finite
from interp_check_moves import result
from interp_check_numbers import Check
from interp_legal import Signature
from interp_types import (
    WIDTHS,
    Number,
    decode,
    encode,
    numbers,
    patterns,
    read,
    round_to,
    sample,
    tile,
)

# Reductions


def folded(name: str) -> Check:
    """Sums of integers, maxima of floats."""

    def check(row: Signature, modes: list[str]) -> None:
        kind = row[0]
        a = finite(kind, (8, 16), 1) if kind in WIDTHS else usual(kind, (8, 16))
        k = Kernel()
        x = k.constant(a, kind)
        scalar = tile_of(kind)
        with k.region(scalar, scalar) as body:
            k.op("yield", _combine(k, kind, *body.arguments))
        lowest = 0 if kind in WIDTHS else (2.0**-127 if "E8M0" in kind else -64.0)
        y = k.op(
            name,
            x,
            results=(tile_of(kind, *((8,) if name == "reduce" else (8, 16))),),
            regions=(body,),
            dim=1,
            reverse=False,
            identities=[np.asarray(lowest).astype(a.dtype)],
        )
        rows = np.array(patterns(kind, a), dtype=object).reshape(8, 16).tolist()
        expected = [_fold(kind, row) for row in rows]
        wanted = [e[-1:] if name == "reduce" else e for e in expected]
        got = patterns(kind, result(k, y))
        assert got == [code for row in wanted for code in row]

    return check


def usual(kind: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    rng = np.random.default_rng(5)
    if kind == "f8E8M0FNU":
        codes = rng.integers(0, 255, count).astype(np.uint64)
    else:
        values = rng.integers(-12, 13, count) / 4
        codes = np.array([encode(round_to(v, kind), kind) for v in values], np.uint64)
    return tile(kind, codes).reshape(shape)


def _combine(k: Kernel, kind: str, a: Val, b: Val) -> Val:
    if kind in WIDTHS:
        return k.op("addi", a, b, results=(tile_of(kind),))
    if kind in ("f16", "bf16", "f32", "f64"):
        return k.op("maxf", a, b, results=(tile_of(kind),))
    wide = [k.op("ftof", v, results=(tile_of("f32"),)) for v in (a, b)]
    most = k.op("maxf", *wide, results=(tile_of("f32"),))
    mode = "zero" if kind == "f8E8M0FNU" else "nearest_even"
    return k.op("ftof", most, results=(tile_of(kind),), rounding_mode=mode)


def _fold(kind: str, codes: list[int]) -> list[int]:
    found = codes[:1]
    for code in codes[1:]:
        last = found[-1]
        if kind in WIDTHS:
            found.append((last + code) & ((1 << WIDTHS[kind]) - 1))
        else:  # +0 is larger than -0
            found.append(max(last, code, key=lambda c: (decode(c, kind), -c)))
    return found


# Products


def product(name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        kind, acc = row[0], row[2]
        m, n, count = 4, 2, 64
        a, b = usual(kind, (m, count)), usual(kind, (count, n))
        c = usual(acc, (m, n)) if acc not in WIDTHS else sample(acc, (m, n), 3)
        operands = [(a, kind), (b, kind), (c, acc)]
        left, right = exact(kind, a), exact(kind, b)
        attributes: dict[str, Any] = {}
        if name == "tileas.mma_sync":
            attributes["atom"] = ""
        if name == "mmaf_scaled":
            scale = row[3]
            blocks = 4 if scale == "f8E4M3FN" else 2
            sa, sb = scales(scale, (m, blocks)), scales(scale, (blocks, n))
            operands += [(sa, scale), (sb, scale)]
            wide = np.repeat(exact(scale, sa), count // blocks, axis=1)
            left = left * wide
            right = right * np.repeat(exact(scale, sb), count // blocks, axis=0)
        got = apply(name, operands, [((m, n), acc)], **attributes)
        total = exact(acc, c) + left.dot(right)
        for mine, true in zip(numbers(acc, got), total.reshape(-1), strict=True):
            allowed = ulp(abs(true), acc) / 2 if true else Fraction(0)
            assert abs(Fraction(mine) - true) <= allowed  # the sums fit float64

    return check


def mmai(row: Signature, modes: list[str]) -> None:
    a, b = sample("i8", (4, 64), 1), sample("i8", (64, 2), 2)
    c = sample("i32", (4, 2), 3)
    operands = [(a, "i8"), (b, "i8"), (c, "i32")]
    for left in ("signed", "unsigned"):
        for right in ("signed", "unsigned"):
            got = apply(
                "mmai",
                operands,
                [((4, 2), "i32")],
                signedness_lhs=left,
                signedness_rhs=right,
            )
            x = np.array([read(v, "i8", left) for v in patterns("i8", a)], object)
            y = np.array([read(v, "i8", right) for v in patterns("i8", b)], object)
            z = np.array(patterns("i32", c), object).reshape(4, 2)
            total = z + x.reshape(4, 64).dot(y.reshape(64, 2))
            assert patterns("i32", got) == [v % 2**32 for v in total.reshape(-1)]


def scales(kind: str, shape: tuple[int, ...]) -> np.ndarray:
    codes = np.random.default_rng(8).integers(120, 134, int(np.prod(shape)))
    if kind == "f8E4M3FN":
        codes = codes % 64
    return tile(kind, codes.astype(np.uint64)).reshape(shape)


def exact(kind: str, values: np.ndarray) -> Any:
    found: list[Number] = [Fraction(x) for x in numbers(kind, values)]
    return np.array(found, dtype=object).reshape(values.shape)


CHECKS: dict[str, Check] = {
    "reduce": folded("reduce"),
    "scan": folded("scan"),
    "mmaf": product("mmaf"),
    "mmaf_scaled": product("mmaf_scaled"),
    "tileas.mma_sync": product("tileas.mma_sync"),
    "mmai": mmai,
}
"""The check of each op."""
