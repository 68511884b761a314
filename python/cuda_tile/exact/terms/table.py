# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terms of a run: shared nodes, each carried by a float of its own.

A node is carried by a NaN of f32 whose payload names it, or by the f64 that it widens
to; any other float is a literal. The sign that a node has is drawn, the other sign is
its negative. Payloads are scattered, so that what else integer instructions make of the
bits of a float is most likely no node, or another one.
Formats of 16 bits and fewer have no room for that: there each normal form gets a code,
among those that the program's literals do not use.

Each node also has a number, computed in float64 from the arguments as they were: by it
comparisons are decided, which are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cuda_tile.errors import Unsupported
from cuda_tile.exact.ring import Array, Elements
from cuda_tile.exact.terms.forms import Form, Forms, P

Ids = NDArray[np.int64]
Node = tuple[Any, ...]
Summands = tuple[tuple[int, int], ...]
"""Monomials with coefficients."""

_BOX = np.uint32(0x7FC00000)
_PAYLOAD = np.uint32(0x3FFFFF)
_PAYLOAD_BITS = 22
_MOST_NODES = 1 << _PAYLOAD_BITS
_SCATTER = 2654435
_GATHER = pow(_SCATTER, -1, _MOST_NODES)
"""A payload is this odd number times its node's number, modulo 2^22; its inverse."""
_FORMATS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
_PLAIN_BITS = {2: 6, 1: 3}
"""Of codes of so many bytes: those whose lowest bits are zero are kept for literals."""
_LARGEST_WHOLE = 2048
"""Of 16 bits whole numbers up to here are, too: integers of 8 bits become floats, by
the bits of those from 1024 on."""


class TermsFull(Unsupported):
    """There are more terms than a format has codes, or than f32 has payloads."""


class Codes:
    """The codes of one format.

    Attributes:
        nodes: The node of each code; -1 of literals.
        numbers: What each code is as a literal.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.dtype = np.dtype(_FORMATS[name])
        size = self.dtype.itemsize
        self.word = np.dtype(f"u{size}")
        codes = np.arange(1 << 8 * size).astype(self.word)
        with np.errstate(invalid="ignore"):
            self.numbers = codes.view(self.dtype).astype(np.float64)
        self.nodes: Ids = np.full(codes.size, -1, np.int64)
        low = (1 << _PLAIN_BITS[size]) - 1
        is_free = (codes & self.word.type(low) != 0) & np.isfinite(self.numbers)
        with np.errstate(invalid="ignore"):
            is_whole = self.numbers == np.rint(self.numbers)
        if size == 2:
            is_free &= ~(is_whole & (np.abs(self.numbers) <= _LARGEST_WHOLE))
        self._free = [
            int(c) for c in np.random.default_rng(1).permutation(codes[is_free])
        ]
        self._literals = set[int]()
        self.of_form: dict[Form, int] = {}

    def keep(self, codes: Iterable[int]) -> None:
        """Keeps codes for literals.

        Raises:
            TermsFull: One is a term already.
        """
        for code in codes:
            if self.nodes[code] >= 0:
                raise TermsFull(f"a literal of {self.name} has the code of a term")
            self._literals.add(code)

    def take(self, form: Form, node: int) -> int:
        """A code for a form that has none.

        Raises:
            TermsFull: None is left.
        """
        while self._free:
            code = self._free.pop()
            if code not in self._literals:
                self.nodes[code] = node
                self.of_form[form] = code
                return code
        raise TermsFull(f"{self.name} has too few codes for the terms of this launch")


class Table:
    """Nodes, their numbers, their normal forms and their codes."""

    def __init__(self) -> None:
        self.forms = Forms()
        self.decided = set[tuple[Form, Form]]()
        self._nodes: list[Node] = []
        self._ids: dict[Node, int] = {}
        self._numbers = np.zeros(1024)
        self._form_of: dict[int, Form] = {}
        self._codes: dict[str, Codes] = {}
        self._lists: dict[tuple[int, tuple[int, ...]], int] = {}
        self._list_keys: list[tuple[int, tuple[int, ...]]] = []
        self._flat: dict[int, list[Summands]] = {}
        self._number_of_form: dict[Form, float] = {}

    # Nodes.

    def node(self, key: Node, number: float) -> int:
        """The number of a node.

        Args:
            key: What it is.
            number: What it is for the arguments as they were.
        """
        found = self._ids.get(key)
        if found is None:
            while _is_reserved(len(self._nodes)):
                self._nodes.append(())
            found = self._ids[key] = len(self._nodes)
            if found >= _MOST_NODES:
                raise TermsFull("f32 has too few payloads for the terms of this launch")
            self._nodes.append(key)
            if found >= self._numbers.size:
                self._numbers = np.resize(self._numbers, 2 * found)
            self._numbers[found] = number
        return found

    def literal(self, number: float) -> int:
        """The node of a literal."""
        return self.node(
            ("literal", "nan" if number != number else number + 0.0), number
        )

    def number(self, ids: Ids) -> Elements:
        """The numbers of nodes."""
        return self._numbers[ids]

    def literal_of(self, node: int) -> float | None:
        """The literal that a node is."""
        return float(self._numbers[node]) if self._nodes[node][0] == "literal" else None

    def ids(self, carriers: Array) -> Ids:
        """The nodes of floats of 32 or 64 bits.

        Raises:
            Unsupported: One is a NaN that names none.
        """
        wide = np.asarray(carriers, np.float64).ravel()
        single, is_node, found = _named(wide)
        payload = single & _PAYLOAD
        if (is_node & (found >= len(self._nodes))).any():
            raise Unsupported("integer instructions change the bits of a float")
        is_flipped = is_node & (single >> np.uint32(31) != _sign(payload))
        if is_flipped.any():
            nodes, places = np.unique(found[is_flipped], return_inverse=True)
            turned = [self._negative(node) for node in nodes.tolist()]
            found[is_flipped] = np.array(turned, np.int64)[places]
        if is_node.all():
            return found.reshape(carriers.shape)
        numbers, places = np.unique(wide[~is_node], return_inverse=True)
        literals = [self.literal(number) for number in numbers.tolist()]
        found[~is_node] = np.array(literals, np.int64)[places]
        return found.reshape(carriers.shape)

    def are_named(self, carriers: Array) -> Array:
        """Which of some floats, or words in their place, are nodes."""
        _, is_node, found = _named(np.asarray(carriers, np.float64))
        return is_node & (found < len(self._nodes))

    def _negative(self, node: int) -> int:
        minus = self.literal(-1.0)
        key = ("multiply", *sorted((minus, node)))
        return self.node(key, -float(self._numbers[node]))

    def carriers(self, ids: Ids) -> Elements:
        """The floats that carry nodes; of a literal, itself."""
        payload = (ids * _SCATTER % _MOST_NODES).astype(np.uint32)
        boxed = (_BOX | payload | _sign(payload) << np.uint32(31)).view(np.float32)
        return np.asarray(boxed, np.float64)

    def mapped(
        self,
        operands: Sequence[Array],
        make: Callable[[Sequence[int]], Node | int],
        compute: Callable[..., Any],
    ) -> Elements:
        """A function of floats, element by element, once for each that differs.

        Args:
            operands: The floats.
            make: A node, or the key of one, of the nodes of one element.
            compute: The numbers, of arrays of them.
        """
        rows, places = self.rows(operands)
        with np.errstate(all="ignore"):
            numbers = np.asarray(compute(*(self._numbers[c] for c in rows.T)), float)
        made = np.empty(len(rows), np.int64)
        pairs = zip(rows.tolist(), numbers.tolist(), strict=True)
        for place, (row, number) in enumerate(pairs):
            found = make(row)
            made[place] = found if isinstance(found, int) else self.node(found, number)
        return self.carriers(made[places])

    def rows(self, operands: Sequence[Array]) -> tuple[Ids, Array]:
        """The nodes of floats, once for each element that differs.

        Args:
            operands: The floats, at most two arrays that broadcast.

        Returns:
            A row for each, and the number of the row of each element.
        """
        assert len(operands) <= 2, "pairs are packed"
        first, *more = (self.ids(v) for v in np.broadcast_arrays(*operands))
        packed = first * _MOST_NODES + more[0] if more else first
        unique, places = np.unique(packed, return_inverse=True)
        columns = divmod(unique, _MOST_NODES) if more else (unique,)
        return np.stack(columns, axis=1), places.reshape(first.shape)

    # Lists of nodes, whose products are summed.

    def longer(self, before: int, nodes: tuple[int, ...]) -> int:
        """The list of another one (-1 for none) and some nodes more."""
        key = before, nodes
        found = self._lists.get(key)
        if found is None:
            found = self._lists[key] = len(self._list_keys)
            self._list_keys.append(key)
        return found

    def dot_of(self, node: int) -> tuple[int, int, int]:
        """Both lists of a sum of products, and what it was added to."""
        key = self._nodes[node]
        return key[1:] if key[0] == "dot" else (-1, -1, node)

    def joined(self, before: int, more: int) -> int:
        """A list and one that has nothing before it."""
        return more if before < 0 else self.longer(before, self._list_keys[more][1])

    def _list(self, number: int) -> list[int]:
        found: list[int] = []
        while number >= 0:
            number, nodes = self._list_keys[number]
            found += reversed(nodes)
        return found[::-1]

    # Normal forms.

    def form(self, node: int) -> Form:
        """The normal form of a node."""
        known, work = self._form_of, [node]
        while work:
            top = work[-1]
            missing = [n for n in self._needed(top) if n not in known]
            if top not in known and missing:
                work += missing
                continue
            work.pop()
            if top not in known:
                known[top] = self._made(top)
                self._number_of_form.setdefault(known[top], float(self._numbers[top]))
        return known[node]

    def _needed(self, node: int) -> list[int]:
        if node in self._form_of:
            return []
        match self._nodes[node]:
            case ("add" | "multiply", int(a), int(b)):
                return [a, b]
            case ("call" | "accumulated", _, *nodes):
                return cast(list[int], nodes)
            case ("dot", int(rows), int(columns), int(addend)):
                lists = [n for n in (rows, columns) if n not in self._flat]
                return [addend, *(n for one in lists for n in self._list(one))]
            case _:
                return []

    def _made(self, node: int) -> Form:
        known, forms = self._form_of, self.forms
        match self._nodes[node]:
            case ("literal", number):
                if number == "nan" or abs(number) == float("inf"):
                    return forms.atom("literal", str(number))
                return forms.constant(number)
            case ("symbol", *key):
                return forms.atom("symbol", *key)
            case ("form", int(form)):
                return form
            case ("add", int(a), int(b)):
                return forms.add(known[a], known[b])
            case ("multiply", int(a), int(b)):
                return forms.multiply(known[a], known[b])
            case ("dot", int(rows), int(columns), int(addend)):
                return forms.add(self._dot(rows, columns), known[addend])
            case ("accumulated", str(name), int(a), int(b)):
                return forms.accumulated(name, known[a], known[b])
            case ("call", str(name), *nodes):
                return self._called(name, tuple(known[n] for n in nodes))
            case key:
                raise AssertionError(f"a node is {key}")

    def _called(self, name: str, given: tuple[Form, ...]) -> Form:
        match name:
            case "inverse":
                return self.forms.inverse(given[0])
            case "exp2":
                return self.forms.exp2(given[0])
            case "max" | "min":
                return self.forms.call(name, self._folded(name, given))
            case _:
                return self.forms.call(name, given)

    def _folded(self, name: str, given: tuple[Form, ...]) -> tuple[Form, ...]:
        """Operands of a maximum or minimum; of constants, the one that counts."""
        fixed = [form for form in given if self.forms.is_constant(form)]
        if len(fixed) < 2:
            return given
        choose = max if name == "max" else min
        kept = choose(fixed, key=lambda form: self._number_of_form[form])
        return kept, *(form for form in given if form not in fixed)

    def _dot(self, rows: int, columns: int) -> Form:
        """The sum of the products of two lists."""
        forms, found = self.forms, dict[int, int]()
        pairs = zip(self._summands(rows), self._summands(columns), strict=True)
        for one, other in pairs:
            if len(one) == len(other) == 1:
                ((m, c),), ((n, d),) = one, other
                product = forms.monomial_product(m, n)
                found[product] = (found.get(product, 0) + c * d) % P
            elif one and other:
                whole = forms.multiply(forms.of(dict(one)), forms.of(dict(other)))
                for monomial, count in forms.sum(whole).items():
                    found[monomial] = (found.get(monomial, 0) + count) % P
        return forms.of(found)

    def _summands(self, number: int) -> list[Summands]:
        """The sums of a list's nodes."""
        known = self._flat.get(number)
        if known is None:
            sums = [self.forms.sum(self._form_of[n]) for n in self._list(number)]
            known = self._flat[number] = [tuple(s.items()) for s in sums]
        return known

    def node_of(self, form: Form) -> int:
        """A node of a form."""
        return self.node(("form", form), self._number_of_form[form])

    def compared(self, one: int, other: int) -> tuple[float, float]:
        """The numbers by which two nodes are compared; alike for nodes of one form."""
        pair = self.form(one), self.form(other)
        if pair[0] != pair[1] and not all(map(self.forms.is_constant, pair)):
            self.decided.add(pair)
        first, second = (self._number_of_form[form] for form in pair)
        return first, second

    # Formats.

    def codes(self, name: str) -> Codes:
        """The codes of a format.

        Raises:
            Unsupported: It has too few for anything.
        """
        if name not in _FORMATS:
            raise Unsupported(
                f"terms in {name} are not supported; it has too few codes"
            )
        if name not in self._codes:
            self._codes[name] = Codes(name)
        return self._codes[name]

    def narrow(self, carriers: Array, name: str) -> Array:
        """The codes of floats, rounded to a format."""
        codes, nodes = self.codes(name), self.ids(carriers)
        unique, places = np.unique(nodes, return_inverse=True)
        made = [self._code(codes, int(node)) for node in unique]
        return np.array(made, codes.word)[places].reshape(nodes.shape)

    def _code(self, codes: Codes, node: int) -> int:
        number = self.literal_of(node)
        if number is not None:
            with np.errstate(all="ignore"):
                code = int(np.array(number).astype(codes.dtype).view(codes.word))
            codes.keep([code])
            return code
        form = self.forms.narrow(self.form(node), codes.name)
        self._number_of_form.setdefault(form, float(self._numbers[node]))
        known = codes.of_form.get(form)
        return codes.take(form, self.node_of(form)) if known is None else known

    def widen(self, codes: Array, name: str) -> Elements:
        """The floats that codes of a format are."""
        known = self.codes(name)
        nodes = known.nodes[codes]
        return np.where(nodes < 0, known.numbers[codes], self.carriers(nodes))


def _named(wide: Elements) -> tuple[Array, Array, Ids]:
    """Bits of f32, whether they name a node if there is one, and which."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = wide.astype(np.float32).view(np.uint32)
    found = (single & _PAYLOAD).astype(np.int64) * _GATHER % _MOST_NODES
    return single, np.isnan(wide) & ~_is_canonical(single), found


def _is_canonical(bits: Array) -> Array:
    """The NaN that instructions give, which name no node."""
    payload = bits & _PAYLOAD
    return (payload == 0) | (payload == _PAYLOAD)


def _sign(payload: Any) -> Any:
    """The sign bit of a node, drawn by its payload."""
    return (payload ^ payload >> np.uint32(5) ^ payload >> np.uint32(11)) & np.uint32(1)


def _is_reserved(node: int) -> bool:
    """Payloads of canonical NaNs, and of what widened bf16 look like."""
    payload = node * _SCATTER % _MOST_NODES & 0x3FFFFF
    return payload in (0, 0x3FFFFF) or payload & 0xFFFF == 0
