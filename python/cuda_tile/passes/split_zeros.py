# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes additions of +0 to values that are never -0, which an open mask leaves.

x + 0 is x except for x = -0. The sum of a product with an initial +0 is never -0 if it
is either 0 or too large to be rounded to 0: +0 plus anything else is 0 only as +0
(IEEE 754, 6.3). Products of two f16 or 8-bit numbers, which have few exponent bits, are
multiples of 2^-48 or more, so that no sum in f32 is rounded to 0; sums of bf16 and
wider types may be. For these the addition is removed if no use depends on the signs of
zeros, such as for scores of which only exponentials are computed. An addition that
flushes subnormals would change them, but a sum of such multiples is never subnormal.

Contract `zero_removal`
    Law: x + 0 = x but for x = -0, in every rounding mode (IEEE 754, 6.3).

    | | condition | near misses |
    |---|---|---|
    | C1 types | products that are +0 or large are of f16 or 8 bits | bf16_product |
    | C2 flags | the addition flushes no subnormals, or there are none | flushed, |
    | | | flushed_product |
    | C3 values | the constant is +0 everywhere | minus_zero, other_number |
    | C4 values | the product starts at +0 | other_start |
    | C5 values | else nobody tells -0 from +0 | stored_sum, quotient |
    | - order | nothing but one value of the entry changes | |
    | - blocks | the same | |
    | - indices | the same | |
    | - extents | each element is looked at for itself | |
    | - aliasing | no memory is accessed | |
    | C6 captures | uses in regions count, and what these hand on | carried_and_stored |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.zero_signs import hides_zero_signs
from cuda_tile.ir.attributes import flag
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import defining_op, listed_ops

_NEVER_TINY = ("f16", "f8E4M3FN", "f8E5M2")


def drop_added_zeros(entry: ir.Operation) -> None:
    """Replaces such additions by their other operand."""
    for op in listed_ops(entry):
        if op.name != "cuda_tile.addf":
            continue
        for value, zero in (op.operands, reversed(list(op.operands))):
            if uniform_bits(zero) == 0 and _may_go(op, value):  # zero_removal C3
                op.results[0].replace_all_uses_with(value)
                op.erase()
                break


def _may_go(op: ir.Operation, value: ir.Value) -> bool:
    """Whether a value can replace its sum with +0."""
    if _is_zero_or_large(value):
        return True
    if flag(op, "flush_to_zero"):  # zero_removal C2
        return False
    return hides_zero_signs(op.results[0])  # zero_removal C5


def _is_zero_or_large(value: ir.Value) -> bool:
    """Whether each element is +0 or far from being subnormal."""
    op = defining_op(value)
    if op is None or op.name != "cuda_tile.mmaf":
        return False
    left, _, start = op.operands
    is_exact = str(element_of(left)) in _NEVER_TINY  # zero_removal C1
    is_exact = is_exact and str(element_of(start)) == "f32"
    return is_exact and uniform_bits(start) == 0  # zero_removal C4
