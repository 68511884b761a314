# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans; a Python function builds the combination of two elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_list, as_tile, dense_attr
from cuda_tile.builder.type_makers import make_tile_type
from cuda_tile.builder.values import Tile, wrap_results, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op

Combine = Callable[..., Any]


def _operands(operands: Any) -> list[Tile]:
    return [as_tile(item) for item in as_list(operands)]


def _identities(tiles: Sequence[Tile], identities: Any) -> ir.ArrayAttr:
    """One attribute per operand.

    Raises:
        ValueError: Their number is wrong.
    """
    numbers = as_list(identities)
    if len(numbers) != len(tiles):
        raise ValueError(
            f"expected an identity per operand, got {len(numbers)} for {len(tiles)}"
        )
    scalars = [make_tile_type(tile.element_type) for tile in tiles]
    attrs = [
        number
        if isinstance(number, ir.Attribute)
        else dense_attr(scalar, number).get_splat_value()
        for scalar, number in zip(scalars, numbers, strict=True)
    ]
    return ir.ArrayAttr.get(attrs)


def _build_body(op: ir.OpView, tiles: Sequence[Tile], combine: Combine) -> Any:
    """Builds the region, from a pair of scalars to one scalar per operand."""
    types = [make_tile_type(tile.element_type) for tile in tiles for _ in range(2)]
    block = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(block):
        result = combine(*(wrap_value(argument) for argument in block.arguments))
        ct.YieldOp(_operands(result))
    return wrap_results(op)


@cuda_tile_op
def reduce(
    operands: TileLike | Sequence[TileLike],
    dim: int,
    identities: Any,
    combine: Combine,
    **where: Unpack[Where],
) -> Any:
    """Reduces a dimension; the order and grouping of elements are unspecified.

    Args:
        operands: A tile, or several of the same shape that are reduced together.
        dim: The dimension to reduce.
        identities: Per operand, the identity of the combination.
        combine: Called with a pair of scalars per operand (x0, y0, x1, y1, ...);
            returns a scalar per operand. Only pure ops are allowed in it.
        **where: `loc` and `ip`.

    Returns:
        A tile per operand, of its shape without `dim`.

    Raises:
        ValueError: There is no such dimension, or no identity for an operand.
    """
    tiles = _operands(operands)
    _check_dim(tiles[0], dim)
    shape = [extent for i, extent in enumerate(tiles[0].shape) if i != dim]
    types = [make_tile_type(tile.element_type, shape) for tile in tiles]
    op = ct.ReduceOp(types, tiles, dim, _identities(tiles, identities))
    return _build_body(op, tiles, combine)


@cuda_tile_op
def scan(
    operands: TileLike | Sequence[TileLike],
    dim: int,
    identities: Any,
    combine: Combine,
    *,
    reverse: bool = False,
    **where: Unpack[Where],
) -> Any:
    """Inclusive scan along a dimension; the grouping of elements is unspecified.

    Args:
        operands: A tile, or several of the same shape that are scanned together.
        dim: The dimension to scan.
        identities: Per operand, the identity of the combination.
        combine: Called with, per operand, an element and the value accumulated before
            it (x0, y0, x1, y1, ...); returns a scalar per operand. Pure ops only.
        reverse: Whether to start at the end of the dimension.
        **where: `loc` and `ip`.

    Returns:
        A tile per operand, of its type.

    Raises:
        ValueError: There is no such dimension, or no identity for an operand.
    """
    tiles = _operands(operands)
    _check_dim(tiles[0], dim)
    types = [tile.type for tile in tiles]
    op = ct.ScanOp(types, tiles, dim, reverse, _identities(tiles, identities))
    return _build_body(op, tiles, combine)


def _check_dim(tile: Tile, dim: int) -> None:
    if not 0 <= dim < len(tile.shape):
        raise ValueError(
            f"expected a dimension from 0 to {len(tile.shape) - 1} of {tile.type}, "
            f"got {dim}"
        )
