# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cuda_tile._mlir.ir` offers, for type checkers.

The extension's own stub is generated; what upstream's `ir.py` adds in Python is
listed here because upstream defines it inside functions.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from ._mlir_libs._mlir.ir import *
from ._mlir_libs._mlir.ir import DiagnosticInfo
from ._mlir_libs._mlir.ir import _OperationBase as _OperationBase

class MLIRError(Exception):
    """Failure of a C++ function, with the diagnostics that it emitted."""

    message: str
    error_diagnostics: list[DiagnosticInfo]
    def __init__(
        self, message: str, error_diagnostics: list[DiagnosticInfo]
    ) -> None: ...

@contextmanager
def loc_tracebacks(*, max_depth: int | None = None) -> Generator[None]: ...
def register_attribute_builder(
    kind: str, replace: bool = False
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]: ...
