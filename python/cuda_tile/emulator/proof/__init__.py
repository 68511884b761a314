# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves PTX kernels free of races for every argument, without running them."""
