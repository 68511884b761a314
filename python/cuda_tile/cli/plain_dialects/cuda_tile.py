# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile` without classes of operations, until a pass imports it."""
