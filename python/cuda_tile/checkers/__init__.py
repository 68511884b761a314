# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkers: they judge the output of a pass by a definition, not by the pass's method.

A checker runs after its pass if `Options.check` asks for it. It shares control flow and
buffer names with the pass, but not the pass's conclusions from them.
"""
