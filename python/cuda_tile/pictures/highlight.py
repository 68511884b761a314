# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The colours of code: one regular expression for each language.

Each kind of word is a named group. The expressions mean the same in Python and, with
`(?<` for `(?P<`, in JavaScript, so that pages and notebooks colour alike.
"""

from __future__ import annotations

import re
from html import escape

_STRING = r'(?P<string>"(?:[^"\\]|\\.)*")'
_NUMBER = r"(?P<number>\b\d[\w.]*(?:[eE][+-]\d+)?)"
RULES = {
    "mlir": "|".join(
        (
            r"(?P<comment>//.*)",
            _STRING,
            r"(?P<value>%[\w.$-]+(?:[:#]\d+)?|\^bb\d+|@[\w.$-]+)",
            r"(?P<type>![\w.]+|#[\w.]+|\b(?:tile|ptr|tensor_view|partition_view"
            r"|strided_view|gather_scatter_view|token)(?=<|\b)|\b(?:i|f|bf|tf)\d+\w*\b)",
            r"(?P<keyword>(?<=^)\s*(?:[a-z_]\w*\.)?[a-z_]\w*|(?<= = )[a-z_][\w.]*)",
            _NUMBER,
        )
    ),
    "ptx": "|".join(
        (
            r"(?P<comment>//.*)",
            _STRING,
            r"(?P<value>%[\w.$]+)",
            r"(?P<type>(?<=\s)\.[a-z]\w*)",
            r"(?P<keyword>(?<=^)\s+(?:@!?%?\w+\s+)?[a-z][\w.:]*)",
            r"(?P<number>\b(?:0[xXfFdD][\dA-Fa-f]+|\d+)\b)",
        )
    ),
    "sass": "|".join(
        (
            r"(?P<comment>//.*)",
            r"(?P<value>\b(?:U?R\d+|U?P[T\d]|U?RZ|SR_\w+)\b)",
            r"(?P<keyword>\b[A-Z][A-Z\d]{1,}[\w.]*)",
            r"(?P<number>\b0x[\da-f]+|\b\d+\b)",
        )
    ),
    "python": "|".join(
        (
            r"(?P<comment>#.*)",
            r"(?P<string>\"\"\".*?(?:\"\"\"|$)|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')",
            r"(?P<keyword>\b(?:def|class|return|for|while|if|elif|else|in|not|and|or"
            r"|import|from|as|with|yield|lambda|None|True|False|break|continue|is"
            r"|pass|assert|raise|try|except|del|global)\b|@[\w.]+)",
            _NUMBER,
        )
    ),
}


def javascript_rules() -> dict[str, str]:
    """The rules as JavaScript writes regular expressions."""
    return {name: rule.replace("(?P<", "(?<") for name, rule in RULES.items()}


def code_html(line: str, language: str) -> str:
    """A line of code with a `span` around each word that has a colour."""
    parts: list[str] = []
    last = 0
    for found in re.finditer(RULES[language], line):
        parts.append(escape(line[last : found.start()]))
        parts.append(f'<span class="t-{found.lastgroup}">{escape(found[0])}</span>')
        last = found.end()
    return "".join(parts) + escape(line[last:])
