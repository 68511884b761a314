# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads without padding of tiles that reach beyond their tensor, for one launch.

The elements outside are unspecified. Compiled code has zeros there, which no observer
can tell from zeros that the program loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.analysis.tiling import (
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.ir.traits import LOADS, VIEW_ACCESSES
from cuda_tile.ir.walk import body, location_text, nested_ops, value_behind
from cuda_tile.ods import ops_by_rule

_STEPS_BACK = ops_by_rule("keeps the number of a parameter", "assume", "exti", "trunci")


def parameter_behind(value: ir.Value, parameters: Sequence[ir.Value]) -> int | None:
    """The number of the parameter behind a value; None if it is computed.

    Args:
        value: A scalar.
        parameters: The parameters of the kernel.
    """
    value = value_behind(value, _STEPS_BACK)
    return parameters.index(value) if value in parameters else None


def open_loads(entry: ir.Operation, args: Sequence[Any]) -> list[str]:
    """Names the loads without padding whose last tile along some axis is cut.

    Args:
        entry: The kernel.
        args: A value per parameter.

    Returns:
        A text for each: a place, an axis and its extent. Axes whose extents the
        kernel computes are not included.
    """
    return [
        f"{location_text(op)} reaches past axis {axis} of extent {extent}"
        for op in nested_ops(entry)
        if op.name in LOADS & VIEW_ACCESSES
        for axis, extent in _cut_axes(entry, op, args)
    ]


def _cut_axes(
    entry: ir.Operation, op: ir.Operation, args: Sequence[Any]
) -> Iterator[tuple[int, int]]:
    view = view_operand(op)
    tiling = tiling_of(view)
    if tiling.padding is not None:
        return
    parts = tensor_view_parts(tensor_view_op(view))
    parameters = list(body(entry).arguments)
    for d, axis in enumerate(tiling.dim_map):
        extent = parts.shape[axis]
        if isinstance(extent, ir.Value):
            number = parameter_behind(extent, parameters)
            if number is None:
                continue
            extent = int(args[number])
        if d != tiling.sparse_dim and extent % tiling.tile_shape[d]:
            yield axis, extent
