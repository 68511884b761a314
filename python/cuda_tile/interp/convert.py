# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the convert family: between widths, between integers and floats, bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.integer import PROMISES, check_promise
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import Floats, round_to, to_odd, widen
from cuda_tile.interp.table import RULES
from cuda_tile.interp.words import Signed, Unsigned, big, limits, reading, signed, wrap
from cuda_tile.runtime.elements import Array, Element, element, from_memory, to_memory


@RULES.register("exti")
def exti(run: TileBlock, op: Op, source: Array) -> Array:
    """Sign- or zero-extended to a wider type."""
    kind = op.operand_tile().element
    wide = reading(source, kind, op.attributes["signedness"])
    return wrap(wide, op.tile().element)


@RULES.register("trunci")
def trunci(run: TileBlock, op: Op, source: Array) -> Array:
    """The low bits; to i1 bit 0. The promises speak of the value that must fit."""
    kind, source_kind = op.tile().element, op.operand_tile().element
    if run.launch.is_checked:
        promised = PROMISES[op.attributes.get("overflow", "none")]
        exact = {s: big(source, source_kind, s) for s in promised}
        check_promise(run, op, exact, kind)
    return wrap(signed(source), kind)


@RULES.register("itof")
def itof(run: TileBlock, op: Op, source: Array) -> Array:
    """Rounded once from the exact integer; 64-bit integers go through round-to-odd."""
    source_kind = op.operand_tile().element
    values = reading(source, source_kind, op.attributes["signedness"])
    return _narrow(_odd_float(values, op.tile().element), op.tile().element)


def _odd_float(values: Signed | Unsigned, kind: Element) -> Floats:
    nearest = np.asarray(values.astype(np.float64))
    if kind.name == "f64" or np.all(np.abs(nearest) < 2.0**53):
        return nearest
    exact = np.asarray(values.astype(object))
    error: Any = exact - np.asarray(np.vectorize(int, otypes=[object])(nearest))
    sign = np.sign(np.asarray(error).astype(np.float64))  # a 0-d difference is an int
    return to_odd(nearest, np.asarray(sign))


@RULES.register("ftoi")
def ftoi(run: TileBlock, op: Op, source: Array) -> Array:
    """Toward zero. Out of range: an error when checked, unless `saturating`.

    Permissive mode and `saturating` clamp, and turn NaN into 0; for a NaN that does
    not saturate see `decisions.FTOI_NAN`. To i1 it is a comparison with zero.
    """
    kind, signedness = op.tile().element, op.attributes["signedness"]
    if kind.bits == 1 and decisions.FTOI_TO_I1 == "not zero":
        return np.asarray(widen(source) != 0)
    lowest, highest = limits(kind, signedness)
    whole = np.trunc(widen(source))
    is_nan = np.isnan(whole)
    outside = is_nan | (whole < lowest) | (whole >= float(highest + 1))
    is_saturating = bool(op.attributes.get("saturating"))
    if not is_saturating:
        text = f"the value is outside the range of {signedness} {kind}"
        run.forbid(op, outside, text, widen(source))
    inside = np.where(outside, 0.0, whole)
    if signedness == "signed":
        result = inside.astype(np.int64).view(np.uint64)
    else:
        result = inside.astype(np.uint64)
    clamped = np.where(whole < 0, _bits64(lowest), _bits64(highest))
    is_wide = kind.bits == 64 or op.operand_tile().element.name == "f64"
    has_top_bit = decisions.FTOI_NAN == "top bit" and is_wide and not is_saturating
    clamped = np.where(is_nan, _bits64(has_top_bit << kind.bits - 1), clamped)
    return wrap(np.asarray(np.where(outside, clamped, result)), kind)


def _bits64(value: int) -> np.uint64:
    return np.uint64(value & ((1 << 64) - 1))


@RULES.register("ftof")
def ftof(run: TileBlock, op: Op, source: Array) -> Array:
    """Rounded once; see `rounding.py` for overflow and special values."""
    mode = op.attributes.get("rounding_mode", "nearest_even")
    return _narrow(widen(source), op.tile().element, mode)


def _narrow(values: Floats, kind: Element, mode: str = "nearest_even") -> Array:
    if decisions.CONVERT_THROUGH_F32 and kind.name not in ("f32", "f64"):
        values = widen(round_to(values, element("f32"), mode))
    return round_to(values, kind, mode)


@RULES.register("bitcast")
def bitcast(run: TileBlock, op: Op, source: Array) -> Array:
    """The same bits in another type of the same width."""
    kind, source_kind = op.tile().element, op.operand_tile().element
    raw = to_memory(source, source_kind)
    return from_memory(raw, kind).reshape(source.shape)


@RULES.register("int_to_ptr")
def int_to_ptr(run: TileBlock, op: Op, source: Array) -> Array:
    """The address that the unsigned integer names."""
    return np.asarray(source.astype(np.int64).view(np.uint64))


@RULES.register("ptr_to_int")
def ptr_to_int(run: TileBlock, op: Op, source: Array) -> Array:
    """The byte address as an integer."""
    return np.asarray(source.astype(np.uint64).view(np.int64))


@RULES.register("ptr_to_ptr")
def ptr_to_ptr(run: TileBlock, op: Op, source: Array) -> Array:
    """The same address with another type behind it."""
    return source
