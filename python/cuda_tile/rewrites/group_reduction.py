# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces each group of a tile's elements by the mode of an atomic.

Groups are boxes: a power of two of neighbours along each dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.bins import identity_of
from cuda_tile.ir.tile_values import reshaped
from cuda_tile.ir.tiles import element_of, shape_of

_COMBINE: dict[str, Callable[[ir.Value, ir.Value], ir.OpView]] = {
    "add": cuda_tile.AddIOp,
    "and": cuda_tile.AndIOp,
    "or": cuda_tile.OrIOp,
    "xor": cuda_tile.XOrIOp,
    "max": lambda x, y: cuda_tile.MaxIOp(x, y, "signed"),
    "min": lambda x, y: cuda_tile.MinIOp(x, y, "signed"),
    "umax": lambda x, y: cuda_tile.MaxIOp(x, y, "unsigned"),
    "umin": lambda x, y: cuda_tile.MinIOp(x, y, "unsigned"),
}


def reduce_groups(value: ir.Value, groups: Sequence[int], mode: str) -> ir.Value:
    """One reduction of all groups.

    Args:
        value: A tile of integers.
        groups: Elements of a group along each dimension.
        mode: The mode of the atomic, which combines two elements.

    Returns:
        A tile of the value's shape divided by the groups'.
    """
    shape = shape_of(value)
    outer = [n // g for n, g in zip(shape, groups, strict=True)]
    split = [n for pair in zip(outer, groups, strict=True) for n in pair]
    last = range(1, len(split), 2)
    order = [*range(0, len(split), 2), *last]
    size = 1
    for extent in groups:
        size *= extent
    tile = _permuted(_reshaped(value, split), order)
    merged = _reshaped(tile, [*(n for n in outer if n > 1), size])
    return _reshaped(_reduced(merged, mode), outer)


def _reduced(value: ir.Value, mode: str) -> ir.Value:
    """The tile with its last dimension reduced."""
    element, shape = element_of(value), shape_of(value)
    assert isinstance(element, ir.IntegerType), "only integers are combined"
    start = ir.IntegerAttr.get(element, identity_of(mode, element.width))
    ty = TileType.get(list(shape[:-1]), element)
    dim = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), len(shape) - 1)
    op = cuda_tile.ReduceOp([ty], [value], dim, ir.ArrayAttr.get([start]))
    scalar = TileType.get([], element)
    block = op.regions[0].blocks.append(scalar, scalar, arg_locs=[op.location] * 2)
    with ir.InsertionPoint(block):
        cuda_tile.YieldOp([_COMBINE[mode](*block.arguments).operation.results[0]])
    return op.operation.results[0]


def _reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    return value if list(shape_of(value)) == list(shape) else reshaped(value, shape)


def _permuted(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """The tile with dimensions in another order; those of one element move for free."""
    shape = shape_of(value)
    kept = [place for place in order if shape[place] > 1]
    if kept == sorted(kept):
        return value
    ty = TileType.get([shape[place] for place in order], element_of(value))
    return cuda_tile.PermuteOp(ty, value, permutation=list(order)).result
