# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of the state spaces: generic windows, CTA ranks in shared::cluster.

PTX ISA: "Generic Addressing", "Shared State Space".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Generic addresses of the shared and local windows; host addresses stay far below.
SHARED_WINDOW = 1 << 56
LOCAL_WINDOW = 1 << 57
PARAM_WINDOW = 1 << 58
WINDOW_MASK = (1 << 56) - 1
# A shared::cluster address has the rank of its CTA from this bit on, as on hardware:
# kernels for pairs of CTAs find the even one's mbarrier by clearing the bit. In a
# register the rank is marked; where it is not, the own CTA is meant.
CLUSTER_SHIFT = 24
RANK_MASK = 0xF
_RANK_MARK = 0x10


def rank_bits(rank: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """What a shared::cluster address has above the offset."""
    return (rank | np.uint32(_RANK_MARK)) << np.uint32(CLUSTER_SHIFT)
