# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state spaces: where variables lie, loads, stores and atomics, their counts."""
