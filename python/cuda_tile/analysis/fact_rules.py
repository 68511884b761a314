# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each op makes of facts: a rule gives those of its results from its operands'.

A rule gives the facts of all results, or those of each; None where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BoundedAttr,
    DivByAttr,
    PointerType,
    SameElementsAttr,
    TileType,
)
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.analysis.fact_values import (
    MAX_DIVISOR,
    Facts,
    at_group,
    bound_of,
    common_constancy,
    every_divisor,
    of_constant,
    power_of_two_divisor,
    product_bounds,
    uniform,
    unknown,
)
from cuda_tile.analysis.stored_tiles import whole_tile_stored
from cuda_tile.analysis.tiling import tensor_view_op, tensor_view_parts, tiling_of
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.plan import MAX_GRID_EXTENT
from cuda_tile.ir.tiles import element_of, memory_bits, pointee_of
from cuda_tile.ir.walk import op_stem
from cuda_tile.rules import RuleTable

FactsOf = Callable[[ir.Value], Facts]
"""Gives what is known of an operand."""
FactsRule = Callable[[FactsOf, ir.Operation], Facts | Sequence[Facts | None] | None]
RULES: RuleTable[FactsRule] = RuleTable("facts")
Bounds = tuple[int | None, int | None]
Powers = tuple[int, ...]
"""A power of two for each dimension."""


def tile_shape(value: ir.Value) -> tuple[int, ...]:
    """The extents of a tile; none of what is no tile."""
    ty = value.type
    return tuple(ty.shape) if isinstance(ty, TileType) else ()


def tile_block_number() -> Facts:
    """What is known of the place of a tile block in the grid: small, not negative."""
    return uniform((), 1, 0, MAX_GRID_EXTENT - 1)


@RULES.register("constant")
def constant(of: FactsOf, op: ir.Operation) -> Facts | None:
    """A splat integer is known exactly; true reads as 1 or -1, so i1 has no bounds."""
    del of
    value, shape = constant_splat(op), tile_shape(op.results[0])
    if not isinstance(value, int):
        return None
    is_flag = _width(op.results[0]) == 1
    return uniform(shape) if is_flag else of_constant(shape, value)


@RULES.register("assume")
def assume(of: FactsOf, op: ir.Operation) -> Facts:
    """A predicate adds to what is known of the operand."""
    known, predicate = of(op.operands[0]), op.attributes["predicate"]
    if isinstance(predicate, DivByAttr) and predicate.every is None:
        columns = zip(known.divisibility, known.contiguity or (1,), strict=True)
        divisor = predicate.divisor
        return known._replace(
            divisibility=tuple(max(d, divisor) if c == 1 else d for d, c in columns)
        )
    if isinstance(predicate, DivByAttr):
        return _counting_up(known, predicate, op.results[0])
    if isinstance(predicate, SameElementsAttr):
        equal = (power_of_two_divisor(count) for count in predicate.values)
        boxes = zip(known.constancy, equal, known.shape, strict=True)
        constancy = tuple(max(c, min(n, extent)) for c, n, extent in boxes)
        return known._replace(constancy=constancy)
    if isinstance(predicate, BoundedAttr):
        low = _tighter(max, known.low, predicate.lower)
        return known._replace(low=low, high=_tighter(min, known.high, predicate.upper))
    return known


def _counting_up(known: Facts, predicate: DivByAttr, value: ir.Value) -> Facts:
    """`div_by<D, every E along A>`: groups of E count up from a multiple of D.

    The largest power of two that divides E counts: it is the extent of smaller groups,
    whose first elements lie multiples of it behind the group's first.
    """
    every, dim = predicate.every, predicate.along
    if every is None or dim is None:
        return known
    count, step = power_of_two_divisor(every), 1
    if isinstance(element_of(value), PointerType):
        bits = memory_bits(pointee_of(value))
        if bits < 8:
            return known
        step = bits // 8
    first = predicate.divisor
    if count != every:
        first = gcd(first, count * step)
    count = min(count, known.shape[dim])
    contiguity, divisibility = list(known.contiguity), list(known.divisibility)
    contiguity[dim] = max(contiguity[dim], count)
    divisibility[dim] = max(divisibility[dim], first)
    return known._replace(
        contiguity=tuple(contiguity), divisibility=tuple(divisibility)
    )


def _tighter(
    pick: Callable[[int, int], int], first: int | None, second: int | None
) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return pick(first, second)


@RULES.register("alloca")
def alloca(of: FactsOf, op: ir.Operation) -> Facts:
    """Memory is aligned as asked."""
    del of
    return uniform((), ir.IntegerAttr(op.attributes["alignment"]).value)


@RULES.register("get_tile_block_id")
def get_tile_block_id(of: FactsOf, op: ir.Operation) -> Facts:
    """Block ids are small and not negative."""
    del of, op
    return tile_block_number()


@RULES.register("get_num_tile_blocks")
def get_num_tile_blocks(of: FactsOf, op: ir.Operation) -> Facts:
    """The grid has at least one block per axis."""
    del of, op
    return uniform((), 1, 1, MAX_GRID_EXTENT)


@RULES.register("get_tensor_shape")
def get_tensor_shape(of: FactsOf, op: ir.Operation) -> list[Facts | None]:
    """What is known of the extents."""
    parts = tensor_view_parts(tensor_view_op(op.operands[0]))
    extents = zip(parts.shape, op.results, strict=True)
    return [_fitting(_extent(of, extent), result) for extent, result in extents]


@RULES.register("get_index_space_shape")
def get_index_space_shape(of: FactsOf, op: ir.Operation) -> list[Facts | None]:
    """Extents over steps, rounded up."""
    view = op.operands[0]
    tiling, parts = tiling_of(view), tensor_view_parts(tensor_view_op(view))
    return [
        _quotient(_extent(of, parts.shape[target]), step, result)
        for target, step, result in zip(
            tiling.dim_map, tiling.steps, op.results, strict=True
        )
    ]


def _quotient(extent: Facts, step: int, result: ir.Value) -> Facts | None:
    if extent.low is None or extent.high is None:
        return None
    return _fitting(
        uniform((), 1, -(-extent.low // step), -(-extent.high // step)), result
    )


def _extent(of: FactsOf, extent: int | ir.Value) -> Facts:
    """An extent, which is read unsigned."""
    if isinstance(extent, int):
        return of_constant((), extent)
    known, most = of(extent), (1 << _width(extent)) - 1
    if not known.is_natural:
        return uniform((), known.divisor, 0, most)
    return known._replace(high=most >> 1 if known.high is None else known.high)


def _fitting(known: Facts, result: ir.Value) -> Facts:
    """A number that is not negative, in the result's width, where it must fit."""
    low, high = _in_range(result, known.low, known.high)
    return known._replace(low=low, high=high)


# Tiles --------------------------------------------------------------------------------


@RULES.register("iota")
def iota(of: FactsOf, op: ir.Operation) -> Facts:
    """0, 1, 2, ...: contiguous as far as the signed reading counts up."""
    del of
    shape = tile_shape(op.results[0])
    limit = 1 << (_width(op.results[0]) - 1)
    if shape[0] <= limit:
        return Facts(shape, shape, (1,), (MAX_DIVISOR,), 0, shape[0] - 1)
    return Facts(shape, (limit,), (1,), (limit,))


@RULES.register("tileas.convert_layout")
def convert_layout(of: FactsOf, op: ir.Operation) -> Facts:
    """The same tile in other threads."""
    return of(op.operands[0])


@RULES.register("tileas.load_shared")
def load_shared(of: FactsOf, op: ir.Operation) -> Facts | None:
    """What one op stores there whole, in any iteration, is what a load finds."""
    source = whole_tile_stored(op)
    return None if source is None else of(source)


@RULES.register("reshape")
def reshape(of: FactsOf, op: ir.Operation) -> Facts:
    """Uniform values stay uniform; leading and trailing ones are transparent."""
    source, result = of(op.operands[0]), tile_shape(op.results[0])
    squeezed = [i for i, extent in enumerate(source.shape) if extent != 1]
    kept = [i for i, extent in enumerate(result) if extent != 1]
    if [source.shape[i] for i in squeezed] != [result[i] for i in kept]:
        return unknown(result)
    contiguity, constancy = [1] * len(result), [1] * len(result)
    divisibility = [every_divisor(source)] * max(1, len(result))
    for old, new in zip(squeezed, kept, strict=True):
        contiguity[new] = source.contiguity[old]
        constancy[new] = source.constancy[old]
        divisibility[new] = source.divisibility[old]
    powers = tuple(contiguity), tuple(constancy), tuple(divisibility)
    return Facts(result, *powers, source.low, source.high)


@RULES.register("broadcast")
def broadcast(of: FactsOf, op: ir.Operation) -> Facts:
    """Stretched dimensions are constant along their whole length."""
    source, result = of(op.operands[0]), tile_shape(op.results[0])
    columns = zip(source.shape, result, source.constancy, strict=True)
    constancy = tuple(new if old != new else known for old, new, known in columns)
    return source._replace(shape=result, constancy=constancy)


@RULES.register("permute")
def permute(of: FactsOf, op: ir.Operation) -> Facts:
    """Facts move with their dimension."""
    source = of(op.operands[0])
    order = list(ir.DenseI32ArrayAttr(op.attributes["permutation"]))
    shape, contiguity, constancy, divisibility = (
        tuple(powers[i] for i in order) for powers in source[:4]
    )
    powers = contiguity, constancy, divisibility
    return Facts(shape, *powers, source.low, source.high)


@RULES.register("ptr_to_ptr")
def ptr_to_ptr(of: FactsOf, op: ir.Operation) -> Facts:
    """The same addresses; what is contiguous depends on the size of the pointee."""
    source = of(op.operands[0])
    before, after = (memory_bits(pointee_of(v)) for v in (*op.operands, op.results[0]))
    if before == after:
        return source
    ones, every = (1,) * len(source.shape), every_divisor(source)
    return source._replace(contiguity=ones, divisibility=(every,) * max(1, len(ones)))


@RULES.register("offset")
def offset(of: FactsOf, op: ir.Operation) -> Facts | None:
    """Pointer plus elements: divisibility counts in bytes."""
    pointer, index = map(of, op.operands)
    size = memory_bits(pointee_of(op.operands[0])) // 8
    if not size:  # two elements share a byte: neighbours have one address
        return None
    contiguity = _counted(pointer, index)
    divisibility = tuple(
        gcd(
            at_group(pointer, i, group, size),
            min(MAX_DIVISOR, at_group(index, i, group) * size),
        )
        for i, group in enumerate(contiguity or (1,))
    )
    constancy = common_constancy(pointer, index)
    return Facts(pointer.shape, contiguity, constancy, divisibility)


# Integers -----------------------------------------------------------------------------


def _counted(first: Facts, second: Facts) -> Powers:
    """The contiguity of an element-wise sum."""
    columns = zip(*first[1:3], *second[1:3], strict=True)
    return tuple(max(gcd(a, q), gcd(p, b)) for a, p, b, q in columns)


def _combined(
    op: ir.Operation, lhs: Facts, rhs: Facts, contiguity: Powers, bounds: Bounds
) -> Facts:
    """A sum or a difference, of which each group begins at a multiple."""
    divisibility = tuple(
        gcd(at_group(lhs, i, group), at_group(rhs, i, group))
        for i, group in enumerate(contiguity or (1,))
    )
    powers = contiguity, common_constancy(lhs, rhs), divisibility
    return Facts(lhs.shape, *powers, *_in_range(op.results[0], *bounds))


@RULES.register("addi")
def addi(of: FactsOf, op: ir.Operation) -> Facts:
    """Contiguous plus constant is contiguous."""
    lhs, rhs = map(of, op.operands)
    low = bound_of(lambda a, b: a + b, lhs.low, rhs.low)
    high = bound_of(lambda a, b: a + b, lhs.high, rhs.high)
    return _combined(op, lhs, rhs, _counted(lhs, rhs), (low, high))


@RULES.register("subi")
def subi(of: FactsOf, op: ir.Operation) -> Facts:
    """Contiguous minus constant is contiguous."""
    lhs, rhs = map(of, op.operands)
    low = bound_of(lambda a, b: a - b, lhs.low, rhs.high)
    high = bound_of(lambda a, b: a - b, lhs.high, rhs.low)
    contiguity = tuple(map(gcd, lhs.contiguity, rhs.constancy))
    return _combined(op, lhs, rhs, contiguity, (low, high))


@RULES.register("muli")
def muli(of: FactsOf, op: ir.Operation) -> Facts:
    """Times one keeps contiguity; divisors multiply."""
    lhs, rhs = map(of, op.operands)
    if rhs.constant == 1:
        return lhs
    if lhs.constant == 1:
        return rhs
    # A product need not count up, so every element starts a group of its own.
    divisibility = tuple(
        min(MAX_DIVISOR, at_group(lhs, i, 1) * at_group(rhs, i, 1))
        for i in range(max(1, len(lhs.shape)))
    )
    low, high = _in_range(op.results[0], *product_bounds(lhs, rhs))
    ones, constancy = (1,) * len(lhs.shape), common_constancy(lhs, rhs)
    return Facts(lhs.shape, ones, constancy, divisibility, low, high)


@RULES.register("divi")
def divi(of: FactsOf, op: ir.Operation) -> Facts | None:
    """A quotient of non-negative values does not grow; neighbours have the same."""
    lhs, rhs = map(of, op.operands)
    if not lhs.is_natural or rhs.low is None or rhs.low <= 0:
        return None
    most = (1 << (_width(op.results[0]) - 1)) - 1 if lhs.high is None else lhs.high
    constancy = common_constancy(lhs, rhs)
    if rhs.constant is not None and keyword(op, "rounding") != "positive_inf":
        step = power_of_two_divisor(rhs.constant)
        columns = zip(constancy, lhs.contiguity, lhs.divisibility, strict=False)
        constancy = tuple(max(c, gcd(n, d, step)) for c, n, d in columns)
    least = unknown(lhs.shape)
    return least._replace(constancy=constancy, low=0, high=-(-most // rhs.low))


@RULES.register(
    *("andi", "ori", "xori", "shli", "shri", "remi", "maxi", "mini", "select"),
)
def elementwise(of: FactsOf, op: ir.Operation) -> Facts:
    """What is made of equal elements is equal: a mask is often made of several."""
    sources = [of(value) for value in op.operands]
    low, high = _kept_below(op, sources)
    known = unknown(tile_shape(op.results[0]))
    columns = zip(*(s.constancy for s in sources), strict=True)
    constancy = tuple(gcd(*column) for column in columns) if known.shape else ()
    return known._replace(constancy=constancy, low=low, high=high)


def _kept_below(op: ir.Operation, sources: list[Facts]) -> Bounds:
    """Bounds of a number `and` one that is not negative, a remainder, or a shift."""
    first, second, *_ = sources
    most: int | None = None
    match op_stem(op):
        case "andi":
            tops = [s.high for s in sources if s.is_natural]
            most = min((top for top in tops if top is not None), default=None)
        case "remi" if (second.low or 0) > 0:
            is_counted = _is_unsigned(op) or first.is_natural
            most = second.high if is_counted else None
            most = None if most is None else most - 1
        case "shri" if second.constant:
            most = _shifted(op, first, second.constant)
        case _:
            pass
    return None if most is None else 0, most


def _shifted(op: ir.Operation, source: Facts, count: int) -> int | None:
    """The most that is left of a number that is not negative, or is read so."""
    width = _width(op.results[0])
    if not 0 < count < width or not (source.is_natural or _is_unsigned(op)):
        return None
    most = source.high if source.is_natural else (1 << width) - 1
    return ((1 << width - 1) - 1 if most is None else most) >> count


def _is_unsigned(op: ir.Operation) -> bool:
    return "unsigned" in str(op.attributes["signedness"])


@RULES.register("exti")
def exti(of: FactsOf, op: ir.Operation) -> Facts:
    """A sign extension keeps every fact; a zero extension those of positives."""
    source = of(op.operands[0])
    if not _is_unsigned(op) or source.is_natural:
        return source
    most = (1 << _width(op.operands[0])) - 1
    known = unknown(source.shape)
    return known._replace(constancy=source.constancy, low=0, high=most)


@RULES.register("cmpi")
def cmpi(of: FactsOf, op: ir.Operation) -> Facts:
    """Where a comparison cannot change: the mask's constancy.

    `x < c` with x contiguous from a multiple of g and c a multiple of g does not
    change within aligned groups of g elements. Signed comparison of values whose
    sum cannot have wrapped is assumed by `addi`'s range check.
    """
    lhs, rhs = map(of, op.operands)
    predicate = str(op.attributes["comparison_predicate"])
    constancy = list(common_constancy(lhs, rhs))
    if "less_than" in predicate and "or_equal" not in predicate:
        for i in range(len(lhs.shape)):
            group = gcd(lhs.contiguity[i], rhs.constancy[i])
            group = gcd(group, gcd(lhs.divisibility[i], rhs.divisibility[i]))
            constancy[i] = max(constancy[i], group)
    return unknown(lhs.shape)._replace(constancy=tuple(constancy))


def _width(value: ir.Value) -> int:
    """Bits of an integer tile's element; 64 for anything else."""
    element = element_of(value)
    return element.width if isinstance(element, ir.IntegerType) else 64


def _in_range(result: ir.Value, low: int | None, high: int | None) -> Bounds:
    """Forgets bounds that may have wrapped around."""
    limit = 1 << (_width(result) - 1)
    if low is None or high is None or low < -limit or high >= limit:
        return None, None
    return low, high
