# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the mma family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import Floats, round_to, widen
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of, partial
from cuda_tile.interp.words import reading, signed, wrap
from cuda_tile.runtime.elements import Array, Element

CHUNK = 16
"""Terms that shuffle mode sums exactly before it rounds to the accumulator's type."""


def _operand(values: Array, kind: Element) -> Floats:
    """Exact values of an operand as the multiplier sees it."""
    if kind.name == "tf32" and decisions.TF32_MMA_IGNORES_LOW_BITS:
        high = np.ascontiguousarray(values).view(np.uint32) & np.uint32(0xFFFFE000)
        return widen(high.view(np.float32))
    return widen(values)


def _multiply_add(
    run: TileBlock, op: Op, lhs: Floats, rhs: Floats, acc: Array
) -> Array:
    """`acc + lhs @ rhs`; shuffle mode sums in a random order of random groups."""
    kind = op.tile().element
    if run.launch.order != "shuffle":
        return round_to(widen(acc) + np.matmul(lhs, rhs), kind)
    order = run.launch.random.permutation(lhs.shape[-1])
    total = acc
    for start in range(0, len(order), CHUNK):
        terms = order[start : start + CHUNK]
        partial = np.matmul(lhs[..., terms], rhs[..., terms, :])
        total = round_to(widen(total) + partial, kind)
    return total


@RULES.register("mmaf")
def mmaf(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    """`acc + lhs @ rhs` in float64 over exact products, rounded once.

    Shapes: lhs [.., M, K], rhs [.., K, N], acc [.., M, N]. Executors may sum in any
    order and in the accumulator's precision: compare with a bound that grows with K.
    `fast_acc` (sums of 8-bit floats in less than f32) changes nothing here.
    """
    a = _operand(lhs, op.operand_tile(0).element)
    b = _operand(rhs, op.operand_tile(1).element)
    return _multiply_add(run, op, a, b, acc)


@RULES.register("mmaf_scaled")
def mmaf_scaled(
    run: TileBlock,
    op: Op,
    lhs: Array,
    rhs: Array,
    acc: Array,
    lhs_scale: Array,
    rhs_scale: Array,
) -> Array:
    """Mmaf of operands each scaled in blocks of V = K / K_s elements along K.

    Shapes: lhs_scale [.., M, K_s], rhs_scale [.., K_s, N]. A NaN scale makes every
    product of its block NaN. Operands are scaled first: exact in float64.
    """
    for side, scale in (("lhs", widen(lhs_scale)), ("rhs", widen(rhs_scale))):
        if run.launch.is_checked and np.any(scale < 0):
            where = tuple(int(i) for i in np.argwhere(scale < 0)[0])
            text = f"a scale of {side} is negative, got {scale[where]}"
            run.doubt(op, "scale", text, where)
    a = widen(lhs) * np.repeat(widen(lhs_scale), _block(lhs, lhs_scale, -1), axis=-1)
    b = widen(rhs) * np.repeat(widen(rhs_scale), _block(rhs, rhs_scale, -2), axis=-2)
    return _multiply_add(run, op, a, b, acc)


def _block(operand: Array, scale: Array, axis: int) -> int:
    return operand.shape[axis] // scale.shape[axis]


@RULES.register("mmai")
def mmai(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    """`acc + lhs @ rhs` over the readings asked for, wrapped to 32 bits."""
    a = reading(lhs, op.operand_tile(0).element, op.attributes["signedness_lhs"])
    b = reading(rhs, op.operand_tile(1).element, op.attributes["signedness_rhs"])
    # Sums of 16-bit products are exact in float64, whose matmul is the quick one.
    total = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    return wrap(signed(acc) + total, op.tile().element)


@PARTIAL.register("mmaf", "mmai", "mmaf_scaled", "tileas.mma_sync")
def partial_product(run: TileBlock, op: Op, *operands: Any) -> Any:
    """An element depends on its row of lhs, column of rhs and accumulator.

    A scale belongs to its row or column.
    """
    data = op.rule(run, op, *(data_of(value) for value in operands))
    lhs, rhs, acc, *scales = (mask_of(value) for value in operands)
    rows = lhs.any(axis=-1, keepdims=True)
    columns = rhs.any(axis=-2, keepdims=True)
    if scales:
        rows = rows | scales[0].any(axis=-1, keepdims=True)
        columns = columns | scales[1].any(axis=-2, keepdims=True)
    return partial(data, rows | columns | acc)
