# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every family of place rules; take the filled table from here.

Each module registers its rules when it is imported.
"""

from __future__ import annotations

from cuda_tile.place import atomic as atomic
from cuda_tile.place import control as control
from cuda_tile.place import elementwise as elementwise
from cuda_tile.place import hint as hint
from cuda_tile.place import memory as memory
from cuda_tile.place import mma as mma
from cuda_tile.place import multimem as multimem
from cuda_tile.place import pack as pack
from cuda_tile.place import reduce as reduce
from cuda_tile.place import shape as shape
from cuda_tile.place import tcgen05 as tcgen05
from cuda_tile.place import wgmma as wgmma
from cuda_tile.place.rules import FRAGMENTS, RULES

__all__ = ["FRAGMENTS", "RULES"]
