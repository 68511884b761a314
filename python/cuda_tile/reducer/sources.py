# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file holds that is reduced: Tile IR as text or bytecode, or PTX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cuda_tile.errors import UserError
from cuda_tile.files import ELF_MAGIC, MAGIC, load, save
from cuda_tile.reducer import ptx, raw, tiles
from cuda_tile.reducer.search import Kind


@dataclass(frozen=True)
class Source:
    """A program to reduce.

    Attributes:
        text: The program as text.
        kinds: The ways to make it smaller.
        encode: What a command is given for a text.
        suffix: How the name of its file ends.
        size: How large a text is, in words for people.
    """

    text: str
    kinds: Sequence[Kind]
    encode: Callable[[str], bytes]
    suffix: str
    size: Callable[[str], str]


def read_source(data: bytes, form: str | None = None) -> Source:
    """Reads a program.

    Args:
        data: A file.
        form: `text` or `bytecode`, what commands are given of Tile IR; `raw` for a
            file of bytes that nobody reads; None for the form of the file.

    Raises:
        UserError: The file is neither Tile IR nor PTX, and `form` is not `raw`.
    """
    if form == "raw":
        return Source(raw.text_of(data), raw.KINDS, raw.data_of, ".raw", raw.size)
    if data.startswith(ELF_MAGIC):
        raise UserError("expected Tile IR or PTX, got a cubin")
    if ptx.is_ptx(data):
        if form is not None:
            raise UserError(f"expected Tile IR to give as {form}, got PTX")
        text = ptx.normal(data.decode(errors="replace"))
        return Source(text, ptx.KINDS, str.encode, ".ptx", ptx.size)
    is_bytecode = data.startswith(MAGIC) if form is None else form == "bytecode"
    text = str(load(data))
    if is_bytecode:
        return Source(text, tiles.KINDS, _bytecode, ".tileirbc", tiles.size)
    return Source(text, tiles.KINDS, str.encode, ".mlir", tiles.size)


def _bytecode(text: str) -> bytes:
    return save(load(text.encode()))
