# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums of products are short, and how far they may go before they are promoted.

Matrix instructions add products of 8-bit floats with fewer bits than f32 has. Unless a
product allows that (`fast_acc`), only so many elements along K are added so; additions
of f32 add the partial sums to the sum.

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

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.layout.wgmma import PART_REGISTERS, WgmmaAtom
from cuda_tile.targets import WARP_LANES, Target

SHORT_SUMS = tuple((operand, "f32") for operand in ("f8E4M3FN", "f8E5M2"))
"""Operands and sums that matrix instructions add with fewer bits than f32 has.

Measured by others: on H100 and H800, warpgroups shift terms to the largest exponent and
keep 14 bits (DeepSeek-V3 Technical Report, section 3.5.2); there and in `mma.sync` of
Ada (sm_89) an accumulator has 13 bits behind its first (SageAttention2, section 3.4).
Of chips from sm_100 on 25 bits are reported (DeepGEMM, issue 176, for a B200), but the
PTX ISA promises no more of any chip than a precision between f16 and f32 ("mma",
"wgmma.mma_async")."""
PROMOTED_ELEMENTS = 128
"""Elements along K whose products are added with so few bits at most (the interval of
the same report, section 3.3.2): the sum then is one of f32."""
_F16_CAPABILITIES = range(90, 120)
"""There `mma.sync` of 8-bit floats is one of f16, whose sums are not short: ptxas 13.5
makes HMMA of it on sm_90, sm_100, sm_103 and sm_110, QMMA on sm_89, sm_120, sm_121."""


def default_promotion(
    op: ir.Operation,
    atom: MmaAtom | WgmmaAtom,
    target: Target,
    warps: tuple[int, ...],
) -> int:
    """Elements along K after which partial sums of a product become f32; 0 for never.

    Partial sums of warps are a tile of their own, cut into pieces where it is large.
    Where it cannot be cut, each instruction begins a partial sum of its own: that takes
    no registers, and more additions.

    Args:
        op: The product, at level T.
        atom: The instruction.
        target: The chip.
        warps: How warps divide its result, as `tile_mma` takes it.
    """
    operand, accumulator = (str(element_of(op.operands[n])) for n in (0, 2))
    # promotion C1, C3
    if (operand, accumulator) not in SHORT_SUMS or "fast_acc" in op.attributes:
        return 0
    if isinstance(atom, WgmmaAtom):
        return PROMOTED_ELEMENTS
    # promotion C2, C5
    if _is_scaled(op) or not has_short_sums(op, atom, target):
        return 0
    pieces = pieces_of_sums(shape_of(op.results[0]), warps, atom)
    return PROMOTED_ELEMENTS if pieces else atom.shape[2]


def pieces_of_sums(
    shape: tuple[int, ...], warps: tuple[int, ...], atom: MmaAtom
) -> tuple[int, int] | None:
    """Into how many pieces partial sums are cut, and along which dimension.

    A piece has as many registers of a thread as warpgroups have of partial sums. It is
    a part of the columns of each warp, for which the rows of A are read again, or of
    the rows, if those are more.

    Args:
        shape: Of the result.
        warps: How warps divide it, as `tile_mma` takes it.
        atom: The instruction.

    Returns:
        The dimension, -1 or -2, and the number, 1 for all at once; None if there are
        too few atoms along either to have such pieces.
    """
    own = [
        max(extent // parts, step)
        for extent, parts, step in zip(shape[-2:], warps, atom.shape, strict=False)
    ]
    batch = prod(shape[:-2])
    batch //= min(batch, prod(warps[2:]))
    count = max(1, batch * prod(own) // (WARP_LANES * PART_REGISTERS))
    dims = (-2, -1) if own[0] > own[1] else (-1, -2)
    for dim in dims:
        if own[dim] // atom.shape[:2][dim] >= count:  # promotion C8
            return dim, count
    return None


def has_short_sums(op: ir.Operation, atom: MmaAtom, target: Target) -> bool:
    """Whether an instruction of a warp adds a product with fewer bits than f32 has."""
    types = str(element_of(op.operands[0])), str(element_of(op.operands[2]))
    row = atom.find(*types)
    is_f16 = target.capability in _F16_CAPABILITIES
    return (
        types in SHORT_SUMS
        and row is not None
        and row.computed_as == types[0]
        and not is_f16
    )


def _is_scaled(op: ir.Operation) -> bool:
    """Whether scale factors multiply the sum of each block."""
    return len(op.operands) > 3


def check_promotion(
    op: ir.Operation, atom: MmaAtom | WgmmaAtom, promote: int, attribute: str
) -> None:
    """Checks that a product has partial sums of so many elements.

    Args:
        op: The product.
        atom: The instruction.
        promote: What its plan says.
        attribute: The name of the plan.

    Raises:
        UserError: It has not.
    """
    if not promote:
        return
    sums = str(element_of(op.operands[2]))
    is_instruction = isinstance(atom, WgmmaAtom) or atom.is_instruction
    if sums != "f32" or not is_instruction or _is_scaled(op):
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
