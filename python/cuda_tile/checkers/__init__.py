# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkers: what a pass has left is judged by a definition, not by how it was found.

A checker runs behind its pass where `Options.check` asks for it. It shares control
flow and buffer names with the pass, but not what the pass infers of them.
"""
