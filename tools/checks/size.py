# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the size of files and functions.

The goal is 400 lines per file and 40 per function; the limits below are hard. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE_LIMITS = {".py": 600, ".cpp": 800, ".h": 600, ".td": 800, ".mlir": 600}
"""Maximum number of lines of a file, by suffix."""
FUNCTION_LIMIT = 80
PAGE_LIMITS = {"README.md": 150, "CONTRIBUTING.md": 120}

# Starts of lines in the first column that are not functions: LLVM's style does not
# indent namespaces.
_CPP_OTHER = re.compile(r"(namespace|class|struct|enum|union|extern|typedef|using)\b")


@dataclass(frozen=True)
class Offender:
    """A file or function over its limit."""

    place: str
    lines: int
    limit: int

    def __str__(self) -> str:
        return f"{self.place}: expected at most {self.limit} lines, got {self.lines}"


def source_files() -> list[Path]:
    """The project's files, tracked or new."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listing.stdout.splitlines()]


def file_limit(path: Path) -> int | None:
    """Maximum number of lines of a file, or None if there is no limit."""
    page = PAGE_LIMITS.get(str(path.relative_to(ROOT)))
    return page or FILE_LIMITS.get(path.suffix)


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function, nested ones as well."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None, "ast.parse gives line numbers"
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """The same for C++ functions outside classes, in LLVM's style.

    Such a function begins in the first column and ends with a `}` there.
    """
    start, is_open = 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if line == "}" and is_open:
            yield text.splitlines()[start - 1], start, number - start + 1
            start, is_open = 0, False
        elif not is_open and line[:1].isalpha():
            is_other = _CPP_OTHER.match(line) or line.endswith(":")
            start = 0 if is_other else number
        if line.endswith("{") and start:
            is_open = True
        elif not is_open and line.endswith((";", "}")):
            start = 0


def offenders(path: Path) -> Iterator[Offender]:
    """The file, if it is over its limit, and its functions that are."""
    limit = file_limit(path)
    if limit is None or not path.is_file():
        return
    text = path.read_text()
    name = str(path.relative_to(ROOT))
    lines = text.count("\n")
    if lines > limit:
        yield Offender(name, lines, limit)
    functions: Iterator[tuple[str, int, int]] = iter(())
    if path.suffix == ".py":
        functions = python_functions(text)
    elif path.suffix in (".cpp", ".h"):
        functions = cpp_functions(text)
    for function, start, count in functions:
        if count > FUNCTION_LIMIT:
            yield Offender(f"{name}:{start}: {function}", count, FUNCTION_LIMIT)


def main() -> int:
    """Lists the offenders; 1 if there are any."""
    files = [path for path in source_files() if file_limit(path) is not None]
    failed = 0
    for path in files:
        found = list(offenders(path))
        failed += bool(found)
        for offender in found:
            print(offender)
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
