# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Duplicates loads that products of two pipeline stages share.

Contract: in and out, verified level T with plans. A product of a loop whose plan has
`stage = 1` runs an iteration behind the others. A slot is read in one iteration only,
so in the next iteration the late product needs another copy of the tile. So each tile
that such a product and others read is loaded twice if that is legal; if not, a remark
says so. The second load has the plan of the first one. It costs bytes of L2 and slots,
and lets the products overlap.

Contract `load_duplication`
    Law: a weak load gives the same as another one of the same place between the same
    accesses.

    | | condition | near misses |
    |---|---|---|
    | - types | the second load is a copy of the first one | |
    | - flags | as for types | |
    | - values | as for types | |
    | C1 order | the load is weak | relaxed |
    | C2 order | nothing that writes or releases waits for it | store_that_waits |
    | | | release_that_waits |
    | C3 order | the copy is behind what the load is behind, for which threads load | |
    | | by themselves behind an acquire | behind_an_acquire |
    | | | behind_the_preceding_grid, left_operand_that_others_use |
    | - blocks | what others write meanwhile a weak load may not read | |
    | - indices | the copy has the same ones | |
    | C4 extents | the loop is a `for`: late products follow its last iteration | |
    | | | no_iteration, one_iteration, odd_extent |
    | - aliasing | tokens alone order accesses, whatever the addresses | |
    | C5 captures | reshapes, transposes and conversions between the load and the | |
    | | late product are done to the copy, too | transposed_for_the_late_product |
    | C6 captures | the load stands in the block of the product | |
    | | | loaded_before_the_loop |
    | C7 captures | others than late products use its tile | tile_of_its_own |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import add_remark, read_product
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.duplicates import duplicate, may_duplicate, shared_operands


@each_kernel
def run(entry: ir.Operation) -> None:
    """Duplicates loads in an entry whose plan has late products."""
    products = [op for op in nested_ops(entry) if op.name in PRODUCTS]
    late = [op for op in products if read_product(op).stage]
    for block in dict.fromkeys(op.block for op in late):
        _duplicate_in(entry, [op for op in late if op.block == block])


def _duplicate_in(entry: ir.Operation, late: list[ir.Operation]) -> None:
    """Duplicates the loads that late products of one block share with others."""
    shared = shared_operands(late)
    if may_duplicate(shared):
        duplicate(shared)
        return
    for load in dict.fromkeys(operand.load for operand in shared):
        add_remark(
            entry,
            f"{location_text(load)}: wanted a load of its own for a product with "
            "stage = 1, it shares its load with others: a load is made twice only if "
            "it is a weak one through a view, which nothing that writes waits for",
        )
