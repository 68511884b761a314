# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds: how fast a chip could at best do the work that the emulator counted.

docs/bounds.md has the formulas and their sources.
"""

from cuda_tile.emulator.bounds.chip import Chip
from cuda_tile.emulator.bounds.compute import Bound, Bounds, Resource, find_bounds

__all__ = ["Bound", "Bounds", "Chip", "Resource", "find_bounds"]
