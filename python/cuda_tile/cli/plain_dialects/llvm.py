# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`llvm` without classes of operations."""
