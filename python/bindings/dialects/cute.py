# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cute dialect: layouts, the one kind of attribute that it has.

MLIR looks for this module whenever Python sees such an attribute.
"""

from .._mlir_libs._cuda_tile import LayoutAttr

__all__ = ["LayoutAttr"]
