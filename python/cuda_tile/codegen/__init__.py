# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From level P to machine code: LLVM in process, then ptxas."""
