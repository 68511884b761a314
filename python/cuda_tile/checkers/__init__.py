# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkers: what a pass has left is judged by a definition, not by how it was found.

A checker runs behind its pass where `Options.check` asks for it. It shares no analysis
with the pass, so that an error of the pass is not repeated by its judge.
"""
