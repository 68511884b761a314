# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled function on the emulator and finds its largest error.

An error is the distance from the exact result in units in the last place of the exact
result: the distance between the two neighbours of the type around it, or that of the
subnormal numbers. A result beyond the largest finite number counts as the next power
of two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile.api import Compiled
from cuda_tile.emulator import launch
from ulp.subjects import FORMATS, Array, Doubles, Subject, mpmath

TILE = 512
"""Elements per tile block."""
CHUNK = 1 << 20
"""Elements per launch."""
REFERENCE_BITS = 160
SMALLEST_NORMAL = 2.0**-126
"""Of f32, the only type with a mode that flushes smaller numbers."""
WARPS = 4


@dataclass(frozen=True)
class Errors:
    """The comparison of many results.

    Attributes:
        ulp: The largest error.
        worst: The operands that it belongs to.
        wrong: Results that are NaN, infinite or zero, or not, unlike the exact one, or
            a zero of the other sign.
    """

    ulp: float
    worst: tuple[float, ...]
    wrong: int


def source(subject: Subject, element: str) -> str:
    """A kernel that applies the function to the elements of arrays."""
    operands = subject.operands(element)
    types = dict(zip("ab", operands, strict=False)) | {"o": element}
    lines = [
        f"%n = constant <i32: {TILE}> : tile<i32>",
        "%x, %y, %z = get_tile_block_id : tile<i32>",
        "%first = muli %x, %n : tile<i32>",
        f"%i = iota : tile<{TILE}xi32>",
    ]
    for name, e in types.items():
        p, many = f"ptr<{e}>", f"tile<{TILE}xptr<{e}>>"
        lines += [
            f"%{name}1 = offset %{name}0, %first : tile<{p}>, tile<i32> -> tile<{p}>",
            f"%{name}2 = reshape %{name}1 : tile<{p}> -> tile<1x{p}>",
            f"%{name}3 = broadcast %{name}2 : tile<1x{p}> -> {many}",
            f"%{name}4 = offset %{name}3, %i : {many}, tile<{TILE}xi32> -> {many}",
        ]
    for name, e in zip("ab", operands, strict=False):
        text = f"tile<{TILE}xptr<{e}>> -> tile<{TILE}x{e}>, token"
        lines.append(f"%{name}, %t{name} = load_ptr_tko weak %{name}4 : {text}")
    tiles = [f"tile<{TILE}x{e}>" for e in operands]
    typed = ", ".join(tiles) if subject.exponent else tiles[0]
    lines.append(f"%r = {subject.statement()} : {typed}")
    lines.append(
        f"%s = store_ptr_tko weak %o4, %r : tile<{TILE}xptr<{element}>>, "
        f"tile<{TILE}x{element}> -> token"
    )
    parameters = ", ".join(f"%{name}0: tile<ptr<{e}>>" for name, e in types.items())
    body = "\n".join([*lines, "return"])
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{\n{body}\n}} }}"


def compiled(subject: Subject, element: str, gpu: str) -> Compiled:
    """The function for a chip."""
    module = cuda_tile.load(source(subject, element).encode())
    options = cuda_tile.Options(num_warps=WARPS)
    return cuda_tile.compile(module, gpu, options=options, cubin=False)


def measure(
    subject: Subject, element: str, ptx: str, operands: Sequence[Array]
) -> Errors:
    """Runs the kernel on all operands and compares, part by part."""
    found = [
        errors(subject, element, part, _results(ptx, part, element))
        for part in _parts(operands)
    ]
    worst = max(found, key=lambda e: e.ulp)
    return replace(worst, wrong=sum(e.wrong for e in found))


def _parts(operands: Sequence[Array]) -> Iterator[list[Array]]:
    for start in range(0, operands[0].size, CHUNK):
        yield [a[start : start + CHUNK] for a in operands]


def _results(ptx: str, operands: Sequence[Array], element: str) -> Array:
    count = operands[0].size
    padded = -(-count // TILE) * TILE
    out = np.zeros(padded, FORMATS[element].dtype)
    args = [*(np.resize(a, padded) for a in operands), out]
    launch(ptx, grid=padded // TILE, block=32 * WARPS, args=args)
    return out[:count]


# Approximations of the hardware at the limits of what the PTX ISA promises ------------

ULPS = {"ex2.approx": 2, "rcp.approx": 1, "div.approx": 2, "div.full": 2}
"""Largest error in units in the last place (PTX ISA, "ex2", "rcp", "div")."""
RELATIVE = {
    "rsqrt.approx": 2.0**-22.9,
    "sqrt.approx": 2.0**-23,
    "tanh.approx": 2.0**-11,
}
"""Largest relative error (PTX ISA, "rsqrt", "sqrt", "tanh")."""
LOGARITHM = 2.0**-22
"""Of `lg2.approx`, absolute between 0.5 and 2, relative elsewhere (PTX ISA, "lg2")."""
_APPROXIMATION = re.compile(
    r"^(?P<line>\s*(?P<kind>[a-z0-9]+\.(?:approx|full))(?:\.ftz)?\.f32\s+(?P<d>%\w+),.*;)",
    re.M,
)


def worst_texts(ptx: str) -> Iterator[str]:
    """The PTX with its approximations moved to the ends of their ranges.

    One text for each choice of directions, the same for all uses of an instruction.
    """
    kinds = sorted({match["kind"] for match in _APPROXIMATION.finditer(ptx)})
    for signs in product((-1.0, 1.0), repeat=len(kinds)) if kinds else ():
        chosen = dict(zip(kinds, signs, strict=True))

        def moved(match: re.Match[str], chosen: dict[str, float] = chosen) -> str:
            return match["line"] + _shift(match["kind"], match["d"], chosen)

        text = _APPROXIMATION.sub(moved, ptx)
        yield re.sub(r"^\{$", "{\n.reg .b32 %off<2>;", text, flags=re.M)


def _shift(kind: str, d: str, signs: dict[str, float]) -> str:
    """Instructions that move `d`; zeros, infinities and their signs stay."""
    sign = signs[kind]
    if kind == "lg2.approx":
        return (
            f"\nabs.f32 %off0, {d};\nmax.f32 %off0, %off0, {_literal(1.0)};"
            f"\nmin.f32 %off0, %off0, {_literal(256.0)};"
            f"\nfma.rn.f32 {d}, %off0, {_literal(sign * LOGARITHM)}, {d};"
        )
    scale, step = "abs.f32 %off0, %off1", RELATIVE.get(kind, 0.0)
    if kind in ULPS:  # times the power of two of the number, which is 0 for 0
        scale, step = "and.b32 %off0, %off1, 0x7f800000", ULPS[kind] * 2.0**-23
    return (
        f"\nmov.b32 %off1, {d};\n{scale};\nmin.u32 %off0, %off0, 0x7f000000;"
        f"\nabs.f32 {d}, {d};\nfma.rn.f32 {d}, %off0, {_literal(sign * step)}, {d};"
        f"\ncopysign.f32 {d}, %off1, {d};"
    )


def _literal(value: float) -> str:
    return f"0f{np.float32(value).view(np.uint32):08X}"


# Errors -------------------------------------------------------------------------------


def errors(
    subject: Subject, element: str, operands: Sequence[Array], got: Array
) -> Errors:
    """Compares results with exact ones."""
    flushes = subject.mode == "flush_to_zero"
    with np.errstate(all="ignore"):
        wide = [a if a.dtype.kind == "i" else a.astype(np.float64) for a in operands]
        if flushes:
            wide = [_flushed(a) for a in wide]
        high = subject.doubles(*wide)
        low = np.zeros_like(high)
        if element == "f64" and subject.exact is not None:
            high, low = _exact(subject.exact, wide, high)
        found = got.astype(np.float64)
        if flushes:  # beside the smallest normal number both are right
            beside = np.abs(np.abs(high) - SMALLEST_NORMAL) < 2.0**-20 * SMALLEST_NORMAL
            high = _flushed(np.where(beside, found, high))
        return _compare(high, low, found, element, wide)


def _flushed(values: Doubles) -> Doubles:
    return np.where(np.abs(values) < SMALLEST_NORMAL, np.copysign(0.0, values), values)


def _exact(
    function: Callable[..., Any], operands: list[Array], rough: Doubles
) -> tuple[Doubles, Doubles]:
    """The exact results as sums of two f64, where these are ordinary numbers."""
    high, low = rough.copy(), np.zeros_like(rough)
    is_plain = np.isfinite(rough) & (rough != 0)
    for operand in operands:  # mpmath has no negative zero
        is_plain &= np.isfinite(operand) & (operand != 0)
    with mpmath.workprec(REFERENCE_BITS):
        for i in np.flatnonzero(is_plain):
            numbers = [mpmath.mpf(a[i].item()) for a in operands]
            exact = function(*numbers)
            if isinstance(exact, mpmath.mpf) and exact != 0:
                high[i] = float(exact)
                low[i] = float(exact - high[i])
    return high, low


def _compare(
    high: Doubles, low: Doubles, found: Doubles, element: str, operands: Sequence[Array]
) -> Errors:
    exponent = FORMATS[element].largest_exponent + 1
    limit = np.inf if element == "f64" else 2.0**exponent
    wrong = np.isnan(high) != np.isnan(found)
    wrong |= (high == 0) & ((found != 0) | (np.signbit(found) != np.signbit(high)))
    unit = _unit(high, element)
    apart = np.clip(found, -limit, limit) - np.clip(high, -limit, limit) - low
    distance = np.where(wrong | np.isnan(found) | np.isnan(apart), 0.0, np.abs(apart))
    distance /= unit
    worst = int(np.argmax(distance))
    at = tuple(float(a[worst]) for a in operands)
    return Errors(float(distance[worst]), at, int(np.count_nonzero(wrong)))


def _unit(values: Doubles, element: str) -> Doubles:
    form = FORMATS[element]
    _, above = np.frexp(values)
    most = form.largest_exponent
    return np.ldexp(1.0, np.clip(above - 1, 1 - most, most) - form.fraction_bits)
