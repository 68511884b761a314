# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of float ops with exact numbers; see `cuda_tile.exact`.

An op widens its operands, computes in an algebra and narrows the result. Rounding
modes, flushing and promises about ranges have no meaning there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from cuda_tile.errors import Unsupported
from cuda_tile.exact.algebra import MIXED, MIXED_PAIRS, RING, Algebra
from cuda_tile.interp import convert
from cuda_tile.interp import float as float_
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Block, Op, Program
from cuda_tile.interp.table import RULES, Rule
from cuda_tile.interp.words import reading, signed
from cuda_tile.runtime.elements import Array, Element

Function = Callable[..., Array]
_NAMES = {
    "divf": "quotient",
    "sqrt": "root",
    "rsqrt": "inverse_root",
    **{name: name for name in ("exp", "exp2", "log", "log2", *MIXED, *MIXED_PAIRS)},
}
"""Ops that are functions of an algebra."""
_ORDERED: dict[str, tuple[str, Function]] = {
    "floor": ("floor", np.positive),
    "ceil": ("ceil", np.positive),
    "maxf": ("max", partial(float_.number, np.fmax)),
    "minf": ("min", partial(float_.number, np.fmin)),
}
"""Ops that follow an order, and what they are in the ring, whose elements are whole."""
_SIGNS: dict[str, tuple[str, Function]] = {
    "negf": ("neg", np.negative),
    "absf": ("abs", np.abs),
}
"""Ops that in the ring touch the sign bit alone."""
_MOST_FACTORS = 4
"""Exponents up to here are products; others give a random function."""


class Rules:
    """The rules of float ops in an algebra.

    Args:
        algebra: What floats are.
    """

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra
        self._is_ring = algebra is RING
        functions: dict[str, Function] = {
            "addf": algebra.add,
            "subf": algebra.subtract,
            "mulf": algebra.multiply,
            "fma": algebra.fma,
            **{op: algebra.function(name) for op, name in _NAMES.items()},
        }
        ordered = _ORDERED if self._is_ring else {**_ORDERED, **_SIGNS}
        for op, (name, natural) in ordered.items():
            functions[op] = algebra.function(name, natural)
        self._rules: dict[str, Rule] = {
            **{op: partial(self._elementwise, fn) for op, fn in functions.items()},
            "cmpf": self._cmpf,
            "fpowi": self._fpowi,
            "itof": self._itof,
            "ftoi": self._ftoi,
            "ftof": self._ftof,
            "mmaf": self._mmaf,
            "mmaf_scaled": self._mmaf_scaled,
            "tileas.mma_sync": self._mma_sync,
            "multimem_load_reduce_view_tko": _refused,
            **({} if self._is_ring else {"bitcast": _bitcast}),
        }

    def rule(self, name: str) -> Rule:
        """The rule of an op."""
        return self._rules.get(name) or RULES[name]

    def _elementwise(
        self, function: Function, run: TileBlock, op: Op, *operands: Array
    ) -> Array:
        wide = self._widened(op, operands)
        result = function(*wide)
        if op.attributes.get("propagate_nan") and self._is_ring:
            missing = np.logical_or(*(np.isnan(value) for value in wide))
            result = np.where(missing, np.nan, result)
        return self._algebra.narrow(result, op.tile().element.name)

    def _widened(self, op: Op, operands: tuple[Array, ...]) -> list[Array]:
        return [
            self._algebra.widen(value, op.operand_tile(place).element.name)
            for place, value in enumerate(operands)
        ]

    def _cmpf(self, run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
        compare = self._algebra.compared(partial(float_.cmpf, run, op))
        return compare(*self._widened(op, (lhs, rhs)))

    def _fpowi(self, run: TileBlock, op: Op, source: Array, exponent: Array) -> Array:
        algebra, kind = self._algebra, op.tile().element
        x, power = algebra.widen(source, kind.name), signed(exponent)
        result = algebra.function("pow")(x, algebra.of_integers(power))
        product = np.ones(x.shape)
        for count in range(_MOST_FACTORS + 1):
            result = np.where(power == count, product, result)
            product = algebra.multiply(product, x)
        result = np.where(power == -1, algebra.function("inverse")(x), result)
        return algebra.narrow(result, kind.name)

    def _itof(self, run: TileBlock, op: Op, source: Array) -> Array:
        values = reading(source, op.operand_tile().element, op.attributes["signedness"])
        elements = self._algebra.of_integers(values)
        return self._algebra.narrow(elements, op.tile().element.name)

    def _ftoi(self, run: TileBlock, op: Op, source: Array) -> Array:
        """Clamped: a random element is out of range more often than not."""
        clamping = replace(op, attributes={**op.attributes, "saturating": True})
        (wide,) = self._widened(op, (source,))
        return self._algebra.to_integers(partial(convert.ftoi, run, clamping))(wide)

    def _ftof(self, run: TileBlock, op: Op, source: Array) -> Array:
        kind = op.tile().element.name
        (wide,) = self._widened(op, (source,))
        if (
            kind == "tf32"
        ):  # rounded as any number: what a multiplier cuts off stays off
            return self._algebra.to_tf32(partial(convert.ftof, run, op))(wide)
        return self._algebra.narrow(wide, kind)

    def _multiplied(self, op: Op, place: int, values: Array) -> Array:
        """An operand as the multiplier sees it."""
        kind = op.operand_tile(place).element.name
        if kind == "tf32":
            return self._algebra.cut_to_tf32(values)
        return self._algebra.widen(values, kind)

    def _mmaf(
        self, run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array
    ) -> Array:
        pair = self._multiplied(op, 0, lhs), self._multiplied(op, 1, rhs)
        return self._product(op, *pair, acc)

    def _product(self, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
        algebra, kind = self._algebra, op.tile().element.name
        return algebra.narrow(algebra.matmul(lhs, rhs, algebra.widen(acc, kind)), kind)

    def _mmaf_scaled(
        self, run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array, *scales: Array
    ) -> Array:
        algebra, pair = self._algebra, list[Array]()
        for place, (values, scale) in enumerate(zip((lhs, rhs), scales, strict=True)):
            axis = -2 if place else -1
            factors = algebra.widen(scale, op.operand_tile(3 + place).element.name)
            count = values.shape[axis] // scale.shape[axis]
            spread = np.repeat(factors, count, axis=axis)
            pair.append(algebra.multiply(self._multiplied(op, place, values), spread))
        return self._product(op, pair[0], pair[1], acc)

    def _mma_sync(self, run: TileBlock, op: Op, *operands: Array) -> Array:
        if "signedness_lhs" in op.attributes:
            return RULES["mmai"](run, op, *operands)
        product = self._mmaf if len(operands) == 3 else self._mmaf_scaled
        return product(run, op, *operands)

    # Programs.

    def program(self, program: Program) -> Program:
        """The program with these rules, and its constants as they stand for."""
        entries = {
            name: replace(entry, body=self._block(entry.body))
            for name, entry in program.entries.items()
        }
        return Program(entries, program.globals)

    def _block(self, block: Block) -> Block:
        return replace(block, ops=tuple(self._op(op) for op in block.ops))

    def _op(self, op: Op) -> Op:
        known = op.attributes.items()
        return replace(
            op,
            rule=self._rules.get(op.name, op.rule),
            attributes={name: self._attribute(value) for name, value in known},
            regions=tuple(r if r is None else self._block(r) for r in op.regions),
        )

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._algebra.literals(cast(Array, value))
        if isinstance(value, list):
            return [self._attribute(part) for part in cast(list[Any], value)]
        return value


def add(algebra: Algebra, old: Array, arg: Array, kind: Element) -> Array:
    """New memory from old memory and the operand of an atomic addition."""
    before, value = (algebra.widen(each, kind.name) for each in (old, arg))
    return algebra.narrow(algebra.accumulated(before, value, kind.name), kind.name)


def _refused(run: TileBlock, op: Op, *operands: Any) -> Any:
    raise Unsupported(
        f"'{op.name}' with exact numbers is not supported; run it without them"
    )


def _bitcast(run: TileBlock, op: Op, source: Array) -> Array:
    """Between integers alone: the bits of a term say nothing."""
    kinds = op.tile().element, op.operand_tile().element
    if any(kind.kind == "float" for kind in kinds):
        _refused(run, op)
    return RULES["bitcast"](run, op, source)
