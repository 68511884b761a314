# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every family of emit rules; take the filled table from here.

Each module registers its rules when it is imported.
"""

from __future__ import annotations

from cuda_tile.emit import atomic as atomic
from cuda_tile.emit import bitwise as bitwise
from cuda_tile.emit import control as control
from cuda_tile.emit import convert as convert
from cuda_tile.emit import copy as copy
from cuda_tile.emit import copy_out as copy_out
from cuda_tile.emit import float as float  # noqa: A004  (the family's name)
from cuda_tile.emit import heap as heap
from cuda_tile.emit import hint as hint
from cuda_tile.emit import integer as integer
from cuda_tile.emit import math as math
from cuda_tile.emit import memory as memory
from cuda_tile.emit import mma as mma
from cuda_tile.emit import multimem as multimem
from cuda_tile.emit import pack as pack
from cuda_tile.emit import pending as pending
from cuda_tile.emit import persist as persist
from cuda_tile.emit import reduce as reduce
from cuda_tile.emit import ring as ring
from cuda_tile.emit import roles as roles
from cuda_tile.emit import scan as scan
from cuda_tile.emit import shape as shape
from cuda_tile.emit import shape_constant as shape_constant
from cuda_tile.emit import shape_parts as shape_parts
from cuda_tile.emit import structure as structure
from cuda_tile.emit import tcgen05 as tcgen05
from cuda_tile.emit import tileas as tileas
from cuda_tile.emit import view as view
from cuda_tile.emit import wgmma as wgmma
from cuda_tile.emit.emitter import RULES

__all__ = ["RULES"]
