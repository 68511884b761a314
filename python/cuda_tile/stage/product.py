"""A product reads its operands from shared memory one K-slice at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.plan import ProductPlan, read_product
from cuda_tile.ir.tiles import element_of, shape_of, tile_type
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.operands import StagedOperands

SIGNS = ("signedness_lhs", "signedness_rhs")
"""Attributes of an integer product."""

Slicer = Callable[[int], ir.Value]
"""Makes the K-slice of an operand that begins at an element of K."""


def stage_product(op: ir.Operation, buffers: StagedOperands) -> None:
    """Replaces a product by `mma_sync`: whole, or by slices of its staged operands.

    Args:
        op: The product.
        buffers: The operands staged so far; more are added.
    """
    plan = read_product(op)
    lhs, rhs, acc = op.operands
    staged_lhs, staged_rhs = conversion_source(lhs), conversion_source(rhs)
    with ir.InsertionPoint(op), op.location:
        if staged_lhs is None and staged_rhs is None:
            total = _multiply(op, plan, lhs, rhs, acc)
        else:
            total = _sliced_product(op, buffers, staged_lhs, staged_rhs)
    op.results[0].replace_all_uses_with(total)
    op.erase()
    for conversion in dict.fromkeys((defining_op(lhs), defining_op(rhs))):
        if (
            conversion is not None
            and conversion_source(conversion.results[0]) is not None
            and not list(conversion.results[0].uses)
        ):
            conversion.erase()


def _multiply(
    op: ir.Operation,
    plan: ProductPlan,
    lhs: ir.Value,
    rhs: ir.Value,
    acc: ir.Value,
) -> ir.Value:
    """`mma_sync` of some slices of the product `op`."""
    made = tileas.MmaSyncOp(acc.type, lhs, rhs, acc, [], atom=plan.atom.name)
    for name in SIGNS:
        if name in op.attributes:
            made.operation.attributes[name] = op.attributes[name]
    return made.result


def _sliced_product(
    op: ir.Operation,
    buffers: StagedOperands,
    lhs: ir.Value | None,
    rhs: ir.Value | None,
) -> ir.Value:
    """One `mma_sync` per K-slice.

    Args:
        op: The product.
        buffers: The operands staged so far.
        lhs: What lies in shared memory as its left operand, or None where the operand
            is in registers already: slicing renames them.
        rhs: The same for its right operand.
    """
    plan = read_product(op)
    *batch, rows, depth = shape_of(op.operands[0])
    columns = shape_of(op.operands[1])[-1]
    step = min(plan.atom.shape[2], depth)
    a_layout = tile_mma((*batch, rows, step), plan.warps, "a", plan.atom)
    b_layout = tile_mma((*batch, step, columns), plan.warps, "b", plan.atom)
    a = None if lhs is None else buffers.buffer(op, lhs, a_layout)
    b = None if rhs is None else buffers.buffer(op, rhs, b_layout)
    slice_a = _slicer(op.operands[0], a, a_layout.rank - 1, a_layout)
    slice_b = _slicer(op.operands[1], b, a_layout.rank - 2, b_layout)
    total = op.operands[2]
    for k in range(0, depth, step):
        total = _multiply(op, plan, slice_a(k), slice_b(k), total)
    return total


def _slicer(
    operand: ir.Value, buffer: ir.Value | None, dim: int, layout: LinearLayout
) -> Slicer:
    """Cuts an operand, in registers or in a buffer, along `dim` into `layout`."""
    ty = tile_type(element_of(operand), layout)

    def offsets(k: int) -> list[int]:
        return [k if d == dim else 0 for d in range(layout.rank)]

    if buffer is not None:
        return lambda k: tileas.LoadSharedOp(ty, buffer, offsets=offsets(k)).result

    def extract(k: int) -> ir.Value:
        parts = [n // part for n, part in zip(offsets(k), layout.shape, strict=True)]
        return cuda_tile.ExtractOp(ty, operand, [_index(n) for n in parts]).result

    return extract


def _index(number: int) -> ir.Value:
    """A constant as `extract` takes it."""
    i32 = ir.IntegerType.get_signless(32)
    ty = TileType.get([], i32)
    shaped = cast("ir.ShapedType", ty)
    value = ir.DenseElementsAttr.get_splat(shaped, ir.IntegerAttr.get(i32, number))
    return cuda_tile.ConstantOp(ty, value).result
