# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that one loop loads and a later loop loads again.

Loops read a row that fits no tile part by part: one loop for the maximum, one for the
sum, one for the result. They have the same iterations, and the loaded tile depends only
on the iteration. By the language a weak load whose token is after nothing may run at
any time, so that the second loop may use the tiles that the first one read.

Contract `load_reuse`
    Law: a weak load whose token is after nothing may be made at any time, so that two
    of them of the same place give the same.

    | | condition | near misses |
    |---|---|---|
    | C1 types | both give tiles of numbers of one type, shape and layout | |
    | | | tiles_of_another_shape, single_bits |
    | C2 flags | promises to be in bounds change no value of a legal program | |
    | | | promise_of_the_second |
    | C3 values | one view says what is outside the tensor | other_padding |
    | C4 order | both loads are weak | relaxed, relaxed_before |
    | C5 order | both are after no access | behind_a_store, behind_the_first_loop |
    | | | behind_an_acquire, behind_an_atomic |
    | | | behind_the_preceding_grid |
    | - blocks | threads take what they kept; a weak load may not read what others | |
    | | write meanwhile | |
    | C6 aliasing | tokens alone order accesses, whatever the addresses | |
    | | | behind_a_store_through_an_alias, behind_a_fence |
    | C7 indices | one index is the iteration, of any width and sign, the others are | |
    | | the same values | next_tile, index_of_8_bits, unsigned_index |
    | | | index_beyond_127 |
    | C8 extents | both loops go from 0 in steps of 1 to the same bound | from_one |
    | | | by_two, fewer |
    | C9 extents | nothing is taken for iterations that do not come | no_iteration |
    | | | less_than_none, one_iteration, more_than_registers_hold |
    | C10 captures | every iteration makes the load | in_a_branch |
    | | | iteration_that_ends_early |
    | C11 order | a load whose token somebody waits for is still made | |
    | | | stored_in_place, stored_in_order |
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.control_flow import CountedLoop, counted_loop
from cuda_tile.analysis.tiling import index_operands, view_operand
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.tiles import element_of, is_distributed
from cuda_tile.ir.traits import TERMINATORS, VIEW_LOADS
from cuda_tile.ir.walk import block_ops, defining_op, enclosing_ops, nested_ops
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Repeated:
    """One tile per iteration that several loops load.

    Attributes:
        loads: The load of each loop, in program order, two at least.
        index: Number of their operand that is the iteration.
        iterations: Largest possible number of iterations; 0 if that is not known.
    """

    loads: tuple[ir.Operation, ...]
    index: int
    iterations: int


@dataclass(frozen=True)
class _Load:
    """A load of a loop: the op, the operand that is the iteration, and the others."""

    op: ir.Operation
    index: int
    key: tuple[object, ...]


def repeated_tiles(entry: ir.Operation) -> list[Repeated]:
    """The tiles that loops of an entry load again, at level T or W."""
    found: list[Repeated] = []
    loops = [op for op in nested_ops(entry) if counts_from_zero(op) is not None]
    for block in dict.fromkeys(loop.block for loop in loops):
        alike: dict[tuple[object, ...], list[_Load]] = {}
        for loop in (op for op in block_ops(block) if op in loops):
            own: dict[tuple[object, ...], _Load] = {}
            for load in _loads_of(loop):
                own.setdefault(load.key, load)
            for key, load in own.items():
                alike.setdefault(key, []).append(load)
        found += [_repeated(loads) for loads in alike.values() if len(loads) > 1]
    return found


def counts_from_zero(op: ir.Operation) -> CountedLoop | None:
    """The bounds of a `for` that counts 0, 1, 2 and so on; None for other ops."""
    loop = counted_loop(op)
    if loop is None or constant_of(loop.lower) != 0 or constant_of(loop.step) != 1:
        return None  # load_reuse C8
    return loop


def _repeated(loads: list[_Load]) -> Repeated:
    loop = loads[0].op.parent
    counted = None if loop is None else counted_loop(loop.operation)
    iterations = None if counted is None else constant_of(counted.upper)
    ops = tuple(load.op for load in loads)
    return Repeated(ops, loads[0].index, max(0, iterations or 0))


def _loads_of(loop: ir.Operation) -> Iterator[_Load]:
    """The loads of all iterations of a loop whose address its number alone decides."""
    counted = counted_loop(loop)
    assert counted is not None, "only loops that count are asked"
    ops = block_ops(loop.regions[0].blocks[0])
    if any(
        inner.name in TERMINATORS - {"cuda_tile.yield"}
        for op in ops
        for inner in nested_ops(op)
    ):
        return  # an iteration may end before its last op
    for op in ops:  # load_reuse C10
        load = _load(op, loop, counted)
        if load is not None:
            yield load


def _load(op: ir.Operation, loop: ir.Operation, counted: CountedLoop) -> _Load | None:
    if op.name not in VIEW_LOADS or memory_order(op).is_strong:
        return None  # load_reuse C4
    tile = op.results[0]
    is_number = isinstance(element_of(tile), (ir.IntegerType, ir.FloatType))
    if not is_number or not is_distributed(tile):
        return None
    if not all(_is_free(v) for v in op.operands if isinstance(v.type, TokenType)):
        return None  # load_reuse C5, C6
    indices, view = index_operands(op), view_operand(op)
    at = [place for place, value in enumerate(indices) if value == counted.index]
    others = [value for value in indices if value != counted.index]
    if len(at) != 1 or any(loop in enclosing_ops(value) for value in (view, *others)):
        return None  # load_reuse C7
    number = list(op.operands).index(indices[at[0]])
    # The key has no promise to be in bounds.
    # load_reuse C1, C2, C3
    key = (counted.upper, counted.is_unsigned, view, at[0], *others, tile.type)
    return _Load(op, number, key)


def _is_free(token: ir.Value) -> bool:
    """Whether a token is after no access."""
    op = defining_op(token)
    return op is not None and op.name == "cuda_tile.make_token"
