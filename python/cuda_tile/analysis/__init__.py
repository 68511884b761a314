# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analyses of a kernel: they neither decide nor change anything."""
