# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs before any test module: limits BLAS to one thread, offers a browser."""

import os

from headless import browser, browser_page

__all__ = ["browser", "browser_page"]

# NumPy's BLAS starts threads that spin while several test processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
