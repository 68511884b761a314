# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source files of a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

_FUNCTION = re.compile(
    r"\s*(?:(?:async\s+)?def\s|(?:cuda_tile\.)?entry\s+@|(?:\.visible\s+)?\.(?:entry|func)\b)"
)
"""Where a function begins, in Python, Tile IR text and PTX."""


class Sources:
    """Finds and reads source files.

    Args:
        folders: Where files are looked for whose names are relative.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = [Path.cwd(), *folders]
        self._made: dict[str, Path] = {}
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _temporary(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory(prefix="cuda-tile-debug-")

    def folder(self) -> Path:
        """A folder for texts that were no files, which goes away with this."""
        return Path(self._temporary.name)

    def write(self, name: str, text: str) -> Path:
        """Makes a text a file, which goes before others of its name."""
        path = self._made[name] = self.folder() / name
        path.write_text(text)
        return path

    def path(self, name: str) -> Path | None:
        """The file of a name in a location, if it exists."""
        if name in self._made:
            return self._made[name]
        for folder in self._folders:
            path = folder / name
            if path.is_file():
                return path.resolve()
        return None

    def lines(self, name: str) -> list[str]:
        """The lines of a file, none where it cannot be read."""
        if name not in self._lines:
            path = self.path(name)
            text = path.read_text(errors="replace") if path is not None else ""
            self._lines[name] = text.splitlines()
        return self._lines[name]

    def is_apart(self, name: str, line: int, other: int) -> bool:
        """Whether a function begins behind one line, up to another."""
        between = self.lines(name)[line:other]
        return any(_FUNCTION.match(text) for text in between)

    def line(self, name: str, number: int) -> str:
        """One line, "" where there is none."""
        lines = self.lines(name)
        return lines[number - 1] if 0 < number <= len(lines) else ""
