# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that people run, in cuTile and in Triton, with NumPy's results.

A module of `kernels` for each field has kernels, launches and references; the module of
the same name in `triton` has the same kernels in Triton. `fields.load` gives all.
"""
