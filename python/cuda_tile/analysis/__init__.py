# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analyses of a kernel: facts about it, and what engines could do with it.

They change nothing and do not choose between plans: the package `plan` asks them for
facts and chooses. Some use a fixed heuristic instead of a plan, for example for the
products that warpgroups should leave to warps (`wgmma`). The numbers of such heuristics
are in constants.py.
"""
