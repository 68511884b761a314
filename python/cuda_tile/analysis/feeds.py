"""Where the operands of matrix products come from.

Asked by `plan` at level T: which operands lie in shared memory, which products are
chained, and how many registers tiles take under a plan that is not placed yet.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.registers import (
    RENAMES,
    Weigh,
    elementwise_stems,
    held_registers,
)
from cuda_tile.ir.plan import PRODUCTS, ProductPlan, extents_of
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    elements_of,
    is_distributed,
    shape_of,
)
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.layout.coords import Coord
from cuda_tile.layout.fragments import MmaAtom
from cuda_tile.targets import WARP_LANES

Parts = dict[ir.Operation, ProductPlan]
"""The plan of each product of an entry."""


def is_chained(product: ir.Operation) -> bool:
    """Whether the left operand is computed from another product of the same block.

    With all warps along M such an operand stays in its threads: the fragment of a
    result is that of a left operand under other names.
    """
    seen: set[ir.Operation] = set()
    work = [product.operands[0]]
    while work:
        op = defining_op(work.pop())
        if op is None or op in seen or op.block != product.block:
            continue
        seen.add(op)
        if op.name in PRODUCTS:
            return True
        if op_stem(op) in RENAMES | elementwise_stems():
            work += [value for value in op.operands if is_distributed(value)]
    return False


def is_staged_early(op: ir.Operation, index: int) -> bool:
    """Whether `stage` puts an operand into shared memory before the block of `op`.

    So it does with an operand of a product that is made outside the product's block.
    """
    if op.name not in PRODUCTS or index > 1:
        return False
    source = defining_op(op.operands[index])
    while source is not None and op_stem(source) in RENAMES:
        if source.block != op.block:
            return True
        source = defining_op(source.operands[0])
    return source is not None and source.block != op.block


def slice_registers(product: ir.Operation, plan: ProductPlan, weigh: Weigh) -> int:
    """Registers that a product needs beside the tiles live before it.

    Operands of one K-step come from shared memory; by then the tiles that were stored
    there right before the product have given back theirs.
    """
    m, n, _ = extents_of(product)
    rows, columns = _warp_part((m, n), plan)
    is_kept = is_chained(product) and plan.warps_n == 1
    held = columns if is_kept else rows + columns
    bits = element_bits(element_of(product.operands[0]))
    step = held_registers(held * plan.atom.shape[2] // WARP_LANES, bits)
    stored = [
        weigh(product.operands[index])
        for index in ((1,) if is_kept else (0, 1))
        if not is_staged_early(product, index)
    ]
    return max(0, step - sum(stored))


class TileRegisters:
    """Registers of a tile per thread, from its shape and the plans of products.

    A tile of the shape of a product's result has that result's layout, one of a row or
    a column of it what is left of the layout; any other tile is spread over all
    threads. Rules of `place` give other layouts only where that costs no more.
    """

    def __init__(self, plans: Parts, num_warps: int) -> None:
        self._threads = num_warps * WARP_LANES
        self._results = {
            shape_of(product.results[0]): plan for product, plan in plans.items()
        }

    def __call__(self, tile: ir.Value) -> int:
        """Registers of one thread."""
        bits = element_bits(element_of(tile))
        return held_registers(self._elements(tile), bits)

    def _elements(self, tile: ir.Value) -> int:
        shape = shape_of(tile)
        for result, plan in self._results.items():
            rows, columns = _warp_part((result[0], result[1]), plan)
            if shape == result:
                return rows * columns // WARP_LANES
            if shape in ((result[0],), (result[0], 1)):
                return rows * _per_lane(plan.atom, 0) // plan.atom.shape[0]
            if shape == (1, result[1]):
                return columns * _per_lane(plan.atom, 1) // plan.atom.shape[1]
        return -(-elements_of(tile) // self._threads)


def _warp_part(extents: Sequence[int], plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of the result that a warp computes, at least one atom."""
    rows, columns = (
        max(extent // count, least)
        for extent, count, least in zip(
            extents, plan.warps, plan.atom.shape[:2], strict=True
        )
    )
    return rows, columns


def _per_lane(atom: MmaAtom, dim: int) -> int:
    """Rows or columns of an atom's result that one lane has elements of."""
    return 1 << sum(_moves(basis, dim) for basis in atom.c.register)


def _moves(basis: Coord, dim: int) -> bool:
    return basis[dim] != 0
