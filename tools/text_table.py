# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows as text in columns, for commands that print what they measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def text_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as they must be, numbers to the right.

    Args:
        head: The columns' names.
        rows: A cell per column.
    """
    cells = [[*head], *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            text.rjust(width) if text[:1].isdigit() else text.ljust(width)
            for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join(lines)
