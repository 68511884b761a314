# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors that copies bring beside the operands of a product in tensor memory.

`tcgen05.cp` reads their buffer (layout/tensor_scales.py). Bulk copies fill it if memory
has its form, 32 rows of four words; else `cp.async` fills it, one word at a time.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.engines import EngineChoice
from cuda_tile.analysis.operand_sources import (
    SCALES,
    LoadedOperand,
    Product,
    loaded_scales,
    name_before,
    renames_of,
    scale_use,
    source_load,
)
from cuda_tile.analysis.tensor_maps import map_boxes
from cuda_tile.analysis.tiling import view_operand
from cuda_tile.ir.copy_plan import CP_ASYNC, TMA
from cuda_tile.ir.tiles import element_bits, element_of, shape_of
from cuda_tile.ir.traits import VIEW_LOADS
from cuda_tile.layout.copy_units import copy_units
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.tensor_scales import scale_buffer


def copied_scale_buffer(load: ir.Operation) -> SharedLayout | None:
    """The layout of the buffer for a load that products take only as scale factors.

    Args:
        load: The load.

    Returns:
        The layout; None if there is none, or if other ops use the tile.
    """
    use = scale_use(load)
    if use is None:
        return None
    product, number = use
    operand = product.operands[number]
    layout = scale_buffer(shape_of(operand), number - SCALES[0])
    if layout is None:
        return None
    for op in renames_of(operand):
        layout = name_before(op, layout)
    return layout


def scale_engines(
    product: Product, choice: EngineChoice
) -> dict[ir.Operation, str] | str:
    """The engines that copy the scale factors of a product into its operands' slots.

    Args:
        product: The product; engines copy its operands.
        choice: The engines of the entry.

    Returns:
        The engine of each load, or the reason why threads store the factors.
    """
    operands = {operand.load: operand for operand in loaded_scales([product.op])}
    found: dict[ir.Operation, str] = {}
    for value in list(product.op.operands)[SCALES[0] :]:
        load = source_load(value)
        operand = None if load is None else operands.get(load)
        if operand is None or operand.load.block != product.op.block:
            return "no load of its iteration gives them"
        engine = _engine(operand, choice)
        if engine not in (TMA, CP_ASYNC):
            return engine
        found[operand.load] = engine
    return found


def _engine(operand: LoadedOperand, choice: EngineChoice) -> str:
    """The engine that copies the factors of an operand, or why none does."""
    load = operand.load
    layout = copied_scale_buffer(load)
    if layout is None:
        return (
            "they need 32 rows or more of whole words, four factors along K, and four "
            "words for each of 32 rows"
        )
    may_be_bulk = load.name in VIEW_LOADS and choice.refusal(operand, TMA) is None
    if may_be_bulk and map_boxes(view_operand(load), layout) is not None:
        return TMA
    reason = choice.refusal(operand, CP_ASYNC)
    if reason is not None:
        return reason
    access = describe_access(load, choice.facts)
    bits = element_bits(element_of(load.results[0]))
    if copy_units(layout, access.order, access.vector, bits, 1) is None:
        return "four factors along K do not lie together"
    return CP_ASYNC
