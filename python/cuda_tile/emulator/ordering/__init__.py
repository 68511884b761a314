"""Happens-before as the PTX memory consistency model has it: vector clocks, scopes."""
