# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dialects of whose operations commands need no classes of their own.

MLIR's bindings import the Python module of a dialect when they meet its first
operation: 300 classes for `llvm`, a tenth of a start. The modules of this package have
none, so that such operations are plain `OpView`s; whoever imports a dialect itself has
its classes.
"""

from __future__ import annotations

from cuda_tile._mlir._mlir_libs import _mlir


def use_plain_dialects() -> None:
    """Lets the bindings look for dialects here first, in this process."""
    bindings = _mlir.globals
    if __name__ not in bindings.dialect_search_modules:
        searched = bindings.dialect_search_modules
        bindings.dialect_search_modules = [__name__, *searched]
