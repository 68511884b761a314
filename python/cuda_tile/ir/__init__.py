# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thin helpers over the MLIR bindings: walking, types, cloning; no policy."""
