# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that change each kernel of a module separately."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from cuda_tile._mlir import ir
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options


def each_kernel(
    change: Callable[[ir.Operation], None],
) -> Callable[[ir.Operation, Options], None]:
    """A pass over a module that changes one entry after the other."""

    @wraps(change)
    def run(module: ir.Operation, options: Options) -> None:
        del options  # the choices for a kernel are in its attributes
        for entry in entries(module):
            change(entry)

    return run
