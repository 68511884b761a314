# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gpu` without classes of operations."""
