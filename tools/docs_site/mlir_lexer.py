# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours for MLIR text: what Pygments calls a lexer."""

from __future__ import annotations

from typing import Any

from pygments import lexers
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text

_TYPE = r"tile|token|ptr|tensor_view|partition_view|strided_view|gather_scatter_view"
_ELEMENT = r"[iuf]\d+\w*|bf16|tf32|index|none"


class MlirLexer(RegexLexer):
    """Values, attributes, types, names of operations, comments."""

    name = "MLIR"
    aliases = ("mlir",)
    filenames = ("*.mlir",)
    tokens = {  # noqa: RUF012  (Pygments' interface)
        "root": [
            (r"//[^\n]*", Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"%[\w$.-]+(?:[:#]\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"[#!][\w.]+", Name.Decorator),
            (r"0x[0-9A-Fa-f]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!x)", Number),
            (r"\d+(?=x)", Number),
            (r"x(?=\d+x)", Punctuation),
            (rf"x(?=(?:{_ELEMENT}|ptr)\b)", Punctuation),
            (rf"\b(?:{_TYPE}|{_ELEMENT})\b", Keyword.Type),
            (r"[A-Za-z_][\w.]*(?=\s*=)", Name.Attribute),
            (r"[A-Za-z_][\w]*(?:\.\w+)+", Keyword),
            (r"(?<=^)\s*[a-z_]\w*|(?<== )[a-z_]\w*", Keyword),
            (r"[A-Za-z_]\w*", Text),
            (r"\s+", Text),
            (r".", Punctuation),
        ]
    }


def register() -> None:
    """Makes `mlir` a language of code blocks."""
    known: dict[str, Any] = vars(lexers)["LEXERS"]
    known["MlirLexer"] = (__name__, "MLIR", ("mlir",), ("*.mlir",), ())
