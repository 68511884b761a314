# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions: cvt", stochastic rounding (.rs).

Random bits of an operand are added below the last bit of the result, and the sum is
cut off. Each half of that operand serves one source of a pair, or two of four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.narrow import LARGEST, SMALL
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import B32, TYPES, Array

Random = NDArray[np.uint32]


@dataclass(frozen=True)
class _Format:
    """A destination.

    Attributes:
        precision: Significant bits.
        least: Exponent of the smallest normal number.
        random_bits: How many random bits count.
    """

    precision: int
    least: int
    random_bits: int = 16


_FORMATS = {
    "f16": _Format(11, -14, 13),
    "bf16": _Format(8, -126),
    "e4m3": _Format(4, -6),
    "e5m2": _Format(3, -14),
    "e2m3": _Format(4, 0),
    "e3m2": _Format(3, -2),
    "e2m1": _Format(2, 0),
}


def convert(form: Form, b: Builder) -> Compiled:
    """cvt.rs{.relu}{.satfinite} of two or four f32."""
    if b.algebra:
        exact.refuse(form, "conversions rounded at random")
    relu, satfinite = form.flag("relu"), form.flag("satfinite")
    relu = relu or form.flag("relu")
    pairs = tuple(f"{name}x2" for name in LARGEST)
    fours = tuple(f"{name.removesuffix('x2')}x4" for name in SMALL)
    to = form.choice(*pairs, *fours)
    form.require("f32")
    name, count = to[:-2], int(to[-1])
    if count == 2:
        d, *sources, random = form.operands(4)
    else:
        if not satfinite:
            form.error(f"expected '.rs.satfinite' to .{to}")
        d, vector, random = form.operands(3)
        sources = form.vector(vector, 4)
    bits = {2: 16, 4: SMALL[f"{name}x2"].bits if count == 4 else 0}[count]
    word = TYPES[f"b{bits * count}"]
    encode = _encoding(name, satfinite=satfinite)
    fmt = _FORMATS[name]

    def pack(noise: Array, *values: Array) -> Array:
        packed = np.zeros(len(noise), np.uint32)
        for place, value in enumerate(values):
            if relu:
                value = np.where(value < 0, np.float32(0), value)
            is_upper = 2 * place < count
            rounded = _round(value, _chosen(noise, name, is_upper=is_upper), fmt)
            packed = packed << np.uint32(bits) | encode(rounded)
        return packed.astype(word.dtype)

    if not isinstance(random, Register):
        form.error("expected a register with random bits")
    singles = [b.src(source, TYPES["f32"]) for source in sources]
    return b.elementwise(pack, b.dst(d, word), b.src(random, B32), *singles)


def _chosen(noise: Random, name: str, *, is_upper: bool) -> Random:
    """The random bits of the sources of the upper or lower half of the result."""
    if name == "e2m1":
        first = np.uint32(8 if is_upper else 0)
        high = noise >> np.uint32(16) + first & np.uint32(0xFF)
        return high << np.uint32(8) | (noise >> first & np.uint32(0xFF))
    half = noise >> np.uint32(16 if is_upper else 0)
    return half & np.uint32((1 << _FORMATS[name].random_bits) - 1)


def _round(x: Array, noise: Random, fmt: _Format) -> NDArray[np.float64]:
    """Rounds f32 to the precision of a format with an exponent without bounds above."""
    value = np.where(np.isfinite(x), x, 0).astype(np.float64)
    _, exponent = np.frexp(value)  # |value| is from 2**(exponent - 1) to 2**exponent
    last = np.maximum(exponent - 1, fmt.least) - (fmt.precision - 1)
    scaled = np.ldexp(np.abs(value), fmt.random_bits - last)
    whole = np.floor(scaled).astype(np.int64) + noise >> fmt.random_bits
    result = np.copysign(np.ldexp(whole.astype(np.float64), last), value)
    return np.where(np.isfinite(x), result, x)


def _encoding(name: str, *, satfinite: bool) -> Callable[[Array], Array]:
    """From values that the format has, or beyond its largest one, to its bits."""
    if name in LARGEST:
        limit = LARGEST[name] if satfinite else np.inf

        def halves(value: Array) -> Array:
            value = np.where(value != value, value, value.clip(-limit, limit))
            if name == "bf16":
                return numerics.f32_to_bf16(value.astype(np.float32)).view(np.uint16)
            with np.errstate(over="ignore"):
                return numerics.canonical(value.astype(np.float16)).view(np.uint16)

        return halves
    small = SMALL[f"{name}x2"]

    def codes(value: Array) -> Array:
        limited = value.clip(-small.largest, small.largest).astype(np.float32)
        return np.where(
            value != value, np.uint8(small.nan), _bits(limited, small.dtype)
        )

    return codes


def _bits(values: Array, dtype: DTypeLike) -> NDArray[np.uint8]:
    return values.astype(dtype).view(np.uint8)
