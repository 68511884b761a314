"""What every executor of a kernel shares: memory, arguments, launching.

Nothing in this package knows how a kernel is compiled.
"""
