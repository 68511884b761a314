"""Thin helpers over the MLIR bindings: walking, types, cloning; no policy."""
