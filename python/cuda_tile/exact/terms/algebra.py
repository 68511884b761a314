# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of terms; see `cuda_tile.exact.algebra.Algebra`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile.errors import Unsupported
from cuda_tile.exact.formats import cut_to_tf32, without_sign
from cuda_tile.exact.ring import LOG2_E, Array, Elements
from cuda_tile.exact.terms.table import Node, Table

Natural = Callable[..., Array]

_LOG2_E = float(np.array(LOG2_E, np.uint32).view(np.float32))
_INFINITY = float("inf")
_TYPES = {
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(ml_dtypes.float8_e4m3fn): "f8E4M3FN",
    np.dtype(ml_dtypes.float8_e5m2): "f8E5M2",
}
_LARGEST_WHOLE = 2.0**53
_WIDE = ("f32", "f64")
_NUMBERS: dict[str, Natural] = {
    "max": np.fmax,
    "min": np.fmin,
    "inverse": partial(np.divide, 1.0),
    "exp2": np.exp2,
    "root": np.sqrt,
    "log2": np.log2,
    "atan2": np.arctan2,
    "pow": np.power,
    "fpowf": np.power,
    "remf": np.fmod,
    "trunc": np.trunc,
    "round": np.rint,
    "tf32": np.positive,
    "cut": np.positive,
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "floor", "ceil")},
    **{name: getattr(np, name) for name in ("sinh", "cosh", "tanh", "abs")},
}
"""What functions are for the arguments as they were, where comparisons need it."""
_EXACT = frozenset({"max", "min", "abs", "floor", "ceil", "trunc", "round"})
"""Functions whose results for literals are literals."""


class Terms:
    """Terms over the elements of the arguments.

    Attributes:
        table: The terms.
    """

    def __init__(self) -> None:
        self.table = Table()

    # Arguments and literals.

    def symbols(self, name: str, values: Array) -> Array:
        """An array of the same type, each element of which is a symbol.

        Args:
            name: Of the array.
            values: Its numbers, by which comparisons are decided.
        """
        kind = _TYPES[values.dtype]
        numbers = values.astype(np.float64).ravel().tolist()
        nodes = [
            self.table.node(("symbol", kind, name, place), number)
            for place, number in enumerate(numbers)
        ]
        carriers = self.table.carriers(np.array(nodes, np.int64))
        return self.narrow(carriers, kind).reshape(values.shape)

    def keep(self, codes: Iterable[int]) -> None:
        """Keeps codes of 16 bits that a program has as literals."""
        found = sorted({*codes})
        for name in ("f16", "bf16"):
            self.table.codes(name).keep(found)

    @staticmethod
    def is_float(values: Array) -> bool:
        """Whether an array can have symbols."""
        return values.dtype in _TYPES

    def literals(self, values: Array) -> Array:
        """Literals are themselves; their codes are no terms."""
        kind = _TYPES.get(values.dtype, "f32")
        if kind not in _WIDE:
            codes = self.table.codes(kind)
            found = np.unique(np.ascontiguousarray(values).view(codes.word))
            codes.keep(int(code) for code in found)
        return values

    def enter(self, values: Iterable[Any]) -> list[Any]:
        """Arguments are symbols already."""
        return list(values)

    def nodes(self, values: Array) -> list[int]:
        """The nodes of an array behind a run."""
        return self.table.ids(self.widen(values, _TYPES[values.dtype])).ravel().tolist()

    # Arithmetic.

    def _sum(self, row: Sequence[int]) -> Node | int:
        pair = [self.table.literal_of(node) for node in row]
        return self._folded(pair, np.add) or ("add", *sorted(row))

    def _multiple(self, row: Sequence[int]) -> Node | int:
        pair = [self.table.literal_of(node) for node in row]
        return self._folded(pair, np.multiply) or ("multiply", *sorted(row))

    def _folded(self, pair: Sequence[float | None], compute: Natural) -> Node | None:
        """The literal that a result is.

        Of whole numbers, which are exact, and of an infinity or a NaN, whatever is
        beside it.
        """
        is_whole = all(v is not None and v.is_integer() for v in pair)
        is_infinite = any(v is not None and not np.isfinite(v) for v in pair)
        if not is_infinite and not (is_whole):
            return None
        if None in pair and compute is np.multiply:
            return None
        with np.errstate(all="ignore"):
            known = [0.0 if v is None else v for v in pair]
            result = float(compute(*known))
        is_exact = is_infinite or abs(result) <= _LARGEST_WHOLE
        return ("literal", "nan" if result != result else result) if is_exact else None

    def add(self, a: Array, b: Array) -> Elements:
        """A + b."""
        return self.table.mapped((a, b), self._sum, np.add)

    def negative(self, a: Array) -> Elements:
        """-a."""
        return self.multiply(a, np.array(-1.0))

    def subtract(self, a: Array, b: Array) -> Elements:
        """A - b."""
        return self.add(a, self.negative(b))

    def multiply(self, a: Array, b: Array) -> Elements:
        """A * b."""
        return self.table.mapped((a, b), self._multiple, np.multiply)

    def fma(self, a: Array, b: Array, c: Array) -> Elements:
        """A * b + c."""
        return self.add(self.multiply(a, b), c)

    def matmul(self, a: Array, b: Array, addend: Array | None = None) -> Elements:
        """`a @ b + addend`; lists of rows and columns are shared by the sums."""
        left, right = self.table.ids(a), self.table.ids(b)
        shape = (*np.broadcast_shapes(left.shape[:-2], right.shape[:-2]),)
        shape = (*shape, left.shape[-2], right.shape[-1])
        start = np.zeros(()) if addend is None else addend
        before = np.broadcast_to(self.table.ids(start), shape)
        left = np.broadcast_to(left, (*shape[:-2], *left.shape[-2:]))
        right = np.broadcast_to(right, (*shape[:-2], *right.shape[-2:]))
        made = np.empty(shape, np.int64)
        for place in np.ndindex(shape[:-2]):
            made[place] = self._product(left[place], right[place], before[place])
        return self.table.carriers(made)

    def _product(self, left: Array, right: Array, before: Array) -> Array:
        table = self.table
        numbers = table.number(left) @ table.number(right) + table.number(before)
        rows = [table.longer(-1, tuple(row)) for row in left.tolist()]
        columns = [table.longer(-1, tuple(column)) for column in right.T.tolist()]
        made = [
            self._dot(row, column, int(before[i, j]), float(numbers[i, j]))
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        ]
        return np.array(made, np.int64).reshape(before.shape)

    def _dot(self, row: int, column: int, before: int, number: float) -> int:
        table = self.table
        rows, columns, addend = table.dot_of(before)
        key = ("dot", table.joined(rows, row), table.joined(columns, column), addend)
        return table.node(key, number)

    # Functions.

    def function(self, name: str, natural: Natural | None = None) -> Natural:
        """The function of a name, of which its laws are known and no more."""
        composed: dict[str, Natural] = {
            "quotient": self._quotient,
            "inverse_root": self._inverse_root,
            "exp": self._exp,
            "log": self._log,
            "neg": self.negative,
        }
        if name in composed:
            return composed[name]
        if name not in _NUMBERS:
            raise Unsupported(f"'{name}' of terms is not supported")
        return partial(self.call, name)

    def _quotient(self, a: Array, b: Array) -> Elements:
        return self.multiply(a, self.call("inverse", b))

    def _inverse_root(self, a: Array) -> Elements:
        return self.call("inverse", self.call("root", a))

    def _exp(self, a: Array) -> Elements:
        return self.call("exp2", self.multiply(a, np.array(_LOG2_E)))

    def _log(self, a: Array) -> Elements:
        return self._quotient(self.call("log2", a), np.array(_LOG2_E))

    def call(self, name: str, *operands: Array) -> Elements:
        """A function of terms; extremes of three are folded."""
        if len(operands) > 2:
            return self.call(name, self.call(name, *operands[:2]), *operands[2:])

        def make(row: Sequence[int]) -> Node | int:
            return self._known(name, row) or ("call", name, *row)

        return self.table.mapped(operands, make, _NUMBERS[name])

    def _known(self, name: str, row: Sequence[int]) -> Node | int | None:
        """What a literal among the operands says of a result."""
        literals = [self.table.literal_of(node) for node in row]
        if name in ("max", "min"):
            neutral = -_INFINITY if name == "max" else _INFINITY
            kept = [
                node
                for node, number in zip(row, literals, strict=True)
                if number is None or not (number == neutral or number != number)
            ]
            if len(kept) == 1:
                return kept[0]
        is_whole = name in _EXACT or not all(
            v is None or np.isfinite(v) for v in literals
        )
        if None in literals or not is_whole:
            return None
        with np.errstate(all="ignore"):
            result = float(_NUMBERS[name](*literals))
        return ("literal", "nan" if result != result else result)

    def compared(self, natural: Natural) -> Natural:
        """By the arguments as they were, unless the terms are equal."""

        def compare(*operands: Array) -> Array:
            rows, places = self.table.rows(operands)
            numbers = np.array([self._pair(*row) for row in rows.tolist()])
            return np.asarray(natural(*numbers.reshape(-1, 2).T))[places]

        return compare

    def _pair(self, one: int, other: int) -> tuple[float, float]:
        first, second = (self.table.literal_of(node) for node in (one, other))
        if any(v is not None and not np.isfinite(v) for v in (first, second)):
            return first or 0.0, second or 0.0  # data are finite
        return self.table.compared(one, other)

    def limited(self, values: Array, *, sat: bool) -> Array:
        """What is below zero is zero; with `sat` what is above one is one."""
        result = self.call("max", values, np.zeros(()))
        return self.call("min", result, np.ones(())) if sat else result

    # Conversions.

    def to_integers(self, natural: Natural) -> Natural:
        """Of literals alone."""

        def convert(values: Array) -> Array:
            if any(
                self.table.literal_of(node) is None
                for node in np.unique(self.table.ids(values)).tolist()
            ):
                raise Unsupported(
                    "an integer depends on data, of which terms say nothing"
                )
            return natural(values)

        return convert

    def of_integers(self, values: Array) -> Elements:
        """Literals."""
        return values.astype(np.float64)

    def from_bits(self, values: Array) -> Array:
        """Codes of bf16 that were shifted in place become what they are."""
        if values.dtype != np.float32:
            return values
        bits = np.ascontiguousarray(values).view(np.uint32)
        wide = self.of_codes(bits >> np.uint32(16), "bf16")
        return np.where(bits & np.uint32(0xFFFF), values, wide).astype(np.float32)

    def without_sign(self, bits: Array) -> Array:
        """The absolute value of what is a term; else as of any word."""
        floats = np.ascontiguousarray(bits).view(f"f{bits.dtype.itemsize}")
        is_term, cleared = self.table.are_named(floats), without_sign(bits)
        absolute = self.call("abs", floats[is_term]).astype(floats.dtype)
        cleared[is_term] = absolute.view(bits.dtype)
        return cleared

    def accumulated(self, old: Array, value: Array, name: str) -> Elements:
        """A set of summands, in whatever order atomics of a small format come."""
        if name in _WIDE:
            return self.add(old, value)

        def make(row: Sequence[int]) -> Node:
            return ("accumulated", name, *row)

        return self.table.mapped((old, value), make, np.add)

    def of_codes(self, codes: Array, name: str) -> Array:
        """What codes stand for."""
        return self.table.widen(codes, name).astype(np.float32)

    def codes_of(self, elements: Array, name: str) -> Array:
        """Narrows to codes."""
        return self.table.narrow(elements, name)

    def to_tf32(self, natural: Natural) -> Natural:
        """Rounds to tf32; what has no more bits stays."""
        return partial(self._short, "tf32")

    def cut_to_tf32(self, values: Array) -> Array:
        """Cuts to tf32; what has no more bits stays."""
        return self._short("cut", values)

    def _short(self, name: str, values: Array) -> Array:
        def make(row: Sequence[int]) -> Node | int:
            number = self.table.literal_of(row[0])
            if number is not None:
                cut = float(cut_to_tf32(np.array([number]))[0])
                return row[0] if cut == number else ("call", name, row[0])
            form, forms = self.table.form(row[0]), self.table.forms
            key = forms.atom_of(form)
            is_short = any(forms.has_format(form, kind) for kind in ("f16", "bf16"))
            is_short = is_short or (key is not None and key[0] in ("tf32", "cut"))
            return row[0] if is_short else ("call", name, row[0])

        return self.table.mapped((values,), make, np.positive).astype(np.float32)

    def widen(self, values: Array, name: str) -> Elements:
        """What values of a format stand for."""
        if name in ("f32", "f64", "tf32"):
            return values.astype(np.float64)
        word = np.dtype(f"u{values.dtype.itemsize}")
        codes = np.ascontiguousarray(values).view(word).reshape(values.shape)
        return self.table.widen(codes, name)

    def narrow(self, elements: Elements, name: str) -> Array:
        """The values of a format."""
        if name in ("f32", "f64", "tf32"):
            return elements.astype(np.float64 if name == "f64" else np.float32)
        codes = self.table.codes(name)
        return self.codes_of(elements, name).view(codes.dtype)
