# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contexts for the bytecode tests."""

import pytest

from cuda_tile._mlir import ir


@pytest.fixture(scope="module")
def context() -> ir.Context:
    """One context for all files of a test module."""
    return ir.Context()
