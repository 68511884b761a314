"""A product reads its operands from shared memory one K-slice at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.plan import ProductPlan, extents_of, read_product, slice_depth
from cuda_tile.ir.tiles import element_of, layout_of, shape_of, tile_type
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.atoms import Role
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.operands import StagedOperands

SIGNS = ("signedness_lhs", "signedness_rhs")
"""Attributes of an integer product."""
SLICED: dict[int, tuple[Role, int]] = {
    0: ("a", -1),
    1: ("b", -2),
    3: ("sa", -1),
    4: ("sb", -2),
}
"""Operands that have a dimension along K: what they are, and which it is."""

Slicer = Callable[[int], ir.Value]
"""Makes the slice of an operand of a number, counted along K."""


def stage_product(op: ir.Operation, buffers: StagedOperands) -> None:
    """Replaces a product by `mma_sync`: whole, or by slices of its staged operands.

    Args:
        op: The product.
        buffers: The operands staged so far; more are added.
    """
    plan = read_product(op)
    operands = list(op.operands)
    staged = {
        index: source
        for index in SLICED
        if index < len(operands)
        and (source := conversion_source(operands[index])) is not None
    }
    with ir.InsertionPoint(op), op.location:
        if staged:
            total = _sliced_product(op, plan, buffers, staged)
        else:
            total = _multiply(op, plan, operands)
    op.results[0].replace_all_uses_with(total)
    op.erase()
    for conversion in dict.fromkeys(defining_op(operands[index]) for index in staged):
        if conversion is not None and not list(conversion.results[0].uses):
            conversion.erase()


def _multiply(
    op: ir.Operation, plan: ProductPlan, operands: list[ir.Value]
) -> ir.Value:
    """`mma_sync` of some slices of the product `op`."""
    lhs, rhs, acc, *scales = operands
    made = tileas.MmaSyncOp(acc.type, lhs, rhs, acc, scales, atom=plan.atom.name)
    for name in SIGNS:
        if name in op.attributes:
            made.operation.attributes[name] = op.attributes[name]
    return made.result


def _sliced_product(
    op: ir.Operation,
    plan: ProductPlan,
    buffers: StagedOperands,
    staged: dict[int, ir.Value],
) -> ir.Value:
    """One `mma_sync` per K-slice.

    Args:
        op: The product.
        plan: How it is computed.
        buffers: The operands staged so far.
        staged: What lies in shared memory, by the operand that it is; other operands
            are in registers already: slicing renames them.
    """
    count = extents_of(op)[2] // slice_depth(op, plan.atom)
    slicers = {
        index: _slicer(op, index, plan, count, buffers, staged.get(index))
        for index in SLICED
        if index < len(op.operands)
    }
    total = op.operands[2]
    for number in range(count):
        operands = [
            slicers[index](number) if index in slicers else total
            for index in range(len(op.operands))
        ]
        total = _multiply(op, plan, operands)
    return total


def _slicer(
    op: ir.Operation,
    index: int,
    plan: ProductPlan,
    count: int,
    buffers: StagedOperands,
    source: ir.Value | None,
) -> Slicer:
    """Cuts an operand, in registers or in a buffer, into `count` parts along K."""
    operand, (role, dim) = op.operands[index], SLICED[index]
    shape = list(shape_of(operand))
    dim += len(shape)
    step = shape[dim] = shape[dim] // count
    layout = tile_mma(tuple(shape), plan.warps, role, plan.atom)
    ty = tile_type(element_of(operand), layout)
    if source is None:
        return _extractor(operand, ty, layout, dim)
    buffer = buffers.buffer(op, source, layout)

    def load(number: int) -> ir.Value:
        offsets = [number * step if d == dim else 0 for d in range(len(shape))]
        return tileas.LoadSharedOp(ty, buffer, offsets=offsets).result

    return load


def _extractor(
    operand: ir.Value, ty: ir.Type, layout: LinearLayout, dim: int
) -> Slicer:
    """Cuts an operand in registers."""

    def extract(number: int) -> ir.Value:
        if layout_of(operand).shape == layout.shape:
            return operand
        parts = [number if d == dim else 0 for d in range(layout.rank)]
        return cuda_tile.ExtractOp(ty, operand, [_index(n) for n in parts]).result

    return extract


def _index(number: int) -> ir.Value:
    """A constant as `extract` takes it."""
    i32 = ir.IntegerType.get_signless(32)
    ty = TileType.get([], i32)
    shaped = cast("ir.ShapedType", ty)
    value = ir.DenseElementsAttr.get_splat(shaped, ir.IntegerAttr.get(i32, number))
    return cuda_tile.ConstantOp(ty, value).result
