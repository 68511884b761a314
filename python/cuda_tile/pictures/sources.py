# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source files that a kernel names, read from this machine where they are there."""

from __future__ import annotations

from pathlib import Path

from cuda_tile._mlir import ir
from cuda_tile.pictures.listings import Listing, named_files, source_listing

SUFFIXES = frozenset(
    (".py", ".mlir", ".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp", ".jl", ".rs")
)
"""Files that a page may hold: a kernel could name any other file of this machine."""
MOST_BYTES = 4 << 20


def sources(module: ir.Module, beside: Path | None) -> list[Listing]:
    """A listing for each file that locations name, that with most lines first.

    Args:
        module: As the user wrote it.
        beside: The folder of the kernel's file, where sources may lie too.
    """
    files = sorted(
        named_files(module.operation).items(), key=lambda item: -len(item[1])
    )
    return [
        source_listing(f"source{number}", file, _read(file, beside), sorted(lines))
        for number, (file, lines) in enumerate(files)
    ]


def _read(file: str, beside: Path | None) -> str | None:
    """The text of a source file; None if it is not there, or no source."""
    path = Path(file)
    if path.suffix not in SUFFIXES:
        return None
    places = [path] if beside is None else [beside / path, beside / path.name, path]
    for place in places:
        try:
            if place.is_file() and place.stat().st_size <= MOST_BYTES:
                return place.read_text()
        except (OSError, UnicodeError):
            continue
    return None
