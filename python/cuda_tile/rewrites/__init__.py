# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that passes share which rewrite programs at level T, a file for each idea."""
