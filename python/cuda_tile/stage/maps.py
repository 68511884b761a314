# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps for the copies that the copy engine makes into buffers."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.tensor_maps import tensor_map_of
from cuda_tile.ir.attributes import text
from cuda_tile.ir.copy_plan import TMA
from cuda_tile.ir.maps import MAP_ATTRIBUTE, add_map, number_of_map
from cuda_tile.ir.tiles import buffer_layout_of
from cuda_tile.ir.walk import nested_ops, segments


def add_maps(entry: ir.Operation) -> None:
    """Gives every such copy the number of its tensor map, which the launcher makes."""
    for op in nested_ops(entry):
        if op.name != "tileas.copy_in" or text(op, "engine") != TMA:
            continue
        if number_of_map(op) is None:
            (buffer,) = segments(op)[3]
            part = tensor_map_of(op, buffer_layout_of(buffer), "load")
            i64 = ir.IntegerType.get_signless(64)
            number = ir.IntegerAttr.get(i64, add_map(entry, part))
            op.attributes[MAP_ATTRIBUTE] = number
