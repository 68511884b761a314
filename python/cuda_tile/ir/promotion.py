# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Promotion: which products need partial sums in f32, and of how many elements.

Matrix instructions add products of 8-bit floats with fewer bits than f32 has. Unless a
product allows that (`fast_acc`), they add only a limited number of elements along K;
additions of f32 add these partial sums to the sum.

Contract `promotion`
    Law: a product has the sum of its terms in any order, so also that of partial sums:
    each begins with 0, and additions of f32 add it to the sum.

    | | condition | near misses |
    |---|---|---|
    | C1 types | operands are 8-bit floats, sums f32 | halves, sums_of_f16 |
    | C2 types | the instruction that the chip has for them adds with fewer bits | |
    | | | rows_for_warps_alone |
    | C3 flags | the product does not allow such sums | fast |
    | C4 values | a sum begins with what the program says, partial sums with 0, what | |
    | | is infinite or NaN in one is so in the sum | from_minus_zero, infinities |
    | C5 values | no factors multiply the sum of a block | scaled |
    | C6 order | partial sums are waited for and added where the product stands, so | |
    | | what uses the sum there finds it whole | sum_that_the_loop_uses |
    | - blocks | sums are registers of one tile block | |
    | - indices | no index depends on it | |
    | C7 extents | a partial sum ends after 128 along K, and with the product | |
    | | however many that has | deep, less_than_an_instruction, no_iteration |
    | C8 extents | large results are cut into pieces that are equal parts | |
    | | | cut_into_pieces |
    | - aliasing | sums are registers | |
    | C9 captures | each product has its own, whatever else its sum goes through | |
    | | | fast_product_before_it, in_a_branch |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.engines.engine import Atom, Terms
from cuda_tile.engines.registry import engine_of
from cuda_tile.engines.short_sums import SHORT_SUMS
from cuda_tile.errors import UserError
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import location_text
from cuda_tile.targets import Target


def default_promotion(
    terms: Terms, atom: Atom, target: Target, warps: tuple[int, ...]
) -> int:
    """Elements along K after which partial sums are added in f32; 0 for never.

    Args:
        terms: The product.
        atom: The instruction.
        target: The chip.
        warps: How warps divide its result, as `tile_mma` takes it.
    """
    # promotion C1, C3
    if (terms.operand, terms.accumulator) not in SHORT_SUMS or terms.allows_short_sums:
        return 0
    return engine_of(atom).promotion(atom, terms, warps, target)


def check_promotion(op: ir.Operation, atom: Atom, promote: int, attribute: str) -> None:
    """Checks that a product has partial sums of so many elements.

    Args:
        op: The product.
        atom: The instruction.
        promote: Elements along K of a partial sum, from the plan.
        attribute: The name of the plan.

    Raises:
        UserError: The product cannot have such partial sums.
    """
    if not promote:
        return
    sums = str(element_of(op.operands[2]))
    is_scaled = len(op.operands) > 3
    if sums != "f32" or not engine_of(atom).may_promote or is_scaled:
        raise UserError(
            f"expected promote for sums of f32 by matrix instructions, without scale "
            f"factors, only in '{attribute}', got {promote} for {sums} by {atom.name}",
            location_text(op),
        )
    if promote < 0 or promote % atom.shape[2]:
        raise UserError(
            f"expected promote to be a multiple of {atom.shape[2]}, K of {atom.name}, "
            f"in '{attribute}', got {promote}",
            location_text(op),
        )
