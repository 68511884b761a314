# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analyses of a kernel: what is true of it, and what an engine could do with it.

They change nothing, and decide nothing between plans: the package `plan` asks them for
facts and chooses. Some take a fixed rule of thumb instead of asking a plan, for example
which products warpgroups should leave to warps (`wgmma`); the numbers of such rules
stand in constants.py.
"""
