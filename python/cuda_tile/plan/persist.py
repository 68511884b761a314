# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels serve several tile blocks per CTA, and in which order.

Asked only where the user wants it (`Options.persistent`). A CTA of a persistent kernel
gains what its role that loads does while the others store: the next tile block's first
copies have landed when its products begin. So it needs such a role, and nobody else on
the multiprocessor who would fill that time; and tile blocks that take equally long,
since they are dealt out beforehand.

**Order.** n CTAs work on n neighbouring tile blocks at a time. With g rows of blocks in
a strip they cover g rows and n / g columns, and what each iteration of their loops
brings from DRAM is

    g * (bytes that a block's row decides) + n / g * (those that its column decides)

once for all of them, as they run in step. That is least where both parts are equal, at
g = sqrt(n * bytes by column / bytes by row); `tile_group` is the power of two next to
it. `bench/tile_order.py` shows what it saves. Kernels that compute their place in the
result from one number have an order of their own, which stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log2

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.analysis.operand_sources import LoadedOperand
from cuda_tile.analysis.tiling import index_operands
from cuda_tile.ir.maps import read_abi
from cuda_tile.ir.plan import Plan
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import PURE, VIEW_LOADS
from cuda_tile.ir.walk import defining_op, is_parameter, op_stem
from cuda_tile.ods import ops_by_rule
from cuda_tile.targets import Target

LINEAR = ops_by_rule(
    "keeps blocks which are neighbours in the grid neighbours in the arrays",
    *("addi", "subi", "muli", "shli", "assume", "exti", "trunci"),
)
BLOCK_ID = "get_tile_block_id"


def make_persistent(
    entry: ir.Operation, plan: Plan, target: Target, copied: Sequence[LoadedOperand]
) -> tuple[Plan, str | None]:
    """The plan with persistence and order of tile blocks; or as it is, and why.

    Args:
        entry: The entry.
        plan: Its plan so far.
        target: The chip.
        copied: The operands that engines load in loops.
    """
    reason = _refusal(entry, plan, copied)
    if reason is not None:
        return plan, f"not persistent, one tile block per CTA instead: {reason}"
    group = _tile_group(target.multiprocessors, copied)
    return replace(plan, persistent=1, tile_group=group), None


def _refusal(
    entry: ir.Operation, plan: Plan, copied: Sequence[LoadedOperand]
) -> str | None:
    """Why a kernel would gain nothing; None if it would."""
    if (abi := read_abi(entry)) != "maps":
        return (
            f"the launcher does not append the grid's extents (abi {abi}); compile "
            "with abi maps"
        )
    if plan.roles == "one":
        return (
            "no role of its own loads, which could begin with the next block while "
            "the result of one is stored; bulk copies that feed products of "
            "warpgroups have one"
        )
    if plan.min_ctas > 1:
        return (
            f"{plan.min_ctas} CTAs share a multiprocessor, and one works while another "
            "begins or ends; larger tiles leave room for one"
        )
    for loop in dict.fromkeys(operand.loop for operand in copied):
        bounds = counted_loop(loop)
        known = [] if bounds is None else [bounds.lower, bounds.upper, bounds.step]
        if bounds is None or any(_block_axes(value) for value in known):
            return (
                "the iterations of its loop differ from block to block, and CTAs that "
                "the GPU starts as others end share such work better"
            )
    return None


def _tile_group(n_ctas: int, copied: Iterable[LoadedOperand]) -> int:
    """Rows of blocks in a strip; 0 keeps the order of the grid."""
    by_axis = [0, 0]
    for operand in copied:
        if operand.load.name not in VIEW_LOADS:
            return 0
        axes = {a for index in index_operands(operand.load) for a in _block_axes(index)}
        if axes - {0, 1}:
            return 0
        for axis in axes if len(axes) == 1 else ():
            by_axis[axis] += tile_bytes(operand.load.results[0])
    by_column, by_row = by_axis
    if not n_ctas or not by_column or not by_row:
        return 0
    return 1 << max(0, round(log2(n_ctas * by_column / by_row) / 2))


_ANY = -1
"""Stands for a block whose place is computed by other ops than linear ones."""


def _block_axes(value: ir.Value) -> set[int]:
    """Axes of the grid on which a scalar depends, `_ANY` where not linearly."""
    found: set[int] = set()
    work, seen = [(value, True)], set[tuple[ir.Value, bool]]()
    while work:
        item = work.pop()
        if item in seen:
            continue
        seen.add(item)
        value, is_linear = item
        op = defining_op(value)
        if op is None:
            found |= _of_argument(value)
            continue
        stem = op_stem(op)
        if stem == BLOCK_ID:
            found.add(ir.OpResult(value).result_number if is_linear else _ANY)
        elif op.name not in PURE:
            found.add(_ANY)
        else:
            work += [(v, is_linear and op.name in LINEAR) for v in op.operands]
    return found


def _of_argument(value: ir.Value) -> set[int]:
    """A kernel's parameter depends on no block, nor does the index of a counted loop.

    Where its bounds do, `_refusal` says so.
    """
    block = ir.BlockArgument(value)
    owner = block.owner.owner.operation
    is_known = is_parameter(block) or (
        counted_loop(owner) is not None and block.arg_number == 0
    )
    return set[int]() if is_known else {_ANY}
