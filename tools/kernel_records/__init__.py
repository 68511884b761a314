# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of a folder of kernels, recorded, and compared with an earlier state."""
