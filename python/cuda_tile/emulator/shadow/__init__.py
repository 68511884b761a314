# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shadow memory: the last accesses to each byte, and the races among them."""
