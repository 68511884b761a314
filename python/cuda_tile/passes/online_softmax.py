# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Online softmax: one loop computes a row's maximum and the sum of powers.

Contract: in and out, verified level T with plans. If the plan of an entry has
`part = n`, `row_tiling` computes the rows of the entry part by part, each reduction in
a loop of its own. A sum of powers relative to the maximum of the same row needs no loop
of its own: it can be computed while the maximum grows. This pass finds such sums and
marks their reductions, `tileas.hoist = "online_softmax"`; `row_tiling` rewrites them by
`rewrites/rows/online_softmax.py`. Without this pass each sum has a loop, with the same
results within rounding.

Nothing is marked if CTAs of a cluster share the row: they hold it, so that a second
loop costs no load.

Contract `online_softmax`
    Law: exp(a - m) = exp(a - g) * exp(g - m) where g - m is finite.

    | | condition | near misses |
    |---|---|---|
    | C1 types | rows, powers and sums have one | f16_row, f64_row |
    | | type, f32 or f64 | |
    | C2 flags | sum, difference, factors and | sum_rounds_down, sum_flushes, |
    | | weighted products round to nearest | difference_rounds_up, |
    | | and keep subnormal numbers, powers | difference_flushes, |
    | | with weights do; maxima may do | factor_flushes, |
    | | anything | power_flushes, |
    | | | weight_flushes, |
    | | | weighted_power_flushes, |
    | | | maximum_keeps_nan, |
    | | | maximum_flushes |
    | C3 values | the sum begins with 0, the maximum | sum_from_one, |
    | | with -infinity | maximum_from_zero |
    | C4 values | differences are multiplied by | factor_below_zero, |
    | | constants above 0 alone, which | factor_zero, factor_tiny, |
    | | move them by at most 64 binary | factor_of_a_row |
    | | digits, so that overflow gives a | |
    | | power of 0 | |
    | C5 values | powers are relative to the lowest | minus_infinity, infinities, |
    | | finite number at least | nans, lowest, hidden, masked, |
    | | | ends |
    | C6 values | a sum with weights counts where it | infinities_weights, |
    | | is finite, else the text's does | nans_weights, ends_weights, |
    | | | hidden_weights, |
    | | | masked_weights_of_themselves, |
    | | | hidden_weights_of_themselves |
    | C7 values | weights are known where the | weight_of_the_maximum |
    | | maximum is begun | |
    | C8 captures | the maximum is one maxf on its | maximum_of_another_row, |
    | | arguments, of the row of the | product_of_powers, |
    | | powers; a product has one power | maximum_of_products |
    | - order | it accesses no memory: | |
    | | `row_tiling` says when rows may be | |
    | | read | |
    | - blocks | it accesses no memory | |
    | - indices | it computes no index | |
    | - extents | a position without elements has | |
    | | the sum 0 below -infinity | |
    | - aliasing | it accesses no memory | |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.rows.joint_sums import mark_sums


@each_kernel
def run(entry: ir.Operation) -> None:
    """Marks the sums of powers that can be computed with their maximum."""
    mark_sums(entry, "online_softmax")
