"""Rules of the reduce family.

The text leaves the order of a reduction open. Three are offered, all legal:
`tree` (default) combines neighbours pairwise, as parallel hardware does; `left` folds
from the identity upwards; `shuffle` permutes the elements and swaps arguments at
random, so that a kernel whose result depends on the order shows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Block, Op
from cuda_tile.interp.table import RULES
from cuda_tile.runtime.elements import Array

Tuple = tuple[Array, ...]
"""One array per reduced operand; they travel together."""


def combine(run: TileBlock, body: Block, first: Tuple, second: Tuple) -> Tuple:
    """Applies the body to whole arrays at once.

    Its ops are elementwise on scalars, so they mean the same on arrays of any shape.
    The arguments come in pairs per operand: an element, then the accumulator.
    """
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    end = run.run_block(body, tuple(pairs))
    shape = first[0].shape
    return tuple(np.broadcast_to(value, shape) for value in end.values)


def identities(op: Op, shape: tuple[int, ...]) -> Tuple:
    """The identity of each operand, in every element of `shape`."""
    return tuple(np.broadcast_to(value, shape) for value in op.attributes["identities"])


@RULES.register("reduce")
def reduce(run: TileBlock, op: Op, *operands: Array) -> Tuple:
    """Combines along `dim`, which disappears from the shape."""
    moved = tuple(np.moveaxis(operand, op.attributes["dim"], 0) for operand in operands)
    kind = run.launch.reduce_order
    if kind == "left":
        return _left(run, op, moved)
    if kind == "shuffle":
        places = run.launch.random.permutation(moved[0].shape[0])
        moved = tuple(operand[places] for operand in moved)
    return _tree(run, op, moved, is_shuffled=kind == "shuffle")


def _left(run: TileBlock, op: Op, operands: Tuple) -> Tuple:
    total = identities(op, operands[0].shape[1:])
    for index in range(operands[0].shape[0]):
        element = tuple(operand[index] for operand in operands)
        total = combine(run, op.block(), element, total)
    return total


def _tree(run: TileBlock, op: Op, operands: Tuple, *, is_shuffled: bool) -> Tuple:
    while operands[0].shape[0] > 1:
        first: Any = tuple(operand[0::2] for operand in operands)
        second: Any = tuple(operand[1::2] for operand in operands)
        if is_shuffled and run.launch.random.integers(2):
            first, second = second, first
        operands = combine(run, op.block(), first, second)
    return tuple(operand[0] for operand in operands)
