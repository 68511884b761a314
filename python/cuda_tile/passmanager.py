# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's pass manager, which knows our passes: `cuda-tile-place` and so on."""

from cuda_tile._mlir.passmanager import PassManager as PassManager
from cuda_tile.pass_flags import register_passes

__all__ = ["PassManager"]

register_passes()
