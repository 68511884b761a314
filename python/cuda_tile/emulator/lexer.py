"""Tokens of PTX text.

PTX ISA: "Syntax": comments, identifiers, constants. A name and the `.suffixes` that
follow it are separate tokens; the parser puts them together.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda_tile.emulator.errors import PtxError


class Token(NamedTuple):
    """One token; `kind` is name, suffix, int, float, string, mark or end."""

    kind: str
    text: str
    line: int


_TOKEN = re.compile(
    r"""
      (?P<space>   [ \t\r\f]+ | //[^\n]* )
    | (?P<newline> \n )
    | (?P<block>   /\*.*?\*/ )
    | (?P<float>   0[fF][0-9a-fA-F]{8} | 0[dD][0-9a-fA-F]{16}
                 | \d+\.\d*(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+ )
    | (?P<int>     0[xX][0-9a-fA-F]+U? | 0[bB][01]+U? | \d+U? )
    | (?P<name>    [A-Za-z][\w$]* | [_$%][\w$]* )
    | (?P<suffix>  \.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)* )
    | (?P<string>  "(?:[^"\\]|\\.)*" )
    | (?P<mark>    [{}()\[\],;:|!+\-*/~@=<>&^] )
    """,
    re.VERBOSE | re.DOTALL,
)


def tokenize(text: str) -> list[Token]:
    """Splits PTX text into tokens, closed by one of kind "end".

    Raises:
        PtxError: A character that no token starts with.
    """
    tokens: list[Token] = []
    line = 1
    position = 0
    match = _TOKEN.match
    while position < len(text):
        found = match(text, position)
        if found is None:
            raise PtxError(f"expected a PTX token, got {text[position]!r}", line)
        kind = str(found.lastgroup)
        position = found.end()
        if kind == "newline":
            line += 1
        elif kind == "block":
            line += found.group().count("\n")
        elif kind != "space":
            tokens.append(Token(kind, found.group(), line))
    tokens.append(Token("end", "end of text", line))
    return tokens
