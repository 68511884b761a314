# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unrolling: several iterations of a loop become one; a second loop does the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import BOUNDS
from cuda_tile.ir.cloned import clone_renamed
from cuda_tile.ir.scalars import constant, plus, subtract
from cuda_tile.ir.walk import block_ops


def unroll(loop: ir.Operation, times: int) -> None:
    """Unrolls a loop by a factor, with a loop for the remaining iterations.

    Args:
        loop: A signed `for` from 0 in steps of 1, whose iterations end where its body
            does.
        times: The factor, a power of two.
    """
    counted = counted_loop(loop)
    assert counted is not None, "only loops that count are unrolled"
    upper = counted.upper
    with ir.InsertionPoint(loop), loop.location:
        rest = cuda_tile.AndIOp(upper, constant(times - 1, upper.type)).result
        whole = subtract(upper, rest)
        start = cuda_tile.MaxIOp(whole, counted.lower, "signed").result
        operands = list(loop.operands)
        initials = operands[BOUNDS:]
        main = ir.Operation.create(
            loop.name,
            results=[result.type for result in loop.results],
            operands=[counted.lower, whole, constant(times, upper.type), *initials],
            attributes=attributes_of(loop),
            regions=1,
        )
    arguments = list(loop.regions[0].blocks[0].arguments)
    types = [argument.type for argument in arguments]
    block = main.regions[0].blocks.append(*types, arg_locs=[loop.location] * len(types))
    index, *carried = block.arguments
    with ir.InsertionPoint(block):
        for iteration in range(times):
            with loop.location:
                number = plus(index, iteration)
            carried = copy_iteration(loop, [number, *carried], {})
        with loop.location:
            cuda_tile.ContinueOp(carried)
    loop.operands[0] = start
    for place, value in enumerate(main.results):
        loop.operands[BOUNDS + place] = value


def copy_iteration(
    loop: ir.Operation, given: Sequence[ir.Value], known: Mapping[ir.Value, ir.Value]
) -> list[ir.Value]:
    """Copies an iteration of a loop to the insertion point.

    Args:
        loop: The loop.
        given: The index and the carried values in that iteration.
        known: Replacements for results of ops, which are then not copied.

    Returns:
        The values that the iteration passes on.
    """
    block = loop.regions[0].blocks[0]
    values = dict(zip(block.arguments, given, strict=True)) | dict(known)
    *ops, end = block_ops(block)
    for op in ops:
        if any(result in known for result in op.results):
            continue
        made = clone_renamed(op, values)
        values.update(zip(op.results, made.results, strict=True))
    return [values.get(value, value) for value in end.operands]
