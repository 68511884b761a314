"""Where the operands of matrix products come from.

Asked by `plan` at level T: which operands lie in shared memory, which products are
chained, and how many registers tiles take under a plan that is not placed yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.registers import (
    RENAMES,
    Tile,
    Weigh,
    elementwise_stems,
    held_registers,
)
from cuda_tile.ir.plan import (
    PRODUCTS,
    ProductPlan,
    batch_of,
    extents_of,
    slice_depth,
)
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.targets import WARP_LANES


@dataclass(frozen=True, eq=False)
class Product:
    """What plan asks of a matrix product, read once.

    Attributes:
        op: The operation.
        extents: M, N and K.
        batch: Matrices.
        operand_bits: Bits of an element of its operands.
        is_chained: See `is_chained`.
        stored: Operands that are stored to shared memory right before it.
    """

    op: ir.Operation
    extents: tuple[int, int, int]
    batch: int
    operand_bits: int
    is_chained: bool
    stored: tuple[Tile, ...]

    @classmethod
    def of(cls, op: ir.Operation) -> Product:
        """Describes a product of level T."""
        chained = is_chained(op)
        stored = tuple(
            Tile.of(op.operands[index])
            for index in ((1,) if chained else (0, 1))
            if not is_staged_early(op, index)
        )
        bits = element_bits(element_of(op.operands[0]))
        return cls(op, extents_of(op), batch_of(op), bits, chained, stored)

    def keeps_operand(self, plan: ProductPlan) -> bool:
        """Whether the left operand stays in its threads."""
        return self.is_chained and plan.warps_n == 1


Parts = Mapping[Product, ProductPlan]
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


def slice_registers(product: Product, plan: ProductPlan, weigh: Weigh) -> int:
    """Registers that a product needs beside the tiles live before it.

    Operands of one K-step come from shared memory; by then the tiles that were stored
    there right before the product have given back theirs.
    """
    rows, columns = _warp_part(product, plan)
    held = columns if product.keeps_operand(plan) else rows + columns
    held *= product.batch // min(product.batch, plan.warps_b)
    depth = slice_depth(product.op, plan.atom)
    step = held_registers(held * depth // WARP_LANES, product.operand_bits)
    return max(0, step - sum(map(weigh, product.stored)))


class TileRegisters:
    """Registers of a tile per thread, from its shape and the plans of products.

    A tile of the shape of a product's result has that result's layout, one of a row or
    a column of it what is left of the layout; any other tile is spread over all
    threads. Rules of `place` give other layouts only where that costs no more.
    """

    def __init__(self, plans: Parts, num_warps: int) -> None:
        self._threads = num_warps * WARP_LANES
        self._elements: dict[tuple[int, ...], int] = {}
        for product, plan in plans.items():
            m, n, _ = product.extents
            rows, columns = _warp_part(product, plan)
            of_rows = rows * _per_lane(plan.atom, 0) // plan.atom.shape[0]
            of_columns = columns * _per_lane(plan.atom, 1) // plan.atom.shape[1]
            batch = product.batch // min(product.batch, plan.warps_b)
            lead = (product.batch,) if product.batch > 1 else ()
            self._elements |= {
                (*lead, m): batch * of_rows,
                (*lead, m, 1): batch * of_rows,
                (*lead, 1, n): batch * of_columns,
                (*lead, m, n): batch * max(1, rows * columns // WARP_LANES),
            }

    def __call__(self, tile: Tile) -> int:
        """Registers of one thread."""
        elements = self._elements.get(tile.shape)
        if elements is None:
            elements = -(-prod(tile.shape) // self._threads)
        return held_registers(elements, tile.bits)


def _warp_part(product: Product, plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of the result that a warp computes, at least one atom."""
    m, n, _ = product.extents
    step_m, step_n, _ = plan.atom.shape
    return max(m // plan.warps_m, step_m), max(n // plan.warps_n, step_n)


def _per_lane(atom: MmaAtom, dim: int) -> int:
    """Rows or columns of an atom's result that one lane has elements of."""
    return 1 << sum(basis[dim] != 0 for basis in atom.c.register)
