# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a kernel takes, by a model of clocks; see docs/time.md."""
