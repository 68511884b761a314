# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of float ops with exact numbers; see `cuda_tile.exact`.

An op widens its operands to elements, computes and narrows the result. Rounding modes,
flushing and promises about ranges have no meaning for elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from cuda_tile.errors import Unsupported
from cuda_tile.exact import arrays, formats, functions, of_integers, ring
from cuda_tile.interp import convert
from cuda_tile.interp import float as float_
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Block, Entry, Op, Program
from cuda_tile.interp.table import RULES, Rule
from cuda_tile.interp.words import reading, signed
from cuda_tile.runtime.elements import Array, Element

Function = Callable[..., Array]
_MIXED = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_MIXED_PAIRS = ("atan2", "pow", "fpowf", "remf")
_MOST_FACTORS = 4
"""Exponents up to here are products; others give a random function."""


def _integral(x: Array) -> Array:
    """An element is an integer."""
    return x


_FUNCTIONS: dict[str, Function] = {
    "addf": ring.add,
    "subf": ring.subtract,
    "mulf": ring.multiply,
    "fma": ring.fma,
    "divf": functions.quotient,
    "exp": functions.exp,
    "exp2": functions.exp2,
    "log": functions.log,
    "log2": functions.log2,
    "sqrt": functions.root,
    "rsqrt": functions.inverse_root,
    "floor": _integral,
    "ceil": _integral,
    "maxf": partial(float_.number, np.fmax),
    "minf": partial(float_.number, np.fmin),
    **{name: partial(functions.mixed, name) for name in _MIXED},
    **{name: partial(functions.mixed_pair, name) for name in _MIXED_PAIRS},
}


def _elementwise(function: Function, run: TileBlock, op: Op, *operands: Array) -> Array:
    wide = _widened(op, operands)
    result = function(*wide)
    if op.attributes.get("propagate_nan"):
        missing = np.logical_or(*(np.isnan(value) for value in wide))
        result = np.where(missing, np.nan, result)
    return formats.narrow(result, op.tile().element.name)


def _widened(op: Op, operands: tuple[Array, ...]) -> list[Array]:
    return [
        formats.widen(value, op.operand_tile(place).element.name)
        for place, value in enumerate(operands)
    ]


def _cmpf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    a, b = _widened(op, (lhs, rhs))
    return float_.cmpf(run, op, a, b)


def _fpowi(run: TileBlock, op: Op, source: Array, exponent: Array) -> Array:
    kind = op.tile().element
    x, power = formats.widen(source, kind.name), signed(exponent)
    result = functions.mixed_pair("pow", x, of_integers(power))
    product = np.ones(x.shape)
    for count in range(_MOST_FACTORS + 1):
        result = np.where(power == count, product, result)
        product = ring.multiply(product, x)
    result = np.where(power == -1, functions.inverse(x), result)
    return formats.narrow(result, kind.name)


def _itof(run: TileBlock, op: Op, source: Array) -> Array:
    values = reading(source, op.operand_tile().element, op.attributes["signedness"])
    return formats.narrow(of_integers(values), op.tile().element.name)


def _ftoi(run: TileBlock, op: Op, source: Array) -> Array:
    """Clamped: a random element is out of range more often than not."""
    clamping = replace(op, attributes={**op.attributes, "saturating": True})
    (wide,) = _widened(op, (source,))
    return convert.ftoi(run, clamping, wide)


def _ftof(run: TileBlock, op: Op, source: Array) -> Array:
    kind = op.tile().element.name
    (wide,) = _widened(op, (source,))
    if kind == "tf32":  # rounded as any number: what a multiplier takes off stays off
        return convert.ftof(run, op, wide)
    return formats.narrow(wide, kind)


def _multiplied(op: Op, place: int, values: Array) -> Array:
    """An operand as the multiplier sees it."""
    kind = op.operand_tile(place).element.name
    if kind == "tf32":
        return formats.cut_to_tf32(values)
    return formats.widen(values, kind)


def _mmaf(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    return _product(op, _multiplied(op, 0, lhs), _multiplied(op, 1, rhs), acc)


def _product(op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    kind = op.tile().element.name
    return formats.narrow(ring.matmul(lhs, rhs, formats.widen(acc, kind)), kind)


def _mmaf_scaled(
    run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array, *scales: Array
) -> Array:
    pair: list[Array] = []
    for place, (values, scale) in enumerate(zip((lhs, rhs), scales, strict=True)):
        axis = -2 if place else -1
        factors = formats.widen(scale, op.operand_tile(3 + place).element.name)
        count = values.shape[axis] // scale.shape[axis]
        spread = np.repeat(factors, count, axis=axis)
        pair.append(ring.multiply(_multiplied(op, place, values), spread))
    return _product(op, pair[0], pair[1], acc)


def _mma_sync(run: TileBlock, op: Op, *operands: Array) -> Array:
    if "signedness_lhs" in op.attributes:
        return RULES["mmai"](run, op, *operands)
    return (_mmaf if len(operands) == 3 else _mmaf_scaled)(run, op, *operands)


def _refused(run: TileBlock, op: Op, *operands: Any) -> Any:
    raise Unsupported(
        f"'{op.name}' with exact numbers is not supported; run it without them"
    )


_RULES: dict[str, Rule] = {
    **{name: partial(_elementwise, fn) for name, fn in _FUNCTIONS.items()},
    "cmpf": _cmpf,
    "fpowi": _fpowi,
    "itof": _itof,
    "ftoi": _ftoi,
    "ftof": _ftof,
    "mmaf": _mmaf,
    "mmaf_scaled": _mmaf_scaled,
    "tileas.mma_sync": _mma_sync,
    "multimem_load_reduce_view_tko": _refused,
}


def add(old: Array, arg: Array, kind: Element) -> Array:
    """New memory from old memory and the operand of an atomic addition."""
    pair = (formats.widen(value, kind.name) for value in (old, arg))
    return formats.narrow(ring.add(*pair), kind.name)


def rule(name: str) -> Rule:
    """The rule of an op with exact numbers."""
    return _RULES.get(name) or RULES[name]


def exactly(program: Program) -> Program:
    """The program with these rules, and its constants as elements."""
    entries = {name: _entry(entry) for name, entry in program.entries.items()}
    return Program(entries, program.globals)


def _entry(entry: Entry) -> Entry:
    return replace(entry, body=_block(entry.body))


def _block(block: Block) -> Block:
    return replace(block, ops=tuple(_op(op) for op in block.ops))


def _op(op: Op) -> Op:
    return replace(
        op,
        rule=_RULES.get(op.name, op.rule),
        attributes={name: _attribute(value) for name, value in op.attributes.items()},
        regions=tuple(r if r is None else _block(r) for r in op.regions),
    )


def _attribute(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return arrays.entered(cast(Array, value))
    if isinstance(value, list):
        return [_attribute(part) for part in cast(list[Any], value)]
    return value
