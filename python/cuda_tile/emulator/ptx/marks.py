# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX text whose line table names its own lines, so that machine code does, too.

ptxas makes the same code of it (tried with 13.5): `.loc` is a note. PTX ISA, "Debugging
Directives".
"""

from __future__ import annotations

import re

from cuda_tile.emulator.ptx.syntax import Module

_NOTES = re.compile(r"\s*\.(loc|file)\s")
_SECTION = re.compile(r"\s*\.section\s+\.debug")
_HEAD = re.compile(r"\s*\.address_size\s")
_TARGET = re.compile(r"(\s*\.target\s[^/]*?),\s*debug\b")
_FILE = '.file 1 "ptx"'


def marked(module: Module) -> str:
    """The text of a module with a `.loc` of its own line before each instruction."""
    starts = {i.line for f in module.functions.values() for i in f.code}
    rows: list[str] = []
    is_debug = False
    for number, row in enumerate(module.lines, 1):
        is_debug = is_debug or bool(_SECTION.match(row))
        if is_debug:
            is_debug = "}" not in row
        elif not _NOTES.match(row):
            if number in starts:
                rows.append(f"\t.loc 1 {number} 0")
            rows.append(_TARGET.sub(r"\1", row))
            if _HEAD.match(row):
                rows.append(_FILE)
    return "\n".join(rows) + "\n"
