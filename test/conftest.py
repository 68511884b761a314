# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs before any test module: limits BLAS to one thread."""

import os

# NumPy's BLAS starts threads that spin while several test processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
