# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source files of a kernel: on the disk, or texts that exist only here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class Sources:
    """Finds and reads source files.

    Args:
        folders: Where files are looked for whose names are relative.
        texts: Texts that are no files, by name.
    """

    def __init__(
        self, folders: Sequence[Path] = (), texts: dict[str, str] | None = None
    ) -> None:
        self._folders = [Path.cwd(), *folders]
        self._texts = dict(texts or {})
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, text: str) -> None:
        """Adds a text that is no file."""
        self._texts[name] = text
        self._lines.pop(name, None)

    def path(self, name: str) -> Path | None:
        """The file of a name in a location, if it exists."""
        if name in self._texts:
            return None
        for folder in self._folders:
            path = folder / name
            if path.is_file():
                return path.resolve()
        return None

    def lines(self, name: str) -> list[str]:
        """The lines of a file or text, none where it cannot be read."""
        if name not in self._lines:
            self._lines[name] = self._read(name).splitlines()
        return self._lines[name]

    def line(self, name: str, number: int) -> str:
        """One line, "" where there is none."""
        lines = self.lines(name)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _read(self, name: str) -> str:
        if name in self._texts:
            return self._texts[name]
        path = self.path(name)
        return path.read_text(errors="replace") if path is not None else ""
