"""Values with operators and a function per op, by the names that scripts know.

All of it is `cuda_tile.builder`, whose documentation says what each function takes.
"""

from cuda_tile.builder import *
from cuda_tile.builder import (
    get_comparison_predicate_attr as get_comparison_predicates_attr,
)
from cuda_tile.builder import get_mlir_type as _get_mlir_type
