# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates docs/diagnostics.md, the index of all diagnostics, or checks it.

    tools/checks/diagnostics_page.py [--write]

Texts come from the C++ of the dialects, from the constraints of the ODS and from the
errors that the Python package raises; `{}` stands for a value. Examples come from the
tests that expect the messages. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from diagnostics import (
    NO_MESSAGE,
    ROOT,
    SILENT,
    fragments,
    ods_messages,
)

PAGE = ROOT / "docs" / "diagnostics.md"
HEAD = """\
<!-- Made by tools/checks/diagnostics_page.py --write from the sources. -->

# Diagnostics

Every message of the dialects, of the bytecode reader and writer, and of the compiler,
by the file that has it. Search for a part of a message without its values; `{}` stands
for a value, and `|` separates two forms. In many messages two sentences are separated
by `; `: first what was found, in the words of compatible tools, then the rule that it
breaks, which is what to change. An example is a line of a test for which the message is
expected; the test is beside it. Where a file is named after a family of ops, its rules
(C1, C2, ...) are in the family's page of the reference. A row of the bytecode reader
without a verb is the name of a field, after `failed to read` or `failed to get`: the
file ends there or is damaged.
"""
ERRORS = {"UserError": "error", "Unsupported": "not supported"}
TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|<<|[;{},?:]|[^"<;{},?:/]+|.', re.DOTALL
)
EXPECTED = re.compile(
    r"expected-(?:error|warning|remark)(?:-re)?\s*(@\S+)?\s*\d*\s*\{\{(.*?)\}\}"
)


def templates(code: str) -> Iterator[str]:
    """The texts of C++ code: `"a " << b << " c"` is `a {} c`."""
    text, gap, before = "", "", ""
    for token in TOKEN.findall(code):
        if token.startswith("//"):
            continue
        if token.startswith('"'):
            if not NO_MESSAGE.search(before):
                text += (_between(gap) if text else "") + _unescaped(token)
            gap, before = "", before + token
            continue
        gap += token
        before = (before + token)[-200:]
        ends = token in {";", "{", "}"} or (token == "," and "<<" not in gap)
        if ends and text:
            yield text + _between(gap[:-1])
        if ends:
            text, gap = "", ""


def _unescaped(token: str) -> str:
    """The text of a C++ literal."""
    return json.loads(token.replace("\\'", "'").replace("\\0", " "))


def _between(gap: str) -> str:
    """What stands for the code between two literals: a value, or nothing."""
    if gap.strip() == ":":
        return "|"
    if "?" in gap or not re.search(r"<<|\+", gap):
        return ""
    return "{}" if re.sub(r"<<|[+()\s]", "", gap) else ""


def cpp_tables() -> Iterator[tuple[Path, list[str]]]:
    """Each C++ file with its messages of two or more words."""
    for file in sorted((ROOT / "dialect" / "lib").rglob("*.cpp")):
        if file.name in SILENT:
            continue
        found = (text.strip() for text in templates(file.read_text()))
        messages = [text for text in found if re.search(r"[a-z'] .*[A-Za-z]{2}", text)]
        if messages:
            yield file, list(dict.fromkeys(messages))


@dataclass(frozen=True)
class Example:
    """A line of a test and the message that is expected for it."""

    message: str
    line: str
    test: Path


def _target(lines: list[str], row: int, where: str) -> str:
    """The line that an expectation in line `row` is about."""
    if where in {"@above", ""} or re.fullmatch(r"@[+-]\d+", where):
        step = int(where[1:]) if where[1:2] in {"+", "-"} else -(where == "@above")
        return lines[row + step] if 0 <= row + step < len(lines) else ""
    rest = (line for line in lines[row + 1 :] if not line.lstrip().startswith("//"))
    return next(rest, "") if where == "@below" else ""


def examples() -> list[Example]:
    """All expectations of the lit tests that have a line of code."""
    result: list[Example] = []
    for test in sorted((ROOT / "test").rglob("*.mlir")):
        lines = test.read_text().split("\n")
        for row, line in enumerate(lines):
            for found in EXPECTED.finditer(line):
                code = _target(lines, row, found[1] or "").split("//")[0].strip()
                if code:
                    path = test.relative_to(ROOT)
                    result.append(Example(found[2].replace("`", "'"), code, path))
    return result


def _code(text: str) -> str:
    """Inline code of a table's cell."""
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _example(message: str, known: list[Example]) -> str:
    """The cell with an example of a message; empty if no test has a line for it."""
    parts = fragments(message.replace("`", "'").replace("|", "{}"))
    if max(map(len, parts)) < 12:
        return ""
    for example in known:
        if all(part in example.message for part in parts):
            line = (
                example.line if len(example.line) <= 90 else example.line[:87] + "..."
            )
            return f"{_code(line)} [{example.test.stem}](../{example.test})"
    return ""


def cpp_section(known: list[Example]) -> Iterator[str]:
    """The tables of the dialects' messages, by file."""
    yield "## Dialects, bytecode, passes on cuda_tile\n"
    for file, messages in cpp_tables():
        page = ROOT / "docs" / "reference" / f"{file.stem.lower()}.md"
        link = f" ([rules of these ops](reference/{page.name}))"
        path = file.relative_to(ROOT / "dialect" / "lib")
        is_family = path.parts[:2] == ("IR", "ops") and page.is_file()
        yield f"### {path}{link if is_family else ''}\n"
        yield "| message | example |\n|---|---|"
        for message in messages:
            yield f"| {_code(message)} | {_example(message, known)} |"
        yield ""


def ods_section() -> Iterator[str]:
    """The table of the constraints on operands, results and attributes."""
    yield "## Constraints on operands and results\n"
    yield "`'OP' op operand|result #N CONSTRAINT, but got T`, or for two or more values"
    yield "`failed to verify that CONSTRAINT`.\n"
    yield "| constraint | ops |\n|---|---|"
    ops: dict[str, set[str]] = {}
    for message, op in ods_messages():
        ops.setdefault(message, set()).add(op)
    for message, names in sorted(ops.items()):
        yield f"| {_code(message)} | {', '.join(sorted(names))} |"
    yield ""


def _text(node: ast.expr) -> str:
    """A text of Python code with `{}` for values."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_text(value) for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left) + _text(right)
        case _:
            return "{}"


def raised(code: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each error that Python code makes for its users."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in ERRORS:
                if re.search(r"[A-Za-z]", _text(first).replace("{}", "")):
                    yield ERRORS[name], _text(first)
            case _:
                pass


def python_section() -> Iterator[str]:
    """The tables of the Python package's errors, by file."""
    yield "## Compiler, interpreter, emulator, command line\n"
    yield "`not supported`: the program is valid, this version does not compile it.\n"
    for file in sorted((ROOT / "python" / "cuda_tile").rglob("*.py")):
        errors = list(dict.fromkeys(raised(file.read_text())))
        if errors:
            yield f"### {file.relative_to(ROOT / 'python')}\n"
            yield "| kind | message |\n|---|---|"
            for kind, message in errors:
                yield f"| {kind} | {_code(message)} |"
            yield ""


def page() -> str:
    """The text of the page."""
    parts = [*ods_section(), *cpp_section(examples()), *python_section()]
    return HEAD + "\n" + "\n".join(parts).rstrip() + "\n"


def main(argv: list[str]) -> int:
    """Writes or compares the page; 1 if it differs."""
    made = page()
    if "--write" in argv:
        PAGE.write_text(made)
    is_new = PAGE.is_file() and PAGE.read_text() == made
    if not is_new:
        print("docs/diagnostics.md: expected what the sources say; run with --write")
    print(f"{int(is_new)} passed, {int(not is_new)} failed")
    return int(not is_new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
