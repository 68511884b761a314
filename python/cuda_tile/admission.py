# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is looked at before a parser, a verifier or a pass gets a program.

Parsers, verifiers and passes recurse into regions; too deep a program would end the
process. Python's strings are Unicode, but an escape in MLIR text may be any byte.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.locations import place_text

_STRING_OR_COMMENT = re.compile(rb'"((?:[^"\\\n]|\\.)*)"|//[^\n]*')
_BYTE = re.compile(rb"\\([0-9a-fA-F]{2})")
_HIGH_BYTE = re.compile(rb"\\[89a-fA-F][0-9a-fA-F]")


def check_text(text: bytes, name: str) -> None:
    """Refuses text that nests too deep, or has a string that is not UTF-8.

    Args:
        text: MLIR text.
        name: What messages call it.

    Raises:
        UserError: With the place.
    """
    if (deep := _cuda_tile.find_deep_text(text)) is not None:
        raise UserError(_cuda_tile.nesting_message(), _place(text, name, deep))
    _make_room()
    if not _HIGH_BYTE.search(text):
        return
    for found in _STRING_OR_COMMENT.finditer(text):
        raw = _BYTE.sub(_unescaped, found[1] or b"")
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raise UserError(
                f"expected a string of UTF-8, got byte 0x{raw[error.start]:02x} in it",
                _place(text, name, found.start()),
            ) from None


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 16)])


def _place(text: bytes, name: str, at: int) -> str:
    line = text.count(b"\n", 0, at) + 1
    line_start = text.rfind(b"\n", 0, at) + 1
    return f"{name}:{line}:{at - line_start + 1}"


_FRAMES = 8000
"""Calls within calls that the deepest module takes in Python: a level takes up to a
dozen in a pass, and what the caller has used is added."""


def check_depth(module: Any) -> None:
    """Refuses a module whose regions nest too deep, and makes room for others.

    Args:
        module: An `ir.Module` or operation.

    Raises:
        UserError: With the place of an op that is too deep.
    """
    deep = _cuda_tile.find_deep_op(module)
    if deep is not None:
        raise UserError(_cuda_tile.nesting_message(), place_text(deep.location))
    _make_room()


def _make_room() -> None:
    """Raises Python's limit of calls within calls.

    It guards the stack of C, which calls from Python to Python no longer use.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
