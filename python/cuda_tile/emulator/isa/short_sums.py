# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products of 8-bit floats as the tensor cores of sm_89 and sm_90 make them.

The PTX ISA promises no more of them than a precision between f16 and f32. What hardware
does was measured by others on H100 and H800, and is modelled here as they describe it:

- the exact products and the accumulator are shifted to the largest exponent among them,
  and of each only its highest 14 bits there are kept (DeepSeek-V3 Technical Report,
  section 3.5.2; its authors in deepseek-ai/DeepGEMM, issue 37 and 50);
- what is left of a sum has 13 bits behind its first: of an accumulator that is added to
  zeros, the lowest 10 of its 23 bits become zero (SageAttention2, section 3.4, which
  found the same of `mma.sync` on Ada, sm_89).

Where these are silent (the exponent of a product before it is normalised, the order)
this takes what loses most. Products of other types are not summed so, and neither are
those of `mma.sync` on sm_90, which are ones of f16. Of chips from sm_100 on 25 bits are
reported (deepseek-ai/DeepGEMM, issue 176), as many as products of f16 have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ptx.types import Array

SHORT_FORMATS = ("e4m3", "e5m2")
"""Operands whose sums are short."""
SHORT_SYNC_TARGETS = ("sm_89",)
"""Chips whose `mma.sync` makes such sums; `wgmma`, of sm_90a alone, always does."""
KEPT_BITS = 14
"""Bits of a term, counted from the highest bit of the largest."""
_LEAST_EXPONENT = -110
"""Below, scaling by powers of two would leave the range of f32."""
_SUM_MASK = np.uint32(0xFFFFFFFF << (24 - KEPT_BITS) & 0xFFFFFFFF)


def short_sum(left: Array, right: Array, addend: Array | None) -> NDArray[np.float32]:
    """`left @ right + addend` with terms and sums cut off at 14 bits.

    Args:
        left: A, f32[..., M, K] of values of 8-bit floats.
        right: B, f32[..., K, N].
        addend: The accumulator, f32[..., M, N], or None for zeros.
    """
    whole: NDArray[np.float32]
    with np.errstate(invalid="ignore", over="ignore"):
        terms = left[..., :, :, None] * right[..., None, :, :]
        largest = np.abs(terms).max(axis=-2)
        if addend is not None:
            largest = np.maximum(largest, np.abs(addend))
        is_finite = np.isfinite(largest)
        exponent = np.frexp(np.where(is_finite, largest, 0))[1] - 1
        shift = KEPT_BITS - 1 - np.maximum(exponent, _LEAST_EXPONENT)
        scale = np.ldexp(np.float32(1), shift)
        terms *= scale[..., None, :]
        total = np.trunc(terms, out=terms).sum(axis=-2)
        if addend is not None:
            total += np.trunc(addend * scale)
        total = (total / scale).astype(np.float32)
        total = (total.view(np.uint32) & _SUM_MASK).view(np.float32)
        if is_finite.all():
            return total
        whole = np.matmul(left, right)
        whole = whole if addend is None else (whole + addend).astype(np.float32)
        np.copyto(whole, total, where=is_finite)
        return whole
