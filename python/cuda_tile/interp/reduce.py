# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the reduce family.

The text leaves the order of a reduction open. Four orders are offered, all legal:
`tree` (default) combines neighbours pairwise, as parallel hardware does, and keeps the
elements in their order, as an operation that is only associative needs it; `left` folds
from the identity upwards; `swapped` does the same with each pair of arguments
exchanged; `shuffle` permutes the elements and swaps arguments at random, so that a
kernel whose result depends on the order shows it. A scan keeps the elements in their
order and varies only how partial results are combined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of, partial
from cuda_tile.interp.values import Mask
from cuda_tile.runtime.elements import Array

Tuple = tuple[Array, ...]
"""One array per reduced operand; they travel together."""


def combine(run: TileBlock, op: Op, first: Tuple, second: Tuple) -> Tuple:
    """Applies the body to whole arrays at once.

    Its ops are elementwise on scalars, so they mean the same on arrays of any shape.
    The arguments come in pairs per operand: an element, then the accumulator.
    """
    order = run.launch.order
    is_swapped = order == "swapped"
    if order == "shuffle":
        is_swapped = bool(run.launch.random.integers(2))
    if is_swapped:
        first, second = second, first
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    end = run.run_pure(op.block(), tuple(pairs))
    shape = first[0].shape
    return tuple(np.broadcast_to(value, shape) for value in end.values)


def identities(op: Op, shape: tuple[int, ...]) -> Tuple:
    """The identity of each operand, in every element of `shape`."""
    return tuple(np.broadcast_to(value, shape) for value in op.attributes["identities"])


def _rows(op: Op, operands: Tuple) -> Tuple:
    """The operands with dimension `dim` in front."""
    return tuple(np.moveaxis(operand, op.attributes["dim"], 0) for operand in operands)


@RULES.register("reduce")
def reduce(run: TileBlock, op: Op, *operands: Array) -> Tuple:
    """Combines along `dim`, which disappears from the shape."""
    rows = _rows(op, operands)
    order = run.launch.order
    if order in decisions.ORDERS_WITH_IDENTITY:
        return _left(run, op, rows)
    if order == "shuffle":
        places = run.launch.random.permutation(rows[0].shape[0])
        rows = tuple(operand[places] for operand in rows)
    return _tree(run, op, rows)


def _left(run: TileBlock, op: Op, rows: Tuple) -> Tuple:
    total = identities(op, rows[0].shape[1:])
    for index in range(rows[0].shape[0]):
        total = combine(run, op, tuple(row[index] for row in rows), total)
    return total


def _tree(run: TileBlock, op: Op, rows: Tuple) -> Tuple:
    """Pairs until one is left; the identity is not used."""
    while rows[0].shape[0] > 1:
        earlier: Any = tuple(row[0::2] for row in rows)
        later: Any = tuple(row[1::2] for row in rows)
        rows = combine(run, op, later, earlier)  # as an element and the accumulator
    return tuple(row[0] for row in rows)


@RULES.register("scan")
def scan(run: TileBlock, op: Op, *operands: Array) -> Tuple:
    """Inclusive prefix combination along `dim`; `reverse` starts at the far end."""
    most = decisions.SCAN_OPERANDS
    if most is not None and len(operands) > most:
        run.fail(op, f"expected at most {most} operands, got {len(operands)}")
    rows = _rows(op, operands)
    if op.attributes["reverse"]:
        rows = tuple(row[::-1] for row in rows)
    if run.launch.order in decisions.ORDERS_WITH_IDENTITY:
        done = _scan_left(run, op, rows)
    else:
        done = _scan_doubling(run, op, rows)
    if op.attributes["reverse"]:
        done = tuple(row[::-1] for row in done)
    dim = op.attributes["dim"]
    return tuple(np.ascontiguousarray(np.moveaxis(row, 0, dim)) for row in done)


def _scan_left(run: TileBlock, op: Op, rows: Tuple) -> Tuple:
    total = identities(op, rows[0].shape[1:])
    prefixes: list[Tuple] = []
    for index in range(rows[0].shape[0]):
        total = combine(run, op, tuple(row[index] for row in rows), total)
        prefixes.append(total)
    return tuple(np.stack(column) for column in zip(*prefixes, strict=True))


def _scan_doubling(run: TileBlock, op: Op, rows: Tuple) -> Tuple:
    """Element j holds the last `width` elements up to j; the width grows to all.

    It grows by the element before the range, or doubles by the range before it.
    Shuffle mode grows by single elements up to a random width first.
    """
    count: int = rows[0].shape[0]
    width = 1
    singles = rows
    is_shuffled = run.launch.order == "shuffle"
    start = run.launch.random.integers(1, min(count, 8) + 1) if is_shuffled else 1
    while width < count:
        by_one = width < start
        step = 1 if by_one else width
        source = singles if by_one else rows
        later = tuple(row[width:] for row in rows)
        earlier = tuple(row[: count - width] for row in source)
        joined = combine(run, op, later, earlier)
        rows = tuple(
            np.concatenate((row[:width], new))
            for row, new in zip(rows, joined, strict=True)
        )
        width += step
    return rows


@PARTIAL.register("reduce")
def partial_reduce(run: TileBlock, op: Op, *operands: Any) -> Any:
    """A result depends on every element along the reduced dimension."""
    results = op.rule(run, op, *(data_of(value) for value in operands))
    masks = [mask_of(value) for value in operands]
    lost: Mask = np.logical_or.reduce(masks).any(axis=op.attributes["dim"])
    return tuple(partial(np.asarray(data), np.asarray(lost)) for data in results)


@PARTIAL.register("scan")
def partial_scan(run: TileBlock, op: Op, *operands: Any) -> Any:
    """A result depends on the elements up to its own."""
    results = op.rule(run, op, *(data_of(value) for value in operands))
    lost: Mask = np.logical_or.reduce([mask_of(value) for value in operands])
    dim: int = op.attributes["dim"]
    ordered = np.flip(lost, dim) if op.attributes["reverse"] else lost
    seen = np.logical_or.accumulate(ordered, axis=dim)
    seen = np.flip(seen, dim) if op.attributes["reverse"] else seen
    return tuple(partial(data, np.asarray(seen)) for data in results)
