# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Report pages of the kernels that a program launches, with its own arguments."""

from __future__ import annotations

import json
from pathlib import Path

from cuda_tile.cli.files import write_output
from cuda_tile.files import load
from cuda_tile.options import Options
from cuda_tile.pictures.collect import collect
from cuda_tile.pictures.html_page import html_page


def write_pages(launches: Path, page: Path, gpu: str) -> list[Path]:
    """Writes a page for the first launch of each kernel.

    Args:
        launches: Where launches were recorded.
        page: The page of the first kernel; those of others have their names behind.
        gpu: Chip to compile for.

    Returns:
        The pages.

    Raises:
        UserError: A kernel cannot be compiled, or a page cannot be written.
    """
    made: dict[bytes, Path] = {}
    for file in sorted(launches.glob("*/launch.json")):
        kernel = (file.parent / "kernel.tileirbc").read_bytes()
        if kernel in made:
            continue
        path = page
        if made:
            name = json.loads(file.read_text())["kernel"]
            path = _free(page, name, set(made.values()))
        run = str(file.parent)
        collected = collect(load(kernel), Options(gpu=gpu), given_run=run)
        write_output(str(path), html_page(collected))
        made[kernel] = path
    return list(made.values())


def _free(page: Path, name: str, taken: set[Path]) -> Path:
    """A page beside the first one; the same kernel for other types has a number."""
    path, number = page.with_stem(f"{page.stem}-{name}"), 1
    while path in taken:
        number += 1
        path = page.with_stem(f"{page.stem}-{name}-{number}")
    return path
