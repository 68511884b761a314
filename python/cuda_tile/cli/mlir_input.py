# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is checked of a command line before MLIR's own tools read it.

Their parser recurses without a limit, and their words are C++ strings.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from cuda_tile.admission import check_text
from cuda_tile.cli.files import STANDARD_STREAM
from cuda_tile.errors import UserError
from cuda_tile.files import MAGIC

_ENDING = re.compile(r"--?(h$|help|list-|show-|version)")
"""Options that end the tool before it reads anything."""


def check_words(words: Sequence[str]) -> None:
    """Refuses words that are not UTF-8, and text that nests too deep.

    Raises:
        UserError: One of these.
    """
    for word in words:
        if not _is_utf8(word):
            raise UserError(f"expected words of UTF-8, got {word!a}")
    if any(_ENDING.match(word) for word in words):
        return
    inputs = [word for word in _positional(words) if word != STANDARD_STREAM]
    for name in inputs:
        if Path(name).is_file():
            _check(Path(name).read_bytes(), name)
    if not inputs and sys.stdin is not None and not sys.stdin.isatty():
        _check_stdin()


def _is_utf8(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _positional(words: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in ("-o", "--o"):
            next(rest, None)
        elif word == STANDARD_STREAM or not word.startswith("-"):
            yield word


def _check(data: bytes, name: str) -> None:
    if not data.startswith(MAGIC):
        check_text(data, name)


def _check_stdin() -> None:
    """Reads stdin, and leaves its content to be read again."""
    data = sys.stdin.buffer.read()
    _check(data, "<stdin>")
    copy = os.memfd_create("stdin")
    os.write(copy, data)
    os.lseek(copy, 0, os.SEEK_SET)
    os.dup2(copy, 0)
    os.close(copy)
