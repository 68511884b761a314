# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the passes that rewrite programs at level T share, a file for each idea."""
