# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites that move data through shared memory, one file per kind."""
