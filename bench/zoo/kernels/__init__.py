# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in cuTile, launches and NumPy's results, a module for each field."""
