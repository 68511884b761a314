# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cuda_tile dialect: generated op classes, types and attributes.

Wherever an op class takes a keyword attribute, a string will do.
"""

from .._mlir_libs import _cuda_tile
from .._mlir_libs._cuda_tile import (
    DYNAMIC,
    AtomicRMWModeAttr,
    BoundedAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocAttr,
    DISubprogramAttr,
    DivByAttr,
    F8E5M3FNUType,
    GatherScatterViewType,
    IntegerOverflowAttr,
    LayoutAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionAttr,
    OptimizationHintsAttr,
    PaddingValueAttr,
    PartitionViewType,
    PointerKindAttr,
    PointerType,
    RoundingModeAttr,
    SameElementsAttr,
    SignednessAttr,
    StridedViewType,
    StringType,
    SymbolVisibilityAttr,
    TensorViewType,
    TileIROptimizationsOpts,
    TileType,
    TokenType,
    addLoopSplitThresholdAttr,
    applyTileIROptimizations,
    read_bytecode,
    register_dialect,
    register_passes,
    write_bytecode,
    writeBytecode,
)
from ..ir import Attribute, register_attribute_builder
from ._cuda_tile_ops_gen import *
from ._cuda_tile_ops_gen import _Dialect as Dialect

_KEYWORDS = (
    AtomicRMWModeAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionAttr,
    PaddingValueAttr,
    PointerKindAttr,
    RoundingModeAttr,
    SignednessAttr,
    SymbolVisibilityAttr,
)


def _register_keyword_builder(attribute_class):
    """Lets generated op classes take a string for a keyword attribute."""

    def build(value, context):
        if isinstance(value, Attribute):
            return value
        return attribute_class.get(value, context)

    register_attribute_builder(f"CudaTile_{attribute_class.__name__}")(build)


for _keyword in _KEYWORDS:
    _register_keyword_builder(_keyword)
