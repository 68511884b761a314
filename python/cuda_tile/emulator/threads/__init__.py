"""Lanes, warps and CTAs: how many run together and which of them step at once."""
