# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Welford: one loop computes a row's sum and its sum of squared distances.

Contract: in and out, verified level T with plans. If the plan of an entry has
`part = n`, `row_tiling` computes the rows of the entry part by part, each reduction in
a loop of its own. A variance, a sum of squared distances to a multiple of the row's
sum, needs no loop of its own. This pass finds such sums and marks their reductions,
`tileas.hoist = "welford"`; `row_tiling` rewrites them by `rewrites/rows/welford.py`,
which also derives their error. Without this pass each sum has a loop, with the same
results within rounding.

Nothing is marked if CTAs of a cluster share the row: they hold it, so that a second
loop costs no load.

Contract `welford`
    Law: the sum of (x - c)^2 is that of (x - m)^2, and n (m - c)^2, for n numbers of
        mean m, whatever c is.

    | | condition | near misses |
    |---|---|---|
    | C1 types | rows, centre and sums have one type, | f16_row, f64_row |
    | | f32 or f64 | |
    | C2 flags | both sums, distances and squares | sum_rounds_up, |
    | | round to nearest and keep subnormal | first_sum_flushes, |
    | | numbers; what makes the centre may do | square_flushes, |
    | | anything | distance_rounds_down, |
    | | | centre_rounds_up |
    | C3 values | the sum counts where it is finite, | huge, infinities, nans, |
    | | else the text's does | ends, lowest, subnormals, |
    | | | hidden, far_centre, |
    | | | masked_infinities |
    | C4 captures | both sums are one addf on their | sum_from_one, |
    | | arguments, from 0 on, of the row and | product_for_sum, |
    | | of its squared distances | distance_to_another_sum, |
    | | | product_of_two_distances |
    | C5 extents | the error that is derived above is | many_parts |
    | | below that of the text's sum | |
    | C6 values | a mask has elements before some | nothing_inside, |
    | | place, and leaves 0 for the others | one_inside, all_inside, |
    | | | all_inside_unsigned, |
    | | | last_ones, mask_of_a_row, |
    | | | narrow_places, |
    | | | ones_for_nothing |
    | C7 values | a mask is known where the sum is | mask_of_a_count |
    | | begun | |
    | C8 values | the centre's sum has a loop of its | centre_of_a_hoisted_sum |
    | | own | |
    | C9 indices | the first part comes first | parts_from_the_last |
    | - order | it accesses no memory: `row_tiling` | |
    | | says when rows may be read | |
    | - blocks | it accesses no memory | |
    | - aliasing | it accesses no memory | |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.rows.joint_sums import mark_sums


@each_kernel
def run(entry: ir.Operation) -> None:
    """Marks the sums of squares that can be computed with the sum of their row."""
    mark_sums(entry, "welford")
