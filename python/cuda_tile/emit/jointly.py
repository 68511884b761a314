# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients and roots of one thread that have one test and one branch for many.

ptxas makes a test and a branch to a slow path of each `div.rn.f32` and `sqrt.rn.f32`,
so that none of them starts before the one in front of it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.constants import LEAST_JOINT_QUOTIENTS, MOST_SINGLE_QUOTIENTS
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.ir.async_products import reader_name, runs_by_itself
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.walk import enclosing_ops_of, nested_ops

NAN_EXTREMUM_CAPABILITY = 80
"""First chip with `max.NaN.f32` (PTX ISA, "max", Target ISA Notes)."""

Values = Sequence[ir.Value]
Joint = Callable[[Emitter, ir.Operation], list[ir.Value] | None]


def computes_jointly(e: Emitter, op: ir.Operation, joint: Joint) -> bool:
    """Emits an op on f32 whose results have one test, where a branch may be.

    A branch in a loop in which products run by themselves would have ptxas wait for
    these.

    Args:
        e: The emitter.
        op: The op.
        joint: Makes the elements of a thread, or None where that gains nothing.
    """
    if not is_distributed(op.results[0]) or _is_beside_products(op):
        return False
    made = joint(e, op)
    if made is not None:
        result = op.results[0]
        e.set(result, Fragment(layout_of(result), tuple(made)))
    return made is not None


def _is_beside_products(op: ir.Operation) -> bool:
    loops = filter(_cuda_tile.is_loop, enclosing_ops_of(op))
    inner = (op for loop in loops for op in nested_ops(loop) if runs_by_itself(op))
    return any(reader_name(op) == WGMMA.op for op in inner)


def gains(e: Emitter, count: int) -> bool:
    """Whether so many results of a thread are worth a test of their sizes.

    Args:
        e: The emitter.
        count: How many.
    """
    has_test = e.target.capability >= NAN_EXTREMUM_CAPABILITY
    return has_test and count >= LEAST_JOINT_QUOTIENTS


def groups(*operands: Values) -> Iterator[list[Values]]:
    """Those that have one test.

    Args:
        operands: The elements of a thread, of each operand.
    """
    for first in range(0, len(operands[0]), MOST_SINGLE_QUOTIENTS):
        some = slice(first, first + MOST_SINGLE_QUOTIENTS)
        yield [each[some] for each in operands]


def are_no_less(b: Builder, values: Values, limit: float) -> ir.Value:
    """Whether all values are numbers whose magnitude is no less than a limit.

    Args:
        b: The builder.
        values: Some f32.
        limit: A number that f32 holds.
    """
    sizes = [b.op("llvm.intr.fabs", b.f32, x) for x in values]
    size = reduce(lambda x, y: b.op("llvm.intr.minimum", b.f32, x, y), sizes)
    return b.fcmp("oge", size, b.constant(b.f32, limit))


def if_usual(
    b: Builder,
    tests: Values,
    quick: Callable[[], list[ir.Value]],
    slow: Callable[[], list[ir.Value]],
) -> list[ir.Value]:
    """What `quick` makes where all tests hold, else what `slow` makes, some f32.

    Args:
        b: The builder.
        tests: Some i1.
        quick: Builds the usual way; both give equally many.
        slow: Builds the other one.
    """
    usual = reduce(lambda x, y: b.binary("and", x, y), tests)
    good, bad = b.block(), b.block()
    b.branch_if(usual, good, bad)
    b.enter(bad)
    others = slow()
    after = b.block([b.f32] * len(others))
    b.branch(after, others)
    b.enter(good)
    b.branch(after, quick())
    b.enter(after)
    return list(after.arguments)


def fma(b: Builder, *operands: ir.Value) -> ir.Value:
    """The product of two and a third, rounded once, of f32 or pairs of them."""
    return b.op("llvm.intr.fma", operands[0].type, *operands)


def negative(b: Builder, x: ir.Value) -> ir.Value:
    """The same with the other sign."""
    return b.op("llvm.fneg", x.type, x)


def in_pairs(
    e: Emitter, function: Callable[..., ir.Value], *operands: Values
) -> list[ir.Value]:
    """A function of each row of operands, of two rows at a time where the chip can.

    Args:
        e: The emitter.
        function: Of f32, or of pairs of them.
        operands: The elements of a thread, of each operand.
    """
    count = 2 if e.target.has_packed_f32 and len(operands[0]) % 2 == 0 else 1
    columns = [[*zip(*[iter(x)] * count, strict=True)] for x in operands]
    rows = zip(*columns, strict=True)
    made = [function(*(e.builder.vector(each) for each in row)) for row in rows]
    return [x for each in made for x in e.builder.elements(each, count)]
