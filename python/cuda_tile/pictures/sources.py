# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source files that a kernel names, read from this machine where they are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        _listing(f"source{number}", file, positions, beside)
        for number, (file, positions) in enumerate(files)
    ]


def _listing(
    name: str, file: str, positions: Mapping[int, int], beside: Path | None
) -> Listing:
    """A file's text, or why there is none.

    Args:
        name: A short name for the page.
        file: Its name in the locations.
        positions: The last column that is named in each line.
        beside: The folder of the kernel's file.
    """
    texts = list(_texts(file, beside))
    fitting = next((text for text in texts if _fits(text, positions)), None)
    note = (
        "is another version here than the kernel was made from"
        if texts
        else "is not on this machine"
    )
    return source_listing(name, file, fitting, sorted(positions), note)


def _fits(text: str, positions: Mapping[int, int]) -> bool:
    """Whether all positions lie in the text; else it has changed since."""
    lines = text.encode().split(b"\n")
    return all(
        line <= len(lines)
        and lines[line - 1].strip()
        and column <= len(lines[line - 1])
        for line, column in positions.items()
    )


def _places(path: Path, beside: Path | None) -> list[Path]:
    """Where a source may lie, the likeliest first.

    Producers write paths relative to where they ran, which mostly is the root of a
    project: a folder above the kernel's file.
    """
    if beside is None:
        return [path]
    places = [beside / path, beside / path.name]
    if not path.is_absolute():
        places += [folder / path for folder in list(beside.resolve().parents)]
    return [*places, path]


def _texts(file: str, beside: Path | None) -> Iterator[str]:
    """The texts of the files that may be meant."""
    path = Path(file)
    if path.suffix not in SUFFIXES:
        return
    for place in _places(path, beside):
        try:
            if place.is_file() and place.stat().st_size <= MOST_BYTES:
                yield place.read_text()
        except (OSError, UnicodeError):
            continue
