# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assumptions about values, and printing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile
from cuda_tile.builder.values import Tile, Token, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op
from cuda_tile.errors import Unsupported


@cuda_tile_op
def assume_div_by(
    value: ir.Value,
    divisor: int,
    every: int | None = None,
    along: int | None = None,
    **where: Unpack[Where],
) -> Any:
    """Assumes that the elements of a value are multiples of a power of two.

    For a pointer, this is its address in bytes. With `every` and `along`, only the
    first of each group of `every` elements along a dimension is a multiple, and the
    elements of a group are consecutive.

    Raises:
        ValueError: The divisor is not a power of two, or only one of `every` and
            `along` is given.
    """
    return wrap_value(ct.assume(value, ct.DivByAttr.get(divisor, every, along)))


@cuda_tile_op
def assume_bounded(
    value: ir.Value, lower: int | None, upper: int | None, **where: Unpack[Where]
) -> Any:
    """Assumes that the elements of a value are between two inclusive bounds.

    The elements are signed integers; None means no bound.
    """
    return wrap_value(ct.assume(value, ct.BoundedAttr.get(lower, upper)))


@cuda_tile_op
def assume_same_elements(
    value: ir.Value, values: Sequence[int], **where: Unpack[Where]
) -> Any:
    """Assumes that a value consists of groups of equal elements.

    Args:
        value: A tile of integers or pointers.
        values: Extents of a group.
        **where: `loc` and `ip`.
    """
    return wrap_value(ct.assume(value, ct.SameElementsAttr.get(list(values))))


@cuda_tile_op
def print_tko(
    text: str,
    *args: TileLike,
    token: ir.Value | None = None,
    **where: Unpack[Where],
) -> Token:
    """Prints formatted text, with C's `%i`, `%f` and so on for the arguments."""
    return Token(ct.print_tko(text, [as_tile(arg) for arg in args], token=token))


@cuda_tile_op
def printf(text: str, *args: TileLike, **where: Unpack[Where]) -> Token:
    """`print_tko` without tokens: not ordered with other accesses."""
    return print_tko(text, *args)


@cuda_tile_op
def optimization_barrier(*values: Tile, **where: Unpack[Where]) -> NoReturn:
    """Not supported: the dialect has no op that hides a value from optimizations.

    Raises:
        Unsupported: Always.
    """
    raise Unsupported(
        "expected an op of the dialect, got optimization_barrier, which no version "
        "of Tile IR has; leave it out, or pass the value through memory"
    )
