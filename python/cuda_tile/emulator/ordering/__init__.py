"""Happens-before by the PTX memory consistency model: vector clocks and scopes."""
