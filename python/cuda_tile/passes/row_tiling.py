# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row tiling: loops compute rows part by part that registers should not hold whole.

Contract: in and out, verified level T with plans. If the plan of an entry has
`part = n`, loops over parts of n elements compute each longer row; an entry in which
that is not possible stays as it is, with a remark. In an entry with products, the
epilogue of each sum in tensor memory is computed n columns at a time, as if columns
were the elements of rows (`rewrites/rows/sums.py`).

A kernel loads a row as one tile, reduces it, and stores functions of the row and of the
results. Each reduction becomes a loop over parts of the row, and so do the stores at
the end. Each loop loads the parts again and computes the values that it needs. With
`reuse = 1`, `stage` keeps the tiles of the first loop for the others
(`stage/reuse.py`).

Loads must be weak, and their tokens after no access: the language allows such loads at
any time, and so more than once. A reduction first joins parts element by element; its
body must be provably commutative. A sum that needs the maximum or the mean of its row
is computed in their loop if the pass `online_softmax` or `welford` has marked it.

The author's own loops over a longer row are divided, too. A loop that carries rows is
repeated for each part of them; a loop that carries none gets a loop over parts inside
(`rewrites/rows/row.py`).

A tile may reach beyond its tensor, but no part may lie outside. So the loops go as far
as all views reach. A separate loop computes the remainder, which is mostly empty: there
a load outside a view gives its padding, and a store outside is left out.

Contract `row_tiling`
    Law: an op on each element of a row is one on each element of its parts; the parts
        of a commutative and associative reduction may be joined element by element.

    | | condition | near misses |
    |---|---|---|
    | C1 types | rows are made by loads through | permuted_row, i8_row, |
    | | partition views, ops on each | i16_row, i32_row, i64_row, |
    | | element, constants, numbers, copies | f16_row, bf16_row, f64_row |
    | | of an element, reshapes, reductions | |
    | | and scans, of any numbers | |
    | C2 values | sums begin with 0, and products | sum_from_one, |
    | | with 1: parts begin so many times | product_from_two, |
    | | | maximum_from_zero, |
    | | | scan_from_one |
    | C3 values | the body of a reduction is seen to | first_of_two, difference |
    | | be commutative | |
    | C4 order | accesses to rows are weak, their | relaxed_load, |
    | | tokens after nothing, and nothing | store_after_the_load, |
    | | after theirs: then they may be made | load_after_a_store, |
    | | at any time, and loads more than | in_place |
    | | once | |
    | C5 order | what a reduction's result is needed | atomic_of_the_sum, |
    | | for is pure, or a store that no | store_of_the_sum, |
    | | token orders; a loop that carries | store_of_the_iteration |
    | | rows stores nothing | |
    | C6 order | nothing leaves a block behind what | exit_behind_the_store, |
    | | moves to its end | exit_of_the_iteration, |
    | | | exit_before_all |
    | C7 indices | indices are read as unsigned | i8_indices, i16_indices, |
    | | numbers of 64 bits where 32 may not | i64_indices, second_half, |
    | | hold them; that of the row is known | vast_extent, index_of_a_sum |
    | | before all reductions | |
    | C8 extents | a row has all elements along one | odd_extent, |
    | | dimension; parts that some tensor | extent_of_a_part, |
    | | does not have are padding, and not | extent_of_one, |
    | | stored; scans go one way | infinite_padding, two_rows, |
    | | | no_iteration, |
    | | | scan_backwards, |
    | | | scans_both_ways |
    | C9 captures | regions of ops on rows take nothing | captured_sum, |
    | | that is made of rows | captured_number |
    | C10 captures | what a loop takes from outside, or | weights_from_another_place, |
    | | makes in each iteration, is made | weights_from_the_same_view, |
    | | again for each part: no scan, and | weights_of_their_sum, |
    | | no other loop | scanned_weights, |
    | | | view_of_the_iteration |
    | - flags | ops are repeated as they are | |
    | - blocks | what other tile blocks may write is | |
    | | not loaded by weak accesses | |
    | - aliasing | accesses to one place of which one | |
    | | is a store have tokens between | |
    | | them, or are a race | |
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.tensor_sums import is_in_tensor_memory
from cuda_tile.ir.plan import Plan, add_remark, read_plan
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.rows.joint_sums import marked_sums
from cuda_tile.rewrites.rows.row import longest_row
from cuda_tile.rewrites.rows.tiler import find_sum_tilers, find_tiler


@each_kernel
def run(entry: ir.Operation) -> None:
    """Rewrites an entry in parts if its plan says so."""
    plan = read_plan(entry)
    ops = list(nested_ops(entry))
    if plan.part and any(op.name in PRODUCTS for op in ops):
        _tile_sums(entry, plan)
    elif plan.part:
        _tile_rows(entry, ops, plan)


def _tile_sums(entry: ir.Operation, plan: Plan) -> None:
    """Rewrites in parts the epilogues of sums in tensor memory."""
    tilers = find_sum_tilers(entry, plan.part, is_in_tensor_memory)
    for tiler in tilers:
        tiler.write()
    if not tilers:
        add_remark(
            entry,
            f"{location_text(entry)}: wanted sums {plan.part} columns at a time as "
            "planned, they stay whole; sums in tensor memory from zero on can be "
            "loaded in parts, of which elementwise operations and stores through "
            "partition views that no token orders make something",
        )


def _tile_rows(entry: ir.Operation, ops: Sequence[ir.Operation], plan: Plan) -> None:
    """Rewrites an entry in parts; rows that are no longer than a part stay whole."""
    size = longest_row(ops)
    if size <= plan.part:
        return
    if (tiler := find_tiler(entry, size, plan.part, marked_sums)) is not None:
        tiler.write()
        return
    add_remark(
        entry,
        f"{location_text(entry)}: wanted a row of {size} elements in parts of "
        f"{plan.part} as planned, it stays whole; loads and stores through partition "
        "views that no token orders, elementwise operations and commutative "
        "reductions can be computed in parts",
    )
