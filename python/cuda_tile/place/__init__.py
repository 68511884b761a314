# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints of each op on the layouts of its tiles: one rule per op, by family."""
