# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the error of the functions that compiled kernels compute."""
