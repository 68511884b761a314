# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that rewriting passes at level T share, one file for each idea."""
