"""What a kernel promises of its values, and what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Unpack

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
    """The value, whose elements are promised to be multiples of a power of two.

    Of a pointer it is the address in bytes. With `every` and `along` only the first of
    each group of `every` elements along a dimension is, and the others follow it.

    Raises:
        ValueError: The divisor is no power of two, or only one of the two is given.
    """
    return wrap_value(ct.assume(value, ct.DivByAttr.get(divisor, every, along)))


@cuda_tile_op
def assume_bounded(
    value: ir.Value, lower: int | None, upper: int | None, **where: Unpack[Where]
) -> Any:
    """The value, whose elements are promised to lie between two bounds, inclusive.

    They are read as signed integers; None is no bound.
    """
    return wrap_value(ct.assume(value, ct.BoundedAttr.get(lower, upper)))


@cuda_tile_op
def assume_same_elements(
    value: ir.Value, values: Sequence[int], **where: Unpack[Where]
) -> Any:
    """The value, promised to consist of groups of equal elements.

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
    """Prints from the kernel, with `%i`, `%f` and the like for the arguments."""
    return Token(ct.print_tko(text, [as_tile(arg) for arg in args], token=token))


@cuda_tile_op
def printf(text: str, *args: TileLike, **where: Unpack[Where]) -> Token:
    """`print_tko` without an order to other accesses."""
    return print_tko(text, *args)


@cuda_tile_op
def optimization_barrier(*values: Tile, **where: Unpack[Where]) -> NoReturn:
    """Refused: the dialect has no op that would keep a compiler from seeing a value.

    Raises:
        Unsupported: Always.
    """
    raise Unsupported(
        "expected an op of the dialect, got optimization_barrier, which no version "
        "of Tile IR has; leave it out, or pass the value through memory"
    )
