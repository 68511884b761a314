# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvvm` without classes of operations."""
