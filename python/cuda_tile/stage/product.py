"""A product reads its operands from swizzled buffers, one K-slice at a time."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.plan import ProductPlan, read_product
from cuda_tile.ir.tiles import element_of, shape_of, tile_type
from cuda_tile.ir.walk import defining_op
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.stage.conversion import conversion_source, store_in_buffer


def stage_product(op: ir.Operation) -> None:
    """Replaces a product by one `mma_sync` per K-slice of its staged operands."""
    plan = read_product(op)
    lhs, rhs, acc = op.operands
    staged = [conversion_source(value) for value in (lhs, rhs)]
    with ir.InsertionPoint(op), op.location:
        if staged[0] is None or staged[1] is None:
            total = tileas.MmaSyncOp(
                acc.type, lhs, rhs, acc, atom=plan.atom.name
            ).result
        else:
            total = _sliced_product(op, plan, staged[0], staged[1])
    op.results[0].replace_all_uses_with(total)
    op.erase()
    if staged[0] is not None and staged[1] is not None:
        for conversion in dict.fromkeys((defining_op(lhs), defining_op(rhs))):
            if conversion is not None and not list(conversion.results[0].uses):
                conversion.erase()


def _sliced_product(
    op: ir.Operation, plan: ProductPlan, lhs: ir.Value, rhs: ir.Value
) -> ir.Value:
    rows, depth = shape_of(lhs)
    columns = shape_of(rhs)[1]
    step = plan.atom.shape[2]
    a_layout = tile_mma((rows, step), plan.warps, "a", plan.atom)
    b_layout = tile_mma((step, columns), plan.warps, "b", plan.atom)
    a_buffer = store_in_buffer(lhs, a_layout)
    b_buffer = store_in_buffer(rhs, b_layout)
    a_type = tile_type(element_of(lhs), a_layout)
    b_type = tile_type(element_of(rhs), b_layout)
    total = op.operands[2]
    for k in range(0, depth, step):
        a = tileas.LoadSharedOp(a_type, a_buffer, offsets=[0, k]).result
        b = tileas.LoadSharedOp(b_type, b_buffer, offsets=[k, 0]).result
        total = tileas.MmaSyncOp(total.type, a, b, total, atom=plan.atom.name).result
    return total
