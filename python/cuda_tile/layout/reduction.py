# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the results of a reduction lie, for a layout of the operand.

A thread holds elements of some *rows* of the operand: coordinates of the dimensions
that stay. After the reduction of dimension `dim`, the threads that divided a row among
them either all hold its result (*replicated*), or they divide the results (*spread*):
each lane bit along `dim` takes over one register bit that told rows apart.
"""

from __future__ import annotations

from cuda_tile.constants import MIN_ROWS_TO_SPREAD
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout


def lanes_along(layout: LinearLayout, dim: int) -> list[int]:
    """The lane bits that a reduction of `dim` folds, low first.

    Args:
        layout: The layout of the tile that is reduced.
        dim: The dimension, from 0.
    """
    mask = layout.bits_along(dim).lane
    return [bit for bit in range(N_LANE_BITS) if mask >> bit & 1]


def replicated_result(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout in which every thread of a row holds its result.

    Args:
        layout: The layout of the tile that is reduced.
        dim: The dimension, from 0.
    """
    return layout.reduce(dim).drop_redundant_registers()


def spread_result(layout: LinearLayout, dim: int, count: int) -> LinearLayout:
    """The layout in which lanes of a row divide the results.

    The first `count` lane bits along `dim` take over the last register bits: after the
    exchange of a lane bit, a lane keeps the rows whose register bit is its own. The
    rows of a thread are then neighbours, which one instruction stores.

    Args:
        layout: The layout of the operand.
        dim: The dimension that is reduced.
        count: How many lane bits divide results.
    """
    result = replicated_result(layout, dim)
    lane = list(result.lane)
    left = len(result.register) - count
    moved = result.register[left:]
    for bit, basis in zip(lanes_along(layout, dim)[:count], moved, strict=True):
        lane[bit] = basis
    register = result.register[:left]
    return LinearLayout(result.shape, register, tuple(lane), result.warp, result.block)


def most_spread_result(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout spread over as many lanes as there are; replicated for few rows.

    Args:
        layout: The layout of the tile that is reduced.
        dim: The dimension, from 0.
    """
    result = replicated_result(layout, dim)
    if result.n_registers < MIN_ROWS_TO_SPREAD:
        return result
    count = min(len(result.register), len(lanes_along(layout, dim)))
    return spread_result(layout, dim, count)
