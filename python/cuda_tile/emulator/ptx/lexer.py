# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
      (?P<space>   (?: [ \t\r\f\n]+ | //[^\n]* | /\*.*?\*/ )+ )
    | (?P<float>   0[fF][0-9a-fA-F]{8} | 0[dD][0-9a-fA-F]{16}
                 | \d+\.\d*(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+
                 | \.\d+(?:[eE][+-]?\d+)?(?!\w) )
    | (?P<int>     0[xX][0-9a-fA-F]+U? | 0[bB][01]+U? | \d+U? )
    | (?P<name>    [A-Za-z][\w$]* | [_$%][\w$]* )
    | (?P<suffix>  \.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)* )
    | (?P<string>  "(?:[^"\\]|\\.)*" )
    | (?P<mark>    <<|>>|<=|>=|==|!=|&&|\|\| | [{}()\[\],;:|!+\-*/~@=<>&^?] )
    | (?P<bad>     . )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def tokenize(text: str) -> list[Token]:
    """Splits PTX text into tokens, closed by one of kind "end".

    Raises:
        PtxError: A character that no token starts with.
    """
    tokens: list[Token] = []
    line = 1
    for found in _TOKEN.finditer(text):
        kind, word = str(found.lastgroup), found.group()
        if kind == "space":
            line += word.count("\n")
        elif kind == "bad":
            raise PtxError(f"expected a PTX token, got {word!r}", line)
        else:
            tokens.append(Token(kind, word, line))
            if kind == "string":
                line += word.count("\n")
    tokens.append(Token("end", "end of text", line))
    return tokens
