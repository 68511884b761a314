# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR: MLIR's classes, and thin helpers over them for walking, types and cloning.

The classes are upstream's: `cuda_tile.ir.Module`, `Operation`, `Value`, `Context`.
"""

from cuda_tile._mlir.ir import (
    Attribute,
    Block,
    Context,
    InsertionPoint,
    Location,
    MLIRError,
    Module,
    Operation,
    OpView,
    Region,
    Type,
    Value,
)

__all__ = [
    "Attribute",
    "Block",
    "Context",
    "InsertionPoint",
    "Location",
    "MLIRError",
    "Module",
    "OpView",
    "Operation",
    "Region",
    "Type",
    "Value",
]
