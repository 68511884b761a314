# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifies conversions between distributed layouts by cost.

The classes, cheapest first: no change, renaming registers in each thread, shuffles
in each warp, and a round trip through shared memory. Zero bases need no special
case: a source with copies allows several solutions, and in a destination with copies
several threads read the same element.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from cuda_tile.layout import f2
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shuffle import shuffle_plan


class ConversionKind(Enum):
    """Cost class of a conversion."""

    IDENTITY = "identity"
    """Every register already holds its element."""
    REGISTER = "register"
    """`register_map` renames registers; no instruction is needed."""
    SHUFFLE = "shuffle"
    """`shuffle_plan` exchanges registers inside each warp."""
    SHARED = "shared"
    """Store to shared memory, barrier, load; `choose_swizzle` picks the layout."""


def _check_pair(src: LinearLayout, dst: LinearLayout) -> None:
    mine = (src.shape, src.n_warps, src.n_blocks)
    theirs = (dst.shape, dst.n_warps, dst.n_blocks)
    if mine != theirs:
        msg = f"expected layouts of one shape, warp and CTA count, got {mine}"
        raise LayoutError(f"{msg} and {theirs}")


def _find_register_map(src: LinearLayout, dst: LinearLayout) -> list[int] | None:
    if src.columns[1:] != dst.columns[1:]:
        return None
    span = f2.Span(src.columns[0])
    result = [0]
    for column in dst.columns[0]:
        source = span.solve(column)
        if source is None:
            return None
        result += [register ^ source for register in result]
    return result


@lru_cache(maxsize=4096)
def classify(src: LinearLayout, dst: LinearLayout) -> ConversionKind:
    """Gives the cheapest class of conversion from `src` to `dst`.

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted.

    Raises:
        LayoutError: Shapes, warp or CTA counts differ, or `src` does not cover its
            shape.
    """
    _check_pair(src, dst)
    if not src.is_surjective:
        msg = f"expected a source that holds every element, got {src}"
        raise LayoutError(msg)
    renamed = _find_register_map(src, dst)
    if renamed is not None:
        same = renamed == list(range(src.n_registers))
        return ConversionKind.IDENTITY if same else ConversionKind.REGISTER
    if shuffle_plan(src, dst) is not None:
        return ConversionKind.SHUFFLE
    return ConversionKind.SHARED


def crosses_ctas(src: LinearLayout, dst: LinearLayout) -> bool:
    """Whether a conversion moves elements between the CTAs of a cluster.

    It does not if each CTA holds all elements that its threads are to get.

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted.
    """
    _check_pair(src, dst)
    own = f2.Span((*src.columns[0], *src.columns[1], *src.columns[2]))
    inside = (column in own for group in dst.columns[:3] for column in group)
    same = (x ^ y in own for x, y in zip(src.columns[3], dst.columns[3], strict=True))
    return src.n_blocks > 1 and not (all(inside) and all(same))


def register_map(src: LinearLayout, dst: LinearLayout) -> list[int]:
    """Gives the source register that holds the element of each destination register.

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted.

    Raises:
        LayoutError: The class is neither IDENTITY nor REGISTER.
    """
    _check_pair(src, dst)
    result = _find_register_map(src, dst)
    if result is None:
        msg = f"expected a conversion inside each thread, got {src} to {dst}"
        raise LayoutError(msg)
    return result
