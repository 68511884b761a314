# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows in parts: which blocks compute with rows, and the loops that replace them."""
