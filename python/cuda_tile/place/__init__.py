"""Constraints of each op on the layouts of its tiles: one rule per op, by family."""
