# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices as sums of products: what the addresses of a thread's elements share.

Elements of a tile lie multiples of strides and constants apart. So a thread needs one
address, and what the others are away from it: `row * stride + column` is, in the next
row, one stride further, in every tile that is gathered with this stride.

Addresses are numbers modulo 2^64, so that sums and products of 64 bits may wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.offsets import Offsets

Term = tuple[ir.Value, ...]
"""A product of values of the kernel, each read as a signed number; () is one."""
Form = Mapping[Term, int]
"""A sum of terms times constants."""

_MOST_TERMS = 8
_MOST_FACTORS = 2


class Forms:
    """The sums of products that integers of a thread are.

    Args:
        offsets: Which integers differ by known constants.
    """

    def __init__(self, offsets: Offsets) -> None:
        self._offsets = offsets
        self._forms: dict[ir.Value, Form] = {}
        self._numbers: dict[ir.Value, int] = {}

    def of(self, value: ir.Value) -> Form:
        """A value as a sum; itself where nothing more is known."""
        found = self._forms.get(value)
        if found is not None:
            return found
        root, constant = self._offsets.of(value)
        if isinstance(root, int):
            root, constant = value, 0
        return {(root,): 1, (): constant} if constant else {(root,): 1}

    def note_sum(self, value: ir.Value, x: ir.Value, y: ir.Value, sign: int) -> None:
        """Says that a value is x + y, or x - y for a sign of -1.

        Args:
            value: The sum; of less than 64 bits none that wraps around.
            x: The first term.
            y: The second term.
            sign: 1 or -1.
        """
        form = dict(self.of(x))
        for term, factor in self.of(y).items():
            form[term] = form.get(term, 0) + sign * factor
        self._note(value, form)

    def note_product(self, value: ir.Value, x: ir.Value, y: ir.Value) -> None:
        """Says that a value is x times y.

        Args:
            value: The product; of less than 64 bits none that wraps around.
            x: One factor.
            y: The other.
        """
        form: dict[Term, int] = {}
        for left, c in self.of(x).items():
            for right, d in self.of(y).items():
                term = self._ordered(left + right)
                form[term] = form.get(term, 0) + c * d
        self._note(value, form)

    def note_constant(self, value: ir.Value, number: int) -> None:
        """Says that a value is a number.

        Args:
            value: The value.
            number: The number.
        """
        self._forms[value] = {(): number}

    def note_moved(self, value: ir.Value, from_: ir.Value, constant: int) -> None:
        """Says that a value is another one and a constant.

        Args:
            value: The value.
            from_: The other one.
            constant: The constant.
        """
        self._forms[value] = {(from_,): 1, (): constant}

    def _note(self, value: ir.Value, form: dict[Term, int]) -> None:
        kept = {term: factor for term, factor in form.items() if factor}
        if len(kept) <= _MOST_TERMS and all(len(t) <= _MOST_FACTORS for t in kept):
            self._forms[value] = kept

    def _ordered(self, term: Term) -> Term:
        """Factors in the order in which they were first seen."""
        for value in term:
            self._numbers.setdefault(value, len(self._numbers))
        return tuple(sorted(term, key=self._numbers.__getitem__))


class PointerSums:
    """Pointers plus the indices of one tile, with what they share made once.

    Terms that all indices have are summed, and the sum is added first, then the others,
    as far as they are not multiples of strides. These and constants are added last, so
    that what comes before is the same for every tile with such rows and columns.

    Args:
        b: Where to build.
        forms: What indices are made of.
        size_bytes: Bytes of an element.
        indices: Those of all registers.
    """

    def __init__(
        self, b: Builder, forms: Forms, size_bytes: int, indices: Sequence[ir.Value]
    ) -> None:
        self._builder, self._size_bytes = b, size_bytes
        self._forms = {index: forms.of(index) for index in indices}
        strides = [_factors(form) for form in self._forms.values()]
        self._strides = set[ir.Value].intersection(*strides)
        if indices[0].type != b.i64 and len(self._distances(indices)) == 1:
            self._forms = _from_first(self._forms)
        parts = [set(form.items()) for form in self._forms.values()]
        self._shared = set[tuple[Term, int]].intersection(*parts)
        self._sums: dict[object, ir.Value] = {}

    def at(self, pointer: ir.Value, index: ir.Value) -> ir.Value:
        """The pointer to an element.

        Args:
            pointer: The pointer that the index counts from.
            index: The element's index.
        """
        form = self._forms[index]
        shared = [term for term in form if term and (term, form[term]) in self._shared]
        far = [term for term in shared if not self._is_near(term)]
        if far:
            pointer = self._plus(pointer, tuple(far), form)
        others = [term for term in form if term and term not in far]
        for term in sorted(others, key=self._is_near):
            pointer = self._plus(pointer, (term,), form)
        return self._builder.byte_offset(pointer, form.get((), 0) * self._size_bytes)

    def _distances(self, indices: Sequence[ir.Value]) -> set[frozenset[object]]:
        """What is not constant of each."""
        return {
            frozenset(part for part in self._forms[index].items() if part[0])
            for index in indices
        }

    def _is_near(self, term: Term) -> bool:
        return len(term) == 1 and term[0] in self._strides

    def _plus(self, pointer: ir.Value, terms: tuple[Term, ...], form: Form) -> ir.Value:
        """A pointer and some terms of a form."""
        key = pointer, tuple((term, form[term]) for term in terms)
        if key not in self._sums:
            distances = [self._bytes(term, form[term]) for term in terms]
            distance = reduce(self._builder.add, distances)
            self._sums[key] = self._builder.byte_offset(pointer, distance)
        return self._sums[key]

    def _bytes(self, term: Term, factor: int) -> ir.Value:
        b = self._builder
        if [value.type for value in term] == [b.i32, b.i32]:
            # LLVM would multiply a stride by the size first, which leaves 64 bits.
            product = b.ptx_value("mul.wide.s32 $0, $1, $2;", b.i64, *term)
        else:
            product = reduce(b.mul, [b.resize(value, b.i64) for value in term])
        return b.mul(product, factor * self._size_bytes)


def _factors(form: Form) -> set[ir.Value]:
    """What terms of several factors have."""
    return {value for term in form if len(term) > 1 for value in term}


def _from_first(forms: Mapping[ir.Value, Form]) -> dict[ir.Value, Form]:
    """Indices that differ by constants, as the first one and a constant."""
    first, start = next((index, form.get((), 0)) for index, form in forms.items())
    return {
        index: {(first,): 1, (): form.get((), 0) - start}
        for index, form in forms.items()
    }
