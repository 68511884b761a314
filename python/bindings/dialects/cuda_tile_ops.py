# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values with operators and a function per op, by the names that scripts know.

The functions are those of `cuda_tile.builder`, whose documentation says what each
takes; types, attributes and op classes are those of the dialect.
"""

from cuda_tile.builder import *
from cuda_tile.builder import (
    get_comparison_predicate_attr as get_comparison_predicates_attr,
)
from cuda_tile.builder import get_mlir_type as _get_mlir_type

from ._cuda_tile_ops_gen import *
from .cuda_tile import *

# Once more: an op function of the builder stands before the raw one of its name.
from cuda_tile.builder import *  # isort: skip
