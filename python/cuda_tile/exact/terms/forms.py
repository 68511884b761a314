# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normal forms of terms: sums of products of atoms, each form one number.

A form is a sum of monomials with coefficients, a monomial a product of powers of atoms
and of one exponential, an atom a symbol or a function of forms. Two terms whose forms
are one number are equal by `LAWS`. The reverse does not hold: products of two long sums
stay products.

Coefficients are elements of the field of P elements, which literals stand for as in
`cuda_tile.exact.ring`: 0.5 is the inverse of 2, each rounding of log2(e) one element.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from functools import cache
from typing import cast

from cuda_tile.exact.ring import named

P = 2**64 - 59
"""The largest prime below 2^64."""
_MOST_PRODUCTS = 1024
"""Products of monomials up to which a product of two sums is multiplied out."""
_LARGEST_SHIFT = 1100
_ODD = frozenset({"sin", "tan", "tanh", "sinh", "tf32", "cut"})
_EVEN = frozenset({"cos", "cosh", "abs"})
_SETS = frozenset({"max", "min"})

LAWS = {
    "sums": "sums and products of real numbers: any order, any grouping, "
    "a (b + c) = a b + a c, fma(a, b, c) = a b + c; f32 and f64 lose nothing",
    "literals": "a literal is the dyadic number that it is, modulo 2^64 - 59; each "
    "rounding of log2(e) is one number, of ln(2) its inverse",
    "quotients": "a / b = a (1 / b), and a (1 / a) = 1: no divisor is zero",
    "exponentials": "exp2(a + b) = exp2(a) exp2(b), exp(a) = exp2(a log2(e))",
    "extremes": "max and min: any order, any grouping, max(a, a) = a",
    "symmetry": "f(-a) = -f(a) of sin, tan, tanh, sinh and of rounding to nearest, "
    "f(-a) = f(a) of cos, cosh and abs",
    "atomics": "atomic sums in f16 and bf16 come in any order",
    "formats": "rounding to a format changes nothing of that format",
}
"""The laws by which forms of one number are equal, by their names."""
Form = int
Monomial = int
Sum = dict[Monomial, int]
Powers = tuple[tuple[int, int], ...]
ZERO: Form = 0
ONE: Monomial = 0
_PAIR = 1 << 62
_HALF_BITS = 31
"""A product of two atoms is the pair of their numbers, which no table needs to hold."""


@cache
def residue(number: float) -> int:
    """The coefficient that a finite float stands for."""
    fraction, exponent = math.frexp(number)
    whole = int(fraction * 2**53)
    size = named(P).get(abs(whole), abs(whole))
    value = size * pow(2, exponent - 53, P) % P
    return -value % P if whole < 0 else value


class Forms:
    """All forms of a run, and the operations on them."""

    def __init__(self) -> None:
        self._sums: list[Sum] = [{}]
        self._names: dict[frozenset[tuple[Monomial, int]], Form] = {frozenset(): ZERO}
        self._monomials: list[tuple[Powers, Form]] = [((), ZERO)]
        self._is_atom = [False]
        self._numbers: dict[tuple[Powers, Form], Monomial] = {((), ZERO): ONE}
        self._products: dict[tuple[Monomial, Monomial], Monomial] = {}
        self._atoms: dict[Hashable, int] = {}
        self._keys: list[tuple[Hashable, ...]] = []
        self.laws = {"sums", "literals"}
        self._wholes: dict[Form, Form] = {}
        self._inverses: dict[Form, Form] = {}

    # What is known of a form.

    def sum(self, form: Form) -> Sum:
        """Its monomials with their coefficients; not to be changed."""
        return self._sums[form]

    def is_constant(self, form: Form) -> bool:
        """Whether no symbol is in it."""
        return all(monomial == ONE for monomial in self._sums[form])

    def atom_of(self, form: Form) -> tuple[Hashable, ...] | None:
        """What the form is one atom of, or its negative."""
        if len(self._sums[form]) != 1:
            return None
        ((monomial, coefficient),) = self._sums[form].items()
        powers, _ = self.parts(monomial)
        is_one = coefficient in (1, P - 1)
        return self._keys[powers[0][0]] if is_one and self.is_atom(monomial) else None

    def is_atom(self, monomial: Monomial) -> bool:
        """Whether a monomial is one atom."""
        return monomial < _PAIR and self._is_atom[monomial]

    def parts(self, monomial: Monomial) -> tuple[Powers, Form]:
        """Powers of atoms, and the exponent of the exponential."""
        if monomial < _PAIR:
            return self._monomials[monomial]
        high, low = divmod(monomial - _PAIR, 1 << _HALF_BITS)
        (one, _), (other, _) = (self._monomials[m][0][0] for m in (low, high))
        powers = ((one, 2),) if one == other else tuple(sorted(((one, 1), (other, 1))))
        return powers, ZERO

    def is_negated(self, form: Form) -> bool:
        """Whether the first coefficient counts as negative."""
        found = self._sums[form]
        return bool(found) and found[min(found)] > P // 2

    # Making forms.

    def of(self, found: Sum) -> Form:
        """The form of a sum."""
        items = frozenset((m, c) for m, c in found.items() if c)
        form = self._names.get(items)
        if form is None:
            form = self._names[items] = len(self._sums)
            self._sums.append({m: c for m, c in found.items() if c})
        return form

    def constant(self, number: float) -> Form:
        """The form of a finite literal."""
        return self.of({ONE: residue(number)})

    def atom(self, *key: Hashable) -> Form:
        """The form of one atom."""
        number = self._atoms.get(key)
        if number is None:
            number = self._atoms[key] = len(self._keys)
            self._keys.append(key)
        return self.of({self._monomial(((number, 1),), ZERO): 1})

    def _monomial(self, powers: Powers, exponent: Form) -> Monomial:
        atoms = [atom for atom, power in powers for _ in range(power)]
        if len(atoms) == 2 and exponent == ZERO and all(n > 0 for _, n in powers):
            return self.pair(*(self._monomial(((a, 1),), ZERO) for a in atoms))
        key = powers, exponent
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._monomials)
            self._monomials.append(key)
            self._is_atom.append(len(atoms) == len(powers) == 1 and exponent == ZERO)
        return number

    @staticmethod
    def pair(one: Monomial, other: Monomial) -> Monomial:
        """The product of two atoms."""
        if one > other:
            one, other = other, one
        return _PAIR | other << _HALF_BITS | one

    def monomial_product(self, one: Monomial, other: Monomial) -> Monomial:
        """The product of two monomials; of exponentials, one of the sum."""
        if self.is_atom(one) and self.is_atom(other):
            return self.pair(one, other)
        key = (one, other) if one <= other else (other, one)
        found = self._products.get(key)
        if found is None:
            (powers, exponent), (more, beside) = (self.parts(m) for m in key)
            sums = dict(powers)
            for atom, power in more:
                sums[atom] = sums.get(atom, 0) + power
            left = tuple(sorted((a, n) for a, n in sums.items() if n))
            found = self._monomial(left, self.add(exponent, beside))
            self._products[key] = found
        return found

    def add(self, one: Form, other: Form) -> Form:
        """One + other."""
        if ZERO in (one, other):
            return one + other
        a, b = self._sums[one], self._sums[other]
        if len(a) < len(b):
            a, b = b, a
        found = dict(a)
        for monomial, coefficient in b.items():
            found[monomial] = (found.get(monomial, 0) + coefficient) % P
        return self.of(found)

    def scale(self, form: Form, factor: int) -> Form:
        """A multiple by a coefficient."""
        if factor == 1:
            return form
        return self.of({m: c * factor % P for m, c in self._sums[form].items()})

    def negative(self, form: Form) -> Form:
        """Its negative."""
        return self.scale(form, P - 1)

    def multiply(self, one: Form, other: Form) -> Form:
        """One * other; a product of long sums becomes an atom of each.

        So does a sum by which the other one is divided, since then it cancels out.
        """
        if self._divides(one, other):
            one = self._whole(one)
        elif self._divides(other, one):
            other = self._whole(other)
        a, b = self._sums[one], self._sums[other]
        if len(a) > 1 and len(b) > 1 and len(a) * len(b) > _MOST_PRODUCTS:
            a, b = self._sums[self._whole(one)], self._sums[self._whole(other)]
        return self.of(self.products(a.items(), b.items()))

    def _divides(self, form: Form, other: Form) -> bool:
        """Whether a sum of several is a divisor of all monomials of another form."""
        powers = [dict(self.parts(monomial)[0]) for monomial in self._sums[other]]
        inverted = {
            atom
            for atom, power in (powers[0] if powers else {}).items()
            if power < 0 and self._keys[atom][0] == "sum"
        }
        if len(self._sums[form]) < 2 or not inverted:
            return False
        ((whole, _),) = self._sums[self._whole(form)].items()
        ((atom, _),), _ = self.parts(whole)
        return all(found.get(atom, 0) < 0 for found in powers)

    def products(
        self, one: Iterable[tuple[Monomial, int]], other: Iterable[tuple[Monomial, int]]
    ) -> Sum:
        """Each with each."""
        found: Sum = {}
        rest = list(other)
        for m, c in one:
            for n, d in rest:
                product = self.monomial_product(m, n)
                found[product] = (found.get(product, 0) + c * d) % P
        return found

    def _whole(self, form: Form) -> Form:
        """The sum as one atom times its first coefficient."""
        found = self._sums[form]
        if len(found) <= 1:
            return form
        if form not in self._wholes:
            first = found[min(found)]
            primitive = self.scale(form, pow(first, -1, P))
            self._wholes[form] = self.scale(self.atom("sum", primitive), first)
        return self._wholes[form]

    def inverse(self, form: Form) -> Form:
        """1 / form; nobody asks for that of zero."""
        self.laws.add("quotients")
        if form not in self._inverses:
            self._inverses[form] = self._inverted(self._whole(form))
        return self._inverses[form]

    def _inverted(self, whole: Form) -> Form:
        if whole == ZERO:
            return self.atom("inverse of zero")
        ((monomial, coefficient),) = self._sums[whole].items()
        powers, exponent = self.parts(monomial)
        turned = tuple((atom, -power) for atom, power in powers)
        found = self._monomial(turned, self.negative(exponent))
        return self.of({found: pow(coefficient, -1, P)})

    def exp2(self, form: Form) -> Form:
        """The product of the exponentials of the summands; 2^n of an integer n."""
        self.laws.add("exponentials")
        found = dict(self._sums[form])
        shift = found.get(ONE, 0)
        shift = shift - P if shift > P // 2 else shift
        factor = 1
        if abs(shift) <= _LARGEST_SHIFT:
            found.pop(ONE, None)
            factor = pow(2, shift, P)
        return self.of({self._monomial((), self.of(found)): factor})

    def extreme(self, name: str, forms: Iterable[Form]) -> Form:
        """The greatest or least of a set, however it is nested."""
        self.laws.add("extremes")
        members = set[Form]()
        for form in forms:
            members |= self._members(name, form) or {form}
        if len(members) == 1:
            return members.pop()
        return self.atom(name, frozenset(members))

    def _members(self, name: str, form: Form) -> frozenset[Form]:
        """The members of a nested maximum or minimum; none of another form."""
        key = self.atom_of(form)
        if key is None or key[0] != name or self.is_negated(form):
            return frozenset()
        return cast(frozenset[Form], key[1])

    def call(self, name: str, forms: tuple[Form, ...]) -> Form:
        """Any function: what it is given, and its symmetry, is all that is known."""
        if name in _SETS:
            return self.extreme(name, forms)
        if name in _ODD | _EVEN and self.is_negated(forms[0]):
            self.laws.add("symmetry")
            positive = self.call(name, (self.negative(forms[0]),))
            return positive if name in _EVEN else self.negative(positive)
        return self.atom(name, *forms)

    # Formats.

    def narrow(self, form: Form, name: str) -> Form:
        """Rounds to a format; what has it stays."""
        if self.has_format(form, name):
            self.laws.add("formats")
            return form
        if self.is_negated(form):
            self.laws.add("symmetry")
            return self.negative(self.atom("narrow", name, self.negative(form)))
        return self.atom("narrow", name, form)

    def accumulated(self, name: str, old: Form, value: Form) -> Form:
        """What an atomic sum leaves of a format: the first number and all summands."""
        if not self.has_format(value, name):
            return self.atom("narrow", name, self.add(old, value))
        key = self.atom_of(old)
        is_sum = key is not None and key[:2] == ("accumulated", name)
        first, *more = (
            cast(tuple[Form, ...], key[2])
            if key is not None and is_sum and not self.is_negated(old)
            else (old,)
        )
        self.laws.add("atomics")
        return self.atom("accumulated", name, (first, *sorted([*more, value])))

    def has_format(self, form: Form, name: str) -> bool:
        """Whether rounding to a format surely changes nothing."""
        match self.atom_of(form):
            case ("narrow" | "symbol" | "accumulated", str(kind), *_):
                return kind == name
            case ("max" | "min" as kind, _):
                positive = self.negative(form) if self.is_negated(form) else form
                members = self._members(str(kind), positive)
                return all(self.has_format(member, name) for member in members)
            case ("abs", int(inner)):
                return self.has_format(inner, name)
            case _:
                return False
