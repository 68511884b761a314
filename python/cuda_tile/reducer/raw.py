# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller files of any kind: lines go, then bytes.

For what a reader stumbles over, so that nobody can say what its parts are.
"""

from __future__ import annotations

from cuda_tile.reducer.search import Kind

_BYTES = "latin-1"
"""An encoding in which each byte is a character."""


def text_of(data: bytes) -> str:
    """A file as a text, with a character for each byte."""
    return data.decode(_BYTES)


def data_of(text: str) -> bytes:
    """The file of a text."""
    return text.encode(_BYTES)


def size(text: str) -> str:
    """How many bytes a file has."""
    return f"{len(text)} bytes"


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _without_lines(text: str, places: range) -> str:
    lines = _lines(text)
    return "\n".join([*lines[: places.start], *lines[places.stop :]])


def _without_bytes(text: str, places: range) -> str:
    return text[: places.start] + text[places.stop :]


KINDS = (
    Kind("remove lines", lambda text: len(_lines(text)), _without_lines),
    Kind("remove bytes", len, _without_bytes),
)
"""Changes of any file, those that take away most first."""
