# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites indices of masked accesses as sums in 64 bits if masks hide wrapped sums.

Contract: in and out, verified level T without a plan; accesses keep their addresses. A
neighbour `x[i + 1]` is loaded where `0 <= i + 1 < n`. The sum has 32 bits and may wrap,
so it is not known that its address is four bytes behind that of `x[i]`. But the mask
hides elements whose sum wraps, and other sums are known not to wrap. So

    extend(i + 1)    becomes    extend(i) + 1

in addresses, if all accesses through them have such a mask. Neighbours then share an
index.

Contract `unwrap_indices`
    Law: a sum of signed numbers of n bits and the sum of the numbers themselves differ
    by a multiple of 2^n. If the first is between 0 and m, and the second above m - 2^n
    and below 2^n, they are equal. No access looks at the pointer of an element that its
    mask hides.

    | | condition | near misses |
    |---|---|---|
    | C1 types | the index is extended from fewer bits, by its sign | unsigned |
    | - flags | sums in 64 bits promise nothing | |
    | C2 values | the mask hides numbers below zero | negative, other_sign |
    | C3 values | an extent compared as unsigned is not negative | any_extent |
    | C4 values | no sum that wraps around is below the extent | far_below |
    | - order | the same accesses | |
    | - blocks | each tile block for itself | |
    | C5 indices | the mask is one of the very sum, element by element | other_sum, |
    | | | transposed |
    | - extents | of every tile | |
    | - aliasing | the same addresses | |
    | C6 captures | all accesses through the pointers have such a mask | no_mask, |
    | | | either_mask |
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.index_guards import Guards, Path, extended_from, spread
from cuda_tile.analysis.wraps import never_wraps
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import POINTER_ACCESSES, SPREADS
from cuda_tile.ir.walk import defining_op, entries, named_operands, nested_ops, op_stem
from cuda_tile.options import Options
from cuda_tile.passes import simplify

_I64 = 64
_SIGNS = {"addi": 1, "subi": -1}


def run(module: ir.Operation, options: Options) -> None:
    """Changes the indices of each entry.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    found = False
    for entry in entries(module):
        offsets = [op for op in nested_ops(entry) if op_stem(op) == "offset"]
        facts = FactsAnalysis(entry) if offsets else None
        for op in offsets:
            if facts is not None:
                found |= _Index(op, _guards_of(op, facts), facts).change()
    if found:
        simplify.run(module, options)


def _guards_of(op: ir.Operation, facts: FactsAnalysis) -> Guards:
    """The bounds that the masks of all accesses through some pointers give."""
    guards: list[Guards] = []
    for use in op.results[0].uses:
        user = use.owner.operation
        is_access = user.name in POINTER_ACCESSES and use.operand_number == 0
        masks = named_operands(user, "mask") if is_access else []
        if not masks:  # unwrap_indices C6
            return Guards()
        guards.append(Guards.of_mask(masks[0], facts))
    return Guards.of_all(guards)


class _Index:
    """The index of an `offset`, whose sums become sums of 64 bits."""

    def __init__(self, op: ir.Operation, guards: Guards, facts: FactsAnalysis) -> None:
        self._op, self._guards, self._facts = op, guards, facts

    def change(self) -> bool:
        """Replaces the index, if there is something to change."""
        old = self._op.operands[1]
        with ir.InsertionPoint(self._op), self._op.location:
            new = self._index(old, ())
        self._op.operands[1] = new
        return new != old

    def _index(self, value: ir.Value, path: Path) -> ir.Value:
        """Rewrites an index of 64 bits that computes the pointers' index by a path."""
        op = defining_op(value)
        if op is None or ir.IntegerType(element_of(value)).width != _I64:
            return value
        if (narrow := extended_from(value)) is not None:  # unwrap_indices C1
            rest = self._peeled(narrow, path)
            return value if rest == _plain(narrow) else _wide(narrow, rest)
        if op.name in SPREADS or op_stem(op) in (*_SIGNS, "muli"):
            inner = (*path, *spread(op))
            operands = [self._index(operand, inner) for operand in op.operands]
            return value if operands == list(op.operands) else _again(op, operands)
        return value

    def _peeled(self, value: ir.Value, path: Path) -> ir.Value:
        """A sum without the numbers added to it, if none of the additions wraps.

        The mask hides elements where the whole sum wraps; without a mask no part may
        wrap.
        """
        rest, added = self._parts(value, only_exact=False)
        most = self._guards.most(value, path)  # unwrap_indices C2, C3, C5
        if most is not None:
            width = ir.IntegerType(element_of(value)).width
            ends = [self._ends(rest, 1), *added]
            low, high = (sum(end) for end in zip(*ends, strict=True))
            is_above = low > most - (1 << width)
            if is_above and high < 1 << width:  # unwrap_indices C4
                return rest
        return self._parts(value, only_exact=True)[0]

    def _parts(
        self, value: ir.Value, *, only_exact: bool
    ) -> tuple[ir.Value, list[tuple[int, int]]]:
        """Splits a value into another value and bounds of the numbers added to it."""
        value, added = _plain(value), list[tuple[int, int]]()
        while (op := defining_op(value)) is not None and op_stem(op) in _SIGNS:
            is_exact = never_wraps(self._facts.of, op)
            number = self._number(op, only_constants=is_exact)
            if number is None or (only_exact and not is_exact):
                break
            sign = _SIGNS[op_stem(op)] if number else 1
            added.append(self._ends(op.operands[number], sign))
            value = _plain(op.operands[1 - number])
        return value, added

    def _number(self, op: ir.Operation, *, only_constants: bool) -> int | None:
        """Which operand of a sum is uniform; for a difference, the subtrahend.

        An addition that does not wrap stays together, unless it adds a constant.
        """
        for number in (1, 0) if _SIGNS[op_stem(op)] > 0 else (1,):
            known = self._facts.of(op.operands[number])
            is_uniform = known.constancy == known.shape and not only_constants
            if known.constant is not None or is_uniform:
                return number
        return None

    def _ends(self, value: ir.Value, sign: int) -> tuple[int, int]:
        known, half = (
            self._facts.of(value),
            1 << ir.IntegerType(element_of(value)).width - 1,
        )
        low = -half if known.low is None else known.low
        high = half - 1 if known.high is None else known.high
        return (low, high) if sign > 0 else (-high, -low)


def _wide(value: ir.Value, rest: ir.Value) -> ir.Value:
    """Rewrites a sum of fewer bits in 64 bits, down to a given rest."""
    op = defining_op(value)
    if op is None or _plain(value) == rest or not _leads_to(value, rest):
        return _extended(value)
    return _again(op, [_wide(operand, rest) for operand in op.operands])


def _leads_to(value: ir.Value, rest: ir.Value) -> bool:
    """Whether a value is a sum that contains the rest, or a renaming of it."""
    op = defining_op(_plain(value))
    return _plain(value) == rest or (
        op is not None
        and op_stem(op) in _SIGNS
        and any(_leads_to(operand, rest) for operand in op.operands)
    )


def _plain(value: ir.Value) -> ir.Value:
    """The value behind renamings and repetitions."""
    while (op := defining_op(value)) is not None and op.name in SPREADS:
        value = op.operands[0]
    return value


def _extended(value: ir.Value) -> ir.Value:
    return cuda_tile.ExtIOp(_wide_type(value), value, "signed").result


def _wide_type(value: ir.Value) -> ir.Type:
    return TileType.get(shape_of(value), ir.IntegerType.get_signless(_I64))


def _again(op: ir.Operation, operands: Sequence[ir.Value]) -> ir.Value:
    """The op with other operands, in 64 bits, without promises about overflow."""
    if op_stem(op) == "assume":
        return operands[0]
    kept = [name for name in op.attributes if name != "overflow"]
    attributes = {name: op.attributes[name] for name in kept}
    made = ir.Operation.create(
        op.name, [_wide_type(op.results[0])], list(operands), attributes
    )
    return made.results[0]
