# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analyses of a kernel: what is true of it, and what an engine could do with it.

They change nothing. What is chosen stands in the package `plan`, which asks them.
"""
