# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about integers and pointers: divisibility, contiguity, range.

A pure analysis: nothing in the IR changes. Per value and dimension it holds
three powers of two, true of every element (units: elements; pointers: bytes
for divisibility, pointee elements for contiguity):

- `constancy[d]`: aligned groups of this many elements along d are equal;
- `contiguity[d]`: aligned groups of this many elements along d count up by one;
- `divisibility[d]`: the first element of each contiguous group is a multiple.

`low` and `high` bound the signed value of every element, where known. A
rank-0 tile has empty tuples for the first two and one divisibility.
"""

from __future__ import annotations

from collections.abc import Callable
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
from cuda_tile.analysis.control_flow import ControlFlow, Point, counted_loop
from cuda_tile.analysis.dataflow import ValueAnalysis
from cuda_tile.analysis.fact_values import (
    MAX_DIVISOR,
    Facts,
    at_group,
    bound_of,
    common_constancy,
    every_divisor,
    join,
    of_constant,
    power_of_two_divisor,
    product_bounds,
    uniform,
    unknown,
    widen,
)
from cuda_tile.analysis.stored_tiles import whole_tile_stored
from cuda_tile.analysis.tiling import tensor_view_op, tensor_view_parts, tiling_of
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.plan import MAX_GRID_EXTENT
from cuda_tile.ir.tile_loop import TILES
from cuda_tile.ir.tiles import element_of, memory_bits, pointee_of
from cuda_tile.ir.walk import op_stem
from cuda_tile.rules import RuleTable


class FactsAnalysis(ValueAnalysis[Facts]):
    """Facts of the values of one entry, through loops and branches.

    Args:
        entry: A `cuda_tile.entry` at level T or W.
    """

    def __init__(self, entry: ir.Operation) -> None:
        super().__init__(ControlFlow(entry))
        self.find_all()

    def find_all(self) -> None:
        """Walks the entry until all facts are known."""
        self.solve(())

    def unknown(self, value: ir.Value) -> Facts:
        """Trivial facts; also those of values that are no tiles."""
        return unknown(_tile_shape(value))

    def join_facts(self, known: Facts, news: Facts) -> Facts:
        """The facts that hold where two paths meet."""
        return join(known, news)

    def widen_facts(self, known: Facts, news: Facts) -> Facts:
        """The facts that hold at the head of a loop."""
        return widen(known, news)

    def made(self, point: Point, number: int) -> Facts:
        """The index of a `for`, from its bounds, or the number of a tile block."""
        if point.op.name == TILES:
            return _tile_block_number()
        loop = counted_loop(point.op)
        if loop is None or point.region is None:
            return super().made(point, number)
        bounds = (self.of(value) for value in (loop.lower, loop.upper, loop.step))
        return _induction(*bounds, is_unsigned=loop.is_unsigned)

    def apply(self, op: ir.Operation) -> None:
        """Follows the op's rule; forgets what an earlier walk found out."""
        rule = RULES.get(op_stem(op), _nothing)
        if rule is not _nothing:
            for result in op.results:
                self.forget(result)
            rule(self, op)


def has_rule(op: ir.Operation) -> bool:
    """Whether anything may be known of the results of an op without regions."""
    return op_stem(op) in RULES


FactsRule = Callable[[FactsAnalysis, ir.Operation], None]
RULES: RuleTable[FactsRule] = RuleTable("facts")


def _nothing(facts: FactsAnalysis, op: ir.Operation) -> None:
    """The rule of an op of whose results nothing is known."""


def _tile_shape(value: ir.Value) -> tuple[int, ...]:
    ty = value.type
    return tuple(ty.shape) if isinstance(ty, TileType) else ()


@RULES.register("constant")
def constant(facts: FactsAnalysis, op: ir.Operation) -> None:
    """A splat integer is known exactly; true reads as 1 or -1, so i1 has no bounds."""
    value, shape = constant_splat(op), _tile_shape(op.results[0])
    if isinstance(value, int):
        is_flag = _width(op.results[0]) == 1
        facts.set(
            op.results[0], uniform(shape) if is_flag else of_constant(shape, value)
        )


@RULES.register("assume")
def assume(facts: FactsAnalysis, op: ir.Operation) -> None:
    """A predicate adds to what is known of the operand."""
    known = facts.of(op.operands[0])
    predicate = op.attributes["predicate"]
    if isinstance(predicate, DivByAttr) and predicate.every is None:
        known = Facts(
            known.shape,
            known.contiguity,
            known.constancy,
            tuple(
                max(d, predicate.divisor) if c == 1 else d
                for d, c in zip(
                    known.divisibility, known.contiguity or (1,), strict=True
                )
            ),
            known.low,
            known.high,
        )
    elif isinstance(predicate, DivByAttr):
        known = _counting_up(known, predicate, op.results[0])
    elif isinstance(predicate, SameElementsAttr):
        equal = (power_of_two_divisor(count) for count in predicate.values)
        boxes = zip(known.constancy, equal, known.shape, strict=True)
        constancy = tuple(max(c, min(n, extent)) for c, n, extent in boxes)
        known = known._replace(constancy=constancy)
    elif isinstance(predicate, BoundedAttr):
        known = Facts(
            known.shape,
            known.contiguity,
            known.constancy,
            known.divisibility,
            _tighter(max, known.low, predicate.lower),
            _tighter(min, known.high, predicate.upper),
        )
    facts.set(op.results[0], known)


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
def alloca(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Memory is aligned as asked."""
    alignment = ir.IntegerAttr(op.attributes["alignment"]).value
    facts.set(op.results[0], uniform((), alignment))


@RULES.register("get_tile_block_id")
def get_tile_block_id(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Block ids are small and not negative."""
    for result in op.results:
        facts.set(result, _tile_block_number())


def _tile_block_number() -> Facts:
    return uniform((), 1, 0, MAX_GRID_EXTENT - 1)


@RULES.register("get_num_tile_blocks")
def get_num_tile_blocks(facts: FactsAnalysis, op: ir.Operation) -> None:
    """The grid has at least one block per axis."""
    for result in op.results:
        facts.set(result, uniform((), 1, 1, MAX_GRID_EXTENT))


@RULES.register("get_tensor_shape")
def get_tensor_shape(facts: FactsAnalysis, op: ir.Operation) -> None:
    """What is known of the extents."""
    parts = tensor_view_parts(tensor_view_op(op.operands[0]))
    for extent, result in zip(parts.shape, op.results, strict=True):
        facts.set(result, _fitting(_extent(facts, extent), result))


@RULES.register("get_index_space_shape")
def get_index_space_shape(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Extents over steps, rounded up."""
    view = op.operands[0]
    tiling, parts = tiling_of(view), tensor_view_parts(tensor_view_op(view))
    for target, step, result in zip(
        tiling.dim_map, tiling.steps, op.results, strict=True
    ):
        known = _extent(facts, parts.shape[target])
        if known.low is not None and known.high is not None:
            low, high = -(-known.low // step), -(-known.high // step)
            facts.set(result, _fitting(uniform((), 1, low, high), result))


def _extent(facts: FactsAnalysis, extent: int | ir.Value) -> Facts:
    """An extent, which is read unsigned."""
    if isinstance(extent, int):
        return of_constant((), extent)
    known, most = facts.of(extent), (1 << _width(extent)) - 1
    if known.low is None or known.low < 0:
        return uniform((), known.divisor, 0, most)
    return known._replace(high=most >> 1 if known.high is None else known.high)


def _fitting(known: Facts, result: ir.Value) -> Facts:
    """A number that is not negative, in the result's width, where it must fit."""
    low, high = _in_range(result, known.low, known.high)
    return known._replace(low=low, high=high)


@RULES.register("iota")
def iota(facts: FactsAnalysis, op: ir.Operation) -> None:
    """0, 1, 2, ...: contiguous as far as the signed reading counts up."""
    shape = _tile_shape(op.results[0])
    limit = 1 << (_width(op.results[0]) - 1)
    if shape[0] <= limit:
        found = Facts(shape, shape, (1,), (MAX_DIVISOR,), 0, shape[0] - 1)
    else:
        found = Facts(shape, (limit,), (1,), (limit,))
    facts.set(op.results[0], found)


@RULES.register("tileas.convert_layout")
def convert_layout(facts: FactsAnalysis, op: ir.Operation) -> None:
    """The same tile in other threads."""
    facts.set(op.results[0], facts.of(op.operands[0]))


@RULES.register("tileas.load_shared")
def load_shared(facts: FactsAnalysis, op: ir.Operation) -> None:
    """What one op stores there whole, in any iteration, is what a load finds."""
    source = whole_tile_stored(op)
    if source is not None:
        facts.set(op.results[0], facts.of(source))


@RULES.register("reshape")
def reshape(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Uniform values stay uniform; leading and trailing ones are transparent."""
    source, result = facts.of(op.operands[0]), _tile_shape(op.results[0])
    squeezed = [i for i, extent in enumerate(source.shape) if extent != 1]
    kept = [i for i, extent in enumerate(result) if extent != 1]
    if [source.shape[i] for i in squeezed] != [result[i] for i in kept]:
        facts.set(op.results[0], unknown(result))
        return
    contiguity, constancy = [1] * len(result), [1] * len(result)
    divisibility = [every_divisor(source)] * max(1, len(result))
    for old, new in zip(squeezed, kept, strict=True):
        contiguity[new] = source.contiguity[old]
        constancy[new] = source.constancy[old]
        divisibility[new] = source.divisibility[old]
    facts.set(
        op.results[0],
        Facts(
            result,
            tuple(contiguity),
            tuple(constancy),
            tuple(divisibility),
            source.low,
            source.high,
        ),
    )


@RULES.register("broadcast")
def broadcast(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Stretched dimensions are constant along their whole length."""
    source, result = facts.of(op.operands[0]), _tile_shape(op.results[0])
    stretched = [a != b for a, b in zip(source.shape, result, strict=True)]
    facts.set(
        op.results[0],
        Facts(
            result,
            source.contiguity,
            tuple(
                extent if wide else known
                for extent, wide, known in zip(
                    result, stretched, source.constancy, strict=True
                )
            ),
            source.divisibility,
            source.low,
            source.high,
        ),
    )


@RULES.register("permute")
def permute(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Facts move with their dimension."""
    source = facts.of(op.operands[0])
    order = list(ir.DenseI32ArrayAttr(op.attributes["permutation"]))
    facts.set(
        op.results[0],
        Facts(
            tuple(source.shape[i] for i in order),
            tuple(source.contiguity[i] for i in order),
            tuple(source.constancy[i] for i in order),
            tuple(source.divisibility[i] for i in order),
            source.low,
            source.high,
        ),
    )


def _sum(first: Facts, second: Facts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Contiguity and divisibility of an element-wise sum."""
    contiguity = tuple(
        max(gcd(a, q), gcd(p, b))
        for a, p, b, q in zip(
            first.contiguity,
            first.constancy,
            second.contiguity,
            second.constancy,
            strict=True,
        )
    )
    divisibility = tuple(
        gcd(at_group(first, i, group), at_group(second, i, group))
        for i, group in enumerate(contiguity or (1,))
    )
    return contiguity, divisibility


@RULES.register("addi")
def addi(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Contiguous plus constant is contiguous."""
    lhs, rhs = (facts.of(value) for value in op.operands)
    contiguity, divisibility = _sum(lhs, rhs)
    low = bound_of(lambda a, b: a + b, lhs.low, rhs.low)
    high = bound_of(lambda a, b: a + b, lhs.high, rhs.high)
    low, high = _in_range(op.results[0], low, high)
    constancy = common_constancy(lhs, rhs)
    facts.set(
        op.results[0],
        Facts(lhs.shape, contiguity, constancy, divisibility, low, high),
    )


@RULES.register(
    *("andi", "ori", "xori", "shli", "shri", "remi", "maxi", "mini", "select"),
)
def elementwise(facts: FactsAnalysis, op: ir.Operation) -> None:
    """What is made of equal elements is equal: a mask is often made of several."""
    shape = _tile_shape(op.results[0])
    sources = [facts.of(value) for value in op.operands]
    low, high = _kept_below(op, sources)
    known = unknown(shape)._replace(low=low, high=high)
    if shape:
        constancy = tuple(
            gcd(*column) for column in zip(*(s.constancy for s in sources), strict=True)
        )
        known = known._replace(constancy=constancy)
    facts.set(op.results[0], known)


def _kept_below(
    op: ir.Operation, sources: list[Facts]
) -> tuple[int | None, int | None]:
    """Bounds of a number `and` one that is not negative, or of a remainder."""
    stem = op_stem(op)
    if stem == "andi":
        tops = [s.high for s in sources if _is_natural(s)]
        most = min((top for top in tops if top is not None), default=None)
    elif stem == "remi" and (sources[1].low or 0) > 0:
        is_counted = _is_unsigned(op) or _is_natural(sources[0])
        most = sources[1].high if is_counted else None
        most = None if most is None else most - 1
    else:
        most = None
    return None if most is None else 0, most


def _is_unsigned(op: ir.Operation) -> bool:
    return "unsigned" in str(op.attributes["signedness"])


@RULES.register("subi")
def subi(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Contiguous minus constant is contiguous."""
    lhs, rhs = (facts.of(value) for value in op.operands)
    contiguity = tuple(
        gcd(a, q) for a, q in zip(lhs.contiguity, rhs.constancy, strict=True)
    )
    divisibility = tuple(
        gcd(at_group(lhs, i, group), at_group(rhs, i, group))
        for i, group in enumerate(contiguity or (1,))
    )
    low = bound_of(lambda a, b: a - b, lhs.low, rhs.high)
    high = bound_of(lambda a, b: a - b, lhs.high, rhs.low)
    low, high = _in_range(op.results[0], low, high)
    constancy = common_constancy(lhs, rhs)
    facts.set(
        op.results[0],
        Facts(lhs.shape, contiguity, constancy, divisibility, low, high),
    )


@RULES.register("muli")
def muli(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Times one keeps contiguity; divisors multiply."""
    lhs, rhs = (facts.of(value) for value in op.operands)
    if rhs.constant == 1:
        facts.set(op.results[0], lhs)
        return
    if lhs.constant == 1:
        facts.set(op.results[0], rhs)
        return
    # A product need not count up, so every element starts a group of its own.
    divisibility = tuple(
        min(MAX_DIVISOR, at_group(lhs, i, 1) * at_group(rhs, i, 1))
        for i in range(max(1, len(lhs.shape)))
    )
    low, high = _in_range(op.results[0], *product_bounds(lhs, rhs))
    constancy = common_constancy(lhs, rhs)
    ones = (1,) * len(lhs.shape)
    facts.set(op.results[0], Facts(lhs.shape, ones, constancy, divisibility, low, high))


@RULES.register("exti")
def exti(facts: FactsAnalysis, op: ir.Operation) -> None:
    """A sign extension keeps every fact; a zero extension those of positives."""
    source = facts.of(op.operands[0])
    if not _is_unsigned(op) or (source.low is not None and source.low >= 0):
        facts.set(op.results[0], source)
        return
    known = unknown(source.shape)._replace(constancy=source.constancy)
    most = (1 << _width(op.operands[0])) - 1
    facts.set(op.results[0], known._replace(low=0, high=most))


@RULES.register("offset")
def offset(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Pointer plus elements: divisibility counts in bytes."""
    pointer, index = (facts.of(value) for value in op.operands)
    size = memory_bits(pointee_of(op.operands[0])) // 8
    if not size:  # two elements share a byte: neighbours have one address
        return
    contiguity, _ = _sum(pointer, index)
    divisibility = tuple(
        gcd(
            at_group(pointer, i, group, size),
            min(MAX_DIVISOR, at_group(index, i, group) * size),
        )
        for i, group in enumerate(contiguity or (1,))
    )
    facts.set(
        op.results[0],
        Facts(
            pointer.shape, contiguity, common_constancy(pointer, index), divisibility
        ),
    )


@RULES.register("ptr_to_ptr")
def ptr_to_ptr(facts: FactsAnalysis, op: ir.Operation) -> None:
    """The same addresses; what is contiguous depends on the size of the pointee."""
    source = facts.of(op.operands[0])
    before, after = (memory_bits(pointee_of(v)) for v in (*op.operands, op.results[0]))
    if before != after:
        every = every_divisor(source)
        ones = (1,) * len(source.shape)
        source = source._replace(
            contiguity=ones, divisibility=(every,) * max(1, len(ones))
        )
    facts.set(op.results[0], source)


@RULES.register("divi")
def divi(facts: FactsAnalysis, op: ir.Operation) -> None:
    """A quotient of non-negative values does not grow; neighbours have the same."""
    lhs, rhs = (facts.of(value) for value in op.operands)
    if lhs.low is not None and lhs.low >= 0 and rhs.low is not None and rhs.low > 0:
        most = (1 << (_width(op.results[0]) - 1)) - 1 if lhs.high is None else lhs.high
        constancy = common_constancy(lhs, rhs)
        if rhs.constant is not None and keyword(op, "rounding") != "positive_inf":
            step = power_of_two_divisor(rhs.constant)
            columns = zip(constancy, lhs.contiguity, lhs.divisibility, strict=False)
            constancy = tuple(max(c, gcd(n, d, step)) for c, n, d in columns)
        facts.set(
            op.results[0],
            Facts(
                lhs.shape,
                (1,) * len(lhs.shape),
                constancy,
                (1,) * max(1, len(lhs.shape)),
                0,
                -(-most // rhs.low),
            ),
        )


@RULES.register("cmpi")
def cmpi(facts: FactsAnalysis, op: ir.Operation) -> None:
    """Where a comparison cannot change: the mask's constancy.

    `x < c` with x contiguous from a multiple of g and c a multiple of g does not
    change within aligned groups of g elements. Signed comparison of values whose
    sum cannot have wrapped is assumed by `addi`'s range check.
    """
    lhs, rhs = (facts.of(value) for value in op.operands)
    predicate = str(op.attributes["comparison_predicate"])
    constancy = list(common_constancy(lhs, rhs))
    if "less_than" in predicate and "or_equal" not in predicate:
        for i in range(len(lhs.shape)):
            group = gcd(lhs.contiguity[i], rhs.constancy[i])
            group = gcd(group, gcd(lhs.divisibility[i], rhs.divisibility[i]))
            constancy[i] = max(constancy[i], group)
    ones = (1,) * len(lhs.shape)
    facts.set(
        op.results[0], Facts(lhs.shape, ones, tuple(constancy), ones or (1,), None)
    )


def _induction(lower: Facts, upper: Facts, step: Facts, *, is_unsigned: bool) -> Facts:
    """The induction variable lies between the bounds and keeps their divisor."""
    divisor = gcd(lower.divisor, step.divisor)
    if is_unsigned and not _is_natural(lower, upper):
        return uniform((), divisor)
    high = None if upper.high is None else upper.high - 1
    return uniform((), divisor, lower.low, high)


def _is_natural(*values: Facts) -> bool:
    """Whether signed and unsigned reading agree for all values."""
    return all(facts.low is not None and facts.low >= 0 for facts in values)


def _width(value: ir.Value) -> int:
    """Bits of an integer tile's element; 64 for anything else."""
    element = element_of(value)
    return element.width if isinstance(element, ir.IntegerType) else 64


def _in_range(
    result: ir.Value, low: int | None, high: int | None
) -> tuple[int | None, int | None]:
    """Forgets bounds that may have wrapped around."""
    limit = 1 << (_width(result) - 1)
    if low is None or high is None or low < -limit or high >= limit:
        return None, None
    return low, high
