"""Analyses of a kernel: they neither decide nor change anything."""
