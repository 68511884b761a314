"""What all executors of kernels share: memory, arguments, launching.

This package does not depend on the compiler.
"""
