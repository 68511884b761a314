# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's passes: one file, one flag, one contract each."""
