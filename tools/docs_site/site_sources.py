# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The written pages of the site: the project's Markdown files, where they stand.

A page keeps its path in the repository, so that links between pages work on the site as
they do in a checkout. Other files that a page links to are copied beside it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def written_pages() -> list[Path]:
    """Paths in the repository of all Markdown files, tracked or new."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listing = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = listing.stdout.splitlines()
    return [Path(name) for name in names if (ROOT / name).is_file()]


def linked_files(page: Path, text: str) -> Iterator[Path]:
    """Paths in the repository of the files other than pages that a page links to."""
    for target in _LINK.findall(_FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        file = (ROOT / page.parent / target).resolve()
        if file.is_file() and file.suffix != ".md" and file.is_relative_to(ROOT):
            yield file.relative_to(ROOT)


def copy_sources(target: Path) -> None:
    """Copies the pages, and the files that they link to, below the folder `target`."""
    for page in written_pages():
        text = (ROOT / page).read_text()
        write(target / page, text)
        for file in linked_files(page, text):
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, target / file)


def write(file: Path, text: str) -> None:
    """Writes a page and makes its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
