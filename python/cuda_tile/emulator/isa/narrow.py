"""PTX ISA: "Data Movement and Conversion Instructions: cvt", packed and narrow floats.

Pairs f16x2, bf16x2, e4m3x2, e5m2x2 and the format tf32. Of two sources the first goes
to the upper half.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile.emulator import numerics
from cuda_tile.emulator.build import Builder
from cuda_tile.emulator.form import Form
from cuda_tile.emulator.step import Compiled
from cuda_tile.emulator.types import B32, TYPES, Array, Type

DESTINATIONS = ("f16x2", "bf16x2", "e4m3x2", "e5m2x2")
SOURCES = ("e4m3x2", "e5m2x2")
_EIGHT: dict[str, tuple[Any, float]] = {
    "e4m3x2": (ml_dtypes.float8_e4m3fn, 448.0),
    "e5m2x2": (ml_dtypes.float8_e5m2, 57344.0),
}
_LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38}

Fn = Callable[[Array], Array]


def convert(
    form: Form, b: Builder, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    """Compiles a cvt that has a packed or tf32 type."""
    if form.flag("tf32"):
        return _to_tf32(form, b, rounding, relu=relu, satfinite=satfinite)
    to = form.type(*DESTINATIONS)
    if to.name in _EIGHT:
        return _to_eight(form, b, to, rounding, relu=relu, satfinite=satfinite)
    source = form.type("f32", *SOURCES)
    if source.name in _EIGHT:
        return _from_eight(form, b, to, source, rounding, relu=relu)
    if rounding not in ("rn", "rz"):
        form.error("expected '.rn' or '.rz' before a packed type")
    half = to.name.removesuffix("x2")
    fn = clamped(_half(half, rounding), TYPES[half], relu=relu, satfinite=satfinite)
    d, high, low = form.operands(3)

    def pack(x: Array, y: Array) -> Array:
        upper = fn(x).view(np.uint16).astype(np.uint32) << np.uint32(16)
        return upper | fn(y).view(np.uint16)

    return b.elementwise(pack, b.dst(d, B32), b.src(high, source), b.src(low, source))


def _half(name: str, rounding: str) -> Fn:
    if name == "bf16":
        return lambda x: numerics.f32_to_bf16(x, rounding)
    return lambda x: numerics.canonical(
        numerics.round_to(x.astype(np.float64), np.float16, rounding)
    )


def clamped(fn: Fn, to: Type, *, relu: bool, satfinite: bool) -> Fn:
    """Adds `.relu` (negative gives +0) and `.satfinite` to an f32 conversion."""
    if not relu and not satfinite:
        return fn
    limit = np.float32(_LARGEST[to.name])

    def apply(x: Array) -> Array:
        if satfinite:
            x = np.where(x != x, x, x.clip(-limit, limit))
        if relu:
            x = np.where(x < 0, np.float32(0), x)
        return fn(x)

    return apply


def _to_eight(
    form: Form, b: Builder, to: Type, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    if rounding != "rn" or not satfinite:
        form.error(f"expected '.rn.satfinite' to {to}")
    relu = relu or form.flag("relu")
    source = form.type("f32", "f16x2")
    element, limit = _EIGHT[to.name]

    def octet(x: Array) -> Array:
        x = np.where(x < 0, np.float32(0), x) if relu else x
        bits = x.clip(-limit, limit).astype(element).view(np.uint8)
        return np.where(x != x, np.uint8(0x7F), bits).astype(np.uint16)

    if source.name == "f16x2":
        d, pair = form.operands(2)

        def split(x: Array) -> Array:
            halves = np.ascontiguousarray(x).view(np.float16).astype(np.float32)
            low, high = octet(halves[0::2]), octet(halves[1::2])
            return low | high << np.uint16(8)

        return b.elementwise(split, b.dst(d, TYPES["b16"]), b.src(pair, source))
    d, high, low = form.operands(3)

    def pack(x: Array, y: Array) -> Array:
        return octet(y) | octet(x) << np.uint16(8)

    sources = b.src(high, source), b.src(low, source)
    return b.elementwise(pack, b.dst(d, TYPES["b16"]), *sources)


def _from_eight(
    form: Form, b: Builder, to: Type, source: Type, rounding: str, *, relu: bool
) -> Compiled:
    if rounding != "rn" or to.name != "f16x2":
        form.error(f"expected 'cvt.rn.f16x2' from {source}")
    element, _ = _EIGHT[source.name]
    d, x = form.operands(2)

    def widen(pair: Array) -> Array:
        octets = np.ascontiguousarray(pair).view(element)
        halves = numerics.canonical(octets.astype(np.float16))
        if relu:
            halves = np.where(halves < 0, np.float16(0), halves)
        return halves.view(np.uint32)

    return b.elementwise(widen, b.dst(d, B32), b.src(x, source))


def _to_tf32(
    form: Form, b: Builder, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    """Rounds f32 to 10 mantissa bits: `rna` ties away from zero, `rn` even, `rz`."""
    form.require("f32")
    if rounding not in ("rna", "rn", "rz") or satfinite:
        form.error("expected '.rna', '.rn' or '.rz' before '.tf32'")
    d, x = form.operands(2)

    def fn(value: Array) -> Array:
        if relu:
            value = np.where(value < 0, np.float32(0), value)
        bits = np.ascontiguousarray(value).view(np.uint32)
        if rounding == "rna":
            rounded = bits + np.uint32(0x1000)
        elif rounding == "rn":
            odd = (bits >> np.uint32(13)) & np.uint32(1)
            rounded = bits + np.uint32(0xFFF) + odd
        else:
            rounded = bits
        rounded = rounded & np.uint32(0xFFFFE000)
        rounded = np.where(np.isfinite(value), rounded, bits)
        return np.where(value != value, numerics.NAN32, rounded)

    return b.elementwise(fn, b.dst(d, B32), b.src(x, TYPES["f32"]))
