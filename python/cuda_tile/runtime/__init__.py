# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all executors of kernels share: memory, arguments, launching.

This package does not depend on the compiler.
"""
