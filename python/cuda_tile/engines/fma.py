# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fma`: each thread multiplies and adds what its registers hold, on every chip.

Shapes, element types and fragments are in layout/atoms.py.
"""

from __future__ import annotations

from cuda_tile.engines.mma_sync import WarpEngine
from cuda_tile.layout.atoms import FMA_ATOMS


class Fma(WarpEngine):
    """The multiply-adds of threads, for what a chip has no matrix instruction for."""

    may_promote = False


FMA = Fma("fma", {atom.name: atom for atom in FMA_ATOMS})
