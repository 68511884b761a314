# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions of floating-point numbers, elementwise."""

from __future__ import annotations

from typing_extensions import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile, constant, is_float, promote
from cuda_tile.builder.float import addf, cmpf, divf, mulf, subf
from cuda_tile.builder.keywords import ComparisonPredicates, RoundingMode
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op

_LOG10_OF_2 = 0.30102999566398119521


@cuda_tile_op
def ceil(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Rounds up to an integral value."""
    return Tile(ct.ceil(as_tile(source)))


@cuda_tile_op
def floor(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Rounds down to an integral value."""
    return Tile(ct.floor(as_tile(source)))


@cuda_tile_op
def cos(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Cosine of an angle in radians."""
    return Tile(ct.cos(as_tile(source)))


@cuda_tile_op
def cosh(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Hyperbolic cosine."""
    return Tile(ct.cosh(as_tile(source)))


@cuda_tile_op
def sin(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Sine of an angle in radians."""
    return Tile(ct.sin(as_tile(source)))


@cuda_tile_op
def sinh(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Hyperbolic sine."""
    return Tile(ct.sinh(as_tile(source)))


@cuda_tile_op
def tan(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Tangent of an angle in radians."""
    return Tile(ct.tan(as_tile(source)))


@cuda_tile_op
def log(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Natural logarithm."""
    return Tile(ct.log(as_tile(source)))


@cuda_tile_op
def log2(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Logarithm to base 2."""
    return Tile(ct.log2(as_tile(source)))


@cuda_tile_op
def tanh(
    source: TileLike,
    *,
    rounding_mode: str = RoundingMode.FULL,
    **where: Unpack[Where],
) -> Tile:
    """Hyperbolic tangent; `rounding_mode` is full or approx."""
    return Tile(ct.tanh(as_tile(source), rounding_mode=rounding_mode))


@cuda_tile_op
def exp(
    source: TileLike,
    *,
    rounding_mode: str = RoundingMode.FULL,
    **where: Unpack[Where],
) -> Tile:
    """Power of e; `rounding_mode` is full or approx."""
    return Tile(ct.exp(as_tile(source), rounding_mode=rounding_mode))


@cuda_tile_op
def exp2(
    source: TileLike, *, flush_to_zero: bool = False, **where: Unpack[Where]
) -> Tile:
    """Power of 2."""
    return Tile(ct.exp2(as_tile(source), flush_to_zero=flush_to_zero))


@cuda_tile_op
def rsqrt(
    source: TileLike, *, flush_to_zero: bool = False, **where: Unpack[Where]
) -> Tile:
    """Reciprocal square root."""
    return Tile(ct.rsqrt(as_tile(source), flush_to_zero=flush_to_zero))


@cuda_tile_op
def sqrt(
    source: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Square root."""
    return Tile(ct.sqrt(as_tile(source), rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def pow(  # noqa: A001  (the op's name)
    source: TileLike, exponent: TileLike, **where: Unpack[Where]
) -> Tile:
    """Power with a float exponent."""
    return Tile(ct.pow(*promote(source, exponent)))


@cuda_tile_op
def fpowi(source: TileLike, exponent: TileLike, **where: Unpack[Where]) -> Tile:
    """Power with an integer exponent; since 13.4."""
    return Tile(ct.fpowi(as_tile(source), as_tile(exponent)))


@cuda_tile_op
def atan2(x: TileLike, y: TileLike, **where: Unpack[Where]) -> Tile:
    """Arc tangent of `x / y` in radians, in the quadrant of the point (y, x)."""
    return Tile(ct.atan2(*promote(x, y)))


@cuda_tile_op
def log10(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Logarithm to base 10.

    The dialect has no such op: this is log2 times the constant log10(2), each rounded,
    so the last bits may be wrong, even for powers of ten.
    """
    return mulf(log2(source), _LOG10_OF_2)


@cuda_tile_op
def log1p(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Logarithm of `1 + source`, accurate if `source` is small.

    The dialect has no such op. With `u = 1 + x`, rounded, the result is `x` if `u` is
    1, `log(u)` if `u` is `x` (x is very large or infinite), and otherwise `log(u) * (x
    / (u - 1))`, where the errors of `u` in both factors cancel (W. Kahan, HP-15C
    Advanced Functions Handbook).

    Raises:
        TypeError: The operand is not a tile of floats.
    """
    x = as_tile(source)
    if not is_float(x):
        raise TypeError(f"expected a tile of floats, got {x.type}")
    u = addf(x, 1.0)
    one = constant(1.0, x.tile_type)
    log_u = log(u)
    corrected = mulf(log_u, divf(x, subf(u, one)))
    small = cmpf(ComparisonPredicates.EQUAL, u, one)
    large = cmpf(ComparisonPredicates.EQUAL, u, x)
    return Tile(ct.select(small, x, ct.select(large, log_u, corrected)))
