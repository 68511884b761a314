"""Fixtures of the command tests."""

from tool_command import command

__all__ = ["command"]
