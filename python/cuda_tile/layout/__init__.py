# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts as linear maps over F2: pure integers, no MLIR. See README.md."""

from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import row_major, swizzled

__all__ = ["LayoutError", "LinearLayout", "SharedLayout", "row_major", "swizzled"]
