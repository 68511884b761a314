# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terms that ops of level W compute, by the dialects' traits of each op."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.analysis.constants import constant_bits, constant_of
from cuda_tile.checkers import element_maps as maps
from cuda_tile.checkers.buffer_terms import ZERO, BufferTerms
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import attributes_of, integer
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import (
    BUFFER_RENAMES,
    BUFFER_USERS,
    ELEMENTWISE,
    PURE,
    REDUCTIONS,
)
from cuda_tile.ir.walk import block_ops, body, op_stem
from cuda_tile.layout.coords import n_bits

_SIGNS = ("signedness_lhs", "signedness_rhs")
_RELOCATES = {
    f"cuda_tile.{stem}" for stem in ("permute", "broadcast", "extract", "cat", "unpack")
}
_PRODUCTS = {
    *(f"cuda_tile.{stem}" for stem in ("mmaf", "mmai", "mmaf_scaled")),
    *(f"tileas.{stem}" for stem in ("mma_sync", "wgmma", "tcgen05")),
}
_HANDS_ON = {
    "cuda_tile.reshape",
    *(f"tileas.{stem}" for stem in ("convert_layout", "settled", "await")),
}


class OpTerms(BufferTerms):
    """The terms of the values of a kernel, and of the contents of its buffers.

    Args:
        terms: All terms.
    """

    def computed(self, op: ir.Operation) -> bool:
        """Notes the terms that an op computes or moves; whether it only does that."""
        if (rule := _RULES.get(op.name)) is None:
            return False
        for value, term in zip(op.results, rule(self, op), strict=False):
            self.values[value] = term
        return True

    def handed_on(self, op: ir.Operation) -> list[int]:
        """A result that is an operand under another name or layout."""
        return self.parts(op.operands)

    def constant(self, op: ir.Operation) -> list[int]:
        """A constant, by its bits."""
        return [self._constant(op)]

    def _constant(self, op: ir.Operation) -> int:
        bits, splat = self.bits_of(op.results[0]), constant_bits(op)
        kind = element_of(op.results[0])
        if splat is None:
            return self.terms.view(("constant", op.attributes["value"]), bits)
        if not splat:
            return self.terms.splat(ZERO, bits)
        return self.terms.splat((splat, str(kind)), bits)

    def opaque(self, op: ir.Operation) -> list[int]:
        """The results of any other op; equal for the same operands."""
        label = op_stem(op), _attributes(op), tuple(self.parts(op.operands))
        found: list[int] = []
        for number, value in enumerate(op.results):
            bits, _, kind = self.kind_of(value)
            found.append(self.terms.view((*label, number, kind), bits))
        return found

    def peers(self, op: ir.Operation) -> list[int]:
        """The results of an elementwise op."""
        parts, stem = self.parts(op.operands), op_stem(op)
        if stem == "addf" and self._is_partial(parts[1]):
            return [self.terms.sum(parts[0], self.terms.parts(parts[1])[1:])]
        bits, _, kind = self.kind_of(op.results[0])
        return [self.terms.each((stem, _attributes(op), kind), parts, bits)]

    def _unpacked(self, op: ir.Operation) -> int:
        """Bytes as elements, of which several may share one."""
        (source,), (result,) = op.operands, op.results
        if self.bits_of(result) <= self.bits_of(source):
            return self.opaque(op)[0]
        kind = str(element_of(result))
        return self._parts_of_bytes(
            self.values[source], self.extents_of(result), 0, kind
        )

    def _parts_of_bytes(
        self, term: int, shape: Sequence[int], dim: int, kind: str
    ) -> int:
        """Elements that share bytes along a dimension.

        Args:
            term: The bytes.
            shape: The extents of the elements.
            dim: The dimension.
            kind: Their type.
        """
        bits = n_bits(prod(shape))
        count = bits - self.terms.bits(term)
        item, part = maps.sharing(shape, dim, 1 << count)
        places = self.terms.taken(self.terms.view("part of a byte", count), part)
        parts = [self.terms.taken(term, item), places]
        return self.terms.each(("unpack", kind), parts, bits)

    def _is_partial(self, term: int) -> bool:
        """Whether a term is a sum of products that begins with zero."""
        return self.terms.is_sum(term) and self.is_zero(self.terms.parts(term)[0])

    def relocated(self, op: ir.Operation) -> list[int]:
        """A tile of elements of others."""
        return [self._relocated(op)]

    def _relocated(self, op: ir.Operation) -> int:
        """A tile whose elements are those of operands."""
        source, result = op.operands[0], op.results[0]
        term, extents, shape = (
            self.values[source],
            self.extents_of(source),
            self.extents_of(result),
        )
        match op_stem(op):
            case "permute":
                order = list(ir.DenseI32ArrayAttr(op.attributes["permutation"]))
                columns = maps.permuting(shape, extents, order)
                return self.terms.taken(term, columns)
            case "broadcast":
                return self.terms.taken(term, maps.repeating(shape, extents))
            case "unpack":
                return self._unpacked(op)
            case "cat":
                parts = self.parts(op.operands)
                return self._together(parts, shape, integer(op, "dim"))
            case _:
                numbers = [constant_of(index) for index in list(op.operands)[1:]]
                if None in numbers:
                    return self.part(op, term)
                known = zip((n or 0 for n in numbers), shape, extents, strict=True)
                start = [n % (whole // part) * part for n, part, whole in known]
                return self.terms.taken(term, *maps.beginning(shape, extents, start))

    def _together(self, parts: Sequence[int], shape: Sequence[int], dim: int) -> int:
        """Two tiles concatenated along a dimension."""
        bits = n_bits(prod(shape))
        at = n_bits(prod(shape[dim:])) - 1
        if self.terms.bits(parts[0]) != bits - 1:
            raise InternalError("expected two equal parts of a tile")
        first, second = parts
        return self.terms.joined(first, second, at)

    def product(self, op: ir.Operation) -> list[int]:
        """A sum and its products: factors with scales, in an order of their own."""
        base, *scales = list(op.operands)[2:]
        shape, factors = self.extents_of(base), list[int]()
        sides = [self._side(op, side) for side in (0, 1)]
        depth = sides[0][1][-1]
        for side in (0, 1):
            own = [sides[side]]
            own += [
                (self.whole(s), self.extents_of(s)) for s in scales[side : side + 1]
            ]
            sign = attributes_of(op).get(_SIGNS[side])
            parts = [
                self.terms.taken(
                    term, maps.multiplying(shape, of, depth, is_left=not side)
                )
                for term, of in own
            ]
            bits = self.terms.bits(parts[0])
            factors.append(self.terms.each(("factor", sign), parts, bits))
        factors.sort(key=self.terms.order_of)
        product = self.terms.each("product", factors, self.terms.bits(factors[0]))
        return [self.terms.sum(self.values[base], [product])]

    def _side(self, op: ir.Operation, side: int) -> tuple[int, Sequence[int]]:
        """A factor of a product, and its extents in elements, which may share bytes."""
        factor = op.operands[side]
        term, extents = self.whole(factor), self.extents_of(factor)
        is_buffer = isinstance(factor.type, BufferType)
        if not (is_buffer and str(BufferType(factor.type).element_type) == "i8"):
            return term, extents
        if len(op.operands) == 3:  # integers have no scale factors
            return term, extents
        dim = 1 - side
        shape = [2 * n if d == dim else n for d, n in enumerate(extents)]
        return self._parts_of_bytes(term, shape, dim, "f4E2M1FN"), shape

    def combined(self, op: ir.Operation) -> list[int]:
        """Folds along a dimension, as one with those that they are made of."""
        source, dim = op.operands[0], integer(op, "dim")
        columns = maps.reducing(self.extents_of(source), dim)
        parts = [self.terms.taken(term, columns) for term in self.parts(op.operands)]
        bits, label = self.bits_of(op.results[0]), self._fold(op)
        inner = self.terms.folded(label, self.parts(op.operands), columns, bits)
        parts = parts if inner is None else inner
        if is_commutative(op):
            parts = self.terms.sorted_bits(parts, bits)
        return [
            self.terms.over((label, n), parts, bits) for n in range(len(op.results))
        ]

    def _fold(self, op: ir.Operation) -> Hashable:
        """A label that tells the body of a reduction from others."""
        names: dict[ir.Value, tuple[int, int]] = {}
        names.update({v: (0, n) for n, v in enumerate(body(op).arguments)})
        said: list[Hashable] = [op.attributes["identities"]]
        for number, inner in enumerate(block_ops(body(op)), 1):
            taken = tuple(names.get(v) or self.values[v] for v in inner.operands)
            said.append((inner.name, _attributes(inner), taken))
            names.update({v: (number, n) for n, v in enumerate(inner.results)})
        return tuple(said)


def _attributes(op: ir.Operation) -> Hashable:
    """The attributes of an op, without notes of passes, sorted by name."""
    return tuple(item for item in attributes_of(op).items() if "." not in item[0])


_Rule = Callable[[OpTerms, ir.Operation], Sequence[int]]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(PURE, OpTerms.opaque),
    **dict.fromkeys(BUFFER_USERS | BUFFER_RENAMES, OpTerms.through_buffer),
    **dict.fromkeys(_RELOCATES, OpTerms.relocated),
    **dict.fromkeys(_PRODUCTS, OpTerms.product),
    **dict.fromkeys(_HANDS_ON, OpTerms.handed_on),
    "cuda_tile.constant": OpTerms.constant,
    **dict.fromkeys(ELEMENTWISE, OpTerms.peers),
    **dict.fromkeys(REDUCTIONS, OpTerms.combined),
}
"""How each op computes; what is not here has another effect."""
