"""Rewrites that move data through shared memory, one file per kind."""
