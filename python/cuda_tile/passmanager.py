# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's pass manager; `pipeline.register_passes` makes our passes known to it."""

from cuda_tile._mlir.passmanager import PassManager as PassManager

__all__ = ["PassManager"]
