# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums of products are short, and how far they may go before they are promoted.

Instructions of warpgroups add products of 8-bit floats with fewer bits than f32 has.
Unless a product allows that (`fast_acc`), only so many elements along K are added so;
additions of f32 add the partial sums to the sum.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.layout.wgmma import WgmmaAtom

SHORT_SUMS = tuple((operand, "f32") for operand in ("f8E4M3FN", "f8E5M2"))
"""Operands and sums that instructions of warpgroups add with fewer bits than f32 has.

Measured by others on an H100 and H800: terms are shifted to the largest exponent and
keep 14 bits (DeepSeek-V3 Technical Report, section 3.5.2), so that an accumulator has
13 bits behind its first (SageAttention2, section 3.4)."""
PROMOTED_ELEMENTS = 128
"""Elements along K whose products are added with so few bits at most (the interval of
the same report, section 3.3.2): the sum then is one of f32."""


def default_promotion(op: ir.Operation, atom: MmaAtom | WgmmaAtom) -> int:
    """Elements along K after which partial sums of a product become f32; 0 for never.

    Args:
        op: The product, at level T.
        atom: The instruction.
    """
    operand, accumulator = (str(element_of(op.operands[n])) for n in (0, 2))
    is_short = isinstance(atom, WgmmaAtom) and (operand, accumulator) in SHORT_SUMS
    return PROMOTED_ELEMENTS if is_short and "fast_acc" not in op.attributes else 0


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
    if not isinstance(atom, WgmmaAtom) or sums != "f32":
        raise UserError(
            f"expected promote for sums of f32 by warpgroups only in '{attribute}', "
            f"got {promote} for {sums} by {atom.name}",
            location_text(op),
        )
    if promote < 0 or promote % atom.shape[2]:
        raise UserError(
            f"expected promote to be a multiple of {atom.shape[2]}, K of {atom.name}, "
            f"in '{attribute}', got {promote}",
            location_text(op),
        )
