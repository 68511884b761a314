# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums that tensor cores add with fewer bits than their type has, and their parts.

`ir/promotion.py` has the contract of promoted sums.
"""

from __future__ import annotations

from math import prod

from cuda_tile.engines.engine import Atom
from cuda_tile.layout.wgmma import PARTIAL_SUM_REGISTERS
from cuda_tile.targets import WARP_LANES

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


def pieces_of_sums(
    shape: tuple[int, ...], warps: tuple[int, ...], atom: Atom
) -> tuple[int, int] | None:
    """Into how many pieces partial sums are cut, and along which dimension.

    A piece has as many registers of a thread as warpgroups have of partial sums. It is
    a part of the columns of each warp, for which the rows of A are read again, or of
    the rows, if those are more.

    Args:
        shape: Of the result.
        warps: How warps divide it, as `tile_mma` takes it.
        atom: The instruction of a warp.

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
    count = max(1, batch * prod(own) // (WARP_LANES * PARTIAL_SUM_REGISTERS))
    dims = (-2, -1) if own[0] > own[1] else (-1, -2)
    for dim in dims:
        if own[dim] // atom.shape[:2][dim] >= count:  # promotion C8
            return dim, count
    return None
