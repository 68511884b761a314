# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix engines: what computes products, and what the compiler must know of it."""
